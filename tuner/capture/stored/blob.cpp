#include "tuner/capture/stored/blob.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <thread>

#include "cache/file/hash.hpp"
#include "tuner/process/quiet_thread.hpp"
#include "tuner/process/usable_cores.hpp"

namespace tuner::capture {
namespace {

using Bytes = std::span<const std::byte>;

constexpr int kFastest = 1;              // of zlib's levels
constexpr std::size_t kMostAtOnce = 16;  // each has a chunk in memory

const Bytef* as_zlib(const std::byte* bytes) {
  return reinterpret_cast<const Bytef*>(bytes);
}
Bytef* as_zlib(std::byte* bytes) {
  return reinterpret_cast<Bytef*>(bytes);
}

std::array<std::byte, 8> little_endian(std::uint64_t number) {
  std::array<std::byte, 8> bytes{};
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(number & 0xff);
    number >>= 8;
  }
  return bytes;
}

std::uint64_t from_little_endian(const std::array<std::byte, 8>& bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<std::uint64_t>(bytes[i]);
  return number;
}

/// A chunk, and room for what becomes of it.
class Packed {
 public:
  explicit Packed(Bytes chunk) : chunk_(chunk), room_(chunk.size()) {}
  void compress() {
    uLongf size = room_.size() - 1;
    const int result = compress2(as_zlib(room_.data()), &size, as_zlib(chunk_.data()), chunk_.size(), kFastest);
    if (result == Z_OK) stored_ = Bytes(room_).first(size);
  }
  Bytes stored() const { return stored_; }

 private:
  Bytes chunk_;
  std::vector<std::byte> room_;
  Bytes stored_ = chunk_;
};

void compress_all(std::vector<Packed>& chunks) {
  std::vector<std::thread> threads;
  const auto join = [&] {
    for (std::thread& thread : threads) thread.join();
  };
  try {
    for (std::size_t i = 1; i < chunks.size(); ++i)
      threads.push_back(quiet_thread([&chunks, i] { chunks[i].compress(); }));
  } catch (...) {
    join();
    throw;
  }
  chunks.front().compress();
  join();
}

}  // namespace

std::string Blob::file_name() const {
  return fmt::format("{}.{}", hash, size);
}

Blob blob_of(Bytes contents) {
  return {cache::content_hash(contents).text, contents.size()};
}

void pack(Bytes contents, const std::function<void(Bytes)>& write) {
  const std::size_t at_once = std::clamp<std::size_t>(static_cast<std::size_t>(usable_cores()), 1, kMostAtOnce);
  while (!contents.empty()) {
    std::vector<Packed> chunks;
    while (chunks.size() < at_once && !contents.empty()) {
      const std::size_t size = std::min(contents.size(), kChunkBytes);
      chunks.emplace_back(contents.first(size));
      contents = contents.subspan(size);
    }
    compress_all(chunks);
    for (const Packed& chunk : chunks) {
      write(little_endian(chunk.stored().size()));
      write(chunk.stored());
    }
  }
}

bool unpack(const Blob& blob, const ReadBytes& read, const std::function<void(Bytes)>& visit) {
  cache::ContentHash hash;
  std::vector<std::byte> stored, chunk;
  for (std::uint64_t left = blob.size; left > 0; left -= chunk.size()) {
    std::array<std::byte, 8> count_bytes{};
    if (read(count_bytes) != count_bytes.size()) return false;
    const std::uint64_t count = from_little_endian(count_bytes), size = std::min<std::uint64_t>(left, kChunkBytes);
    if (count == 0 || count > size) return false;
    stored.resize(count);
    if (read(stored) != count) return false;
    chunk.resize(size);
    uLongf unpacked = size;
    if (count == size) {
      chunk = stored;
    } else if (uncompress(as_zlib(chunk.data()), &unpacked, as_zlib(stored.data()), count) != Z_OK ||
               unpacked != size) {
      return false;
    }
    hash.add(chunk);
    visit(chunk);
  }
  std::byte more{};
  return read({&more, 1}) == 0 && hash.hash().text == blob.hash;
}

}  // namespace tuner::capture
