#include "tuner/core/task/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cache/file/hash.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw Error(Errc::file_not_found, fmt::format("{} {}.", file.string(), why));
}

}  // namespace

InputFile::InputFile(const fs::path& path) : path_(path) {
  // Without waiting: a named pipe that nobody writes to would keep the program for ever.
  descriptor_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) {
    fail(path, errno == ENOENT || errno == ENOTDIR
                   ? "does not exist; a relative name starts at the folder of the kernel file"
                   : fmt::format("cannot be read; check its permissions ({})", std::strerror(errno)));
  }
  struct stat status {};
  const bool is_file = fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode);
  if (!is_file) {
    close(descriptor_);
    fail(path, "is not a regular file; name a file written with numpy.save");
  }
  size_ = static_cast<std::uint64_t>(status.st_size);
}

InputFile::~InputFile() {
  close(descriptor_);
}

void InputFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path_, fmt::format("cannot be read ({})", std::strerror(errno)));
    if (count == 0) fail(path_, "became shorter while it was read");
    offset += static_cast<std::uint64_t>(count);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

cache::Hash read_and_hash(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take) {
  constexpr std::uint64_t kPiece = 4 << 20;
  const InputFile file(data.path);
  std::vector<std::byte> pieces(static_cast<std::size_t>(std::min(kPiece, data.bytes)));
  cache::ContentHash hash;
  for (std::uint64_t at = 0; at < data.bytes;) {
    const auto piece = std::span(pieces).first(static_cast<std::size_t>(std::min(kPiece, data.bytes - at)));
    file.read(data.offset + at, piece);
    hash.add(piece);
    take(piece);
    at += piece.size();
  }
  return hash.hash();
}

void read_data(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take) {
  if (data.hash.empty()) {
    throw Error(Errc::internal, data.path.string() + " was to be read before it was examined; report this.");
  }
  if (read_and_hash(data, take) == data.hash) return;
  fail(data.path, "was changed while it was in use; start again, and do not change it until the end");
}

std::vector<std::byte> read_data(const DataFile& data) {
  std::vector<std::byte> all;
  all.reserve(data.bytes);
  read_data(data, [&](std::span<const std::byte> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  return all;
}

}  // namespace tuner
