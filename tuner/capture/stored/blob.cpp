#include "tuner/capture/stored/blob.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "cache/file/hash.hpp"
#include "tuner/process/in_threads.hpp"
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

/// A chunk as it was stored, and what becomes of it.
class Unpacked {
 public:
  /// Empty if the file ends, or cannot hold such a chunk there. `size` is the chunk's.
  static std::optional<Unpacked> read_from(const ReadBytes& read, std::size_t size) {
    std::array<std::byte, 8> count_bytes{};
    if (read(count_bytes) != count_bytes.size()) return std::nullopt;
    const std::uint64_t count = from_little_endian(count_bytes);
    if (count == 0 || count > size) return std::nullopt;
    Unpacked chunk;
    chunk.stored_.resize(count);
    if (read(chunk.stored_) != count) return std::nullopt;
    if (count < size) chunk.room_.resize(size);
    return chunk;
  }
  void uncompress() {
    if (room_.empty()) return;
    uLongf unpacked = room_.size();
    const int result = ::uncompress(as_zlib(room_.data()), &unpacked, as_zlib(stored_.data()), stored_.size());
    is_whole_ = result == Z_OK && unpacked == room_.size();
    std::swap(stored_, room_);
  }
  /// Nothing if it was no stream of so many bytes.
  std::optional<Bytes> contents() const { return is_whole_ ? std::optional<Bytes>(stored_) : std::nullopt; }

 private:
  std::vector<std::byte> stored_, room_;
  bool is_whole_ = true;
};

std::size_t chunks_at_once() {
  return std::clamp<std::size_t>(static_cast<std::size_t>(usable_cores()), 1, kMostAtOnce);
}

}  // namespace

std::string Blob::file_name() const {
  return fmt::format("{}.{}", hash, size);
}

Blob blob_of(Bytes contents) {
  return {cache::content_hash(contents).text, contents.size()};
}

void pack(Bytes contents, const std::function<void(Bytes)>& write) {
  const std::size_t at_once = chunks_at_once();
  while (!contents.empty()) {
    std::vector<Packed> chunks;
    while (chunks.size() < at_once && !contents.empty()) {
      const std::size_t size = std::min(contents.size(), kChunkBytes);
      chunks.emplace_back(contents.first(size));
      contents = contents.subspan(size);
    }
    in_threads(chunks.size(), at_once, [&](std::size_t i) { chunks[i].compress(); });
    for (const Packed& chunk : chunks) {
      write(little_endian(chunk.stored().size()));
      write(chunk.stored());
    }
  }
}

bool unpack(const Blob& blob, const ReadBytes& read, const std::function<void(Bytes)>& visit) {
  const std::size_t at_once = chunks_at_once();
  cache::ContentHash hash;
  for (std::uint64_t left = blob.size; left > 0;) {
    std::vector<Unpacked> chunks;
    while (chunks.size() < at_once && left > 0) {
      const std::uint64_t size = std::min<std::uint64_t>(left, kChunkBytes);
      std::optional<Unpacked> chunk = Unpacked::read_from(read, size);
      if (!chunk) return false;
      chunks.push_back(std::move(*chunk));
      left -= size;
    }
    in_threads(chunks.size(), at_once, [&](std::size_t i) { chunks[i].uncompress(); });
    for (const Unpacked& chunk : chunks) {
      const std::optional<Bytes> contents = chunk.contents();
      if (!contents) return false;
      hash.add(*contents);
      visit(*contents);
    }
  }
  std::byte more{};
  return read({&more, 1}) == 0 && hash.hash().text == blob.hash;
}

}  // namespace tuner::capture
