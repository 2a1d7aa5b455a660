#include "tuner/core/task/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cache/file/hash.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/npy.hpp"

namespace tuner {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& why) {
  throw Error(Errc::file_not_found, fmt::format("{} {}.", file.string(), why));
}

std::string type_text(ElementType type, int lanes) {
  return lanes > 1 ? fmt::format("{} with {} lanes", to_string(type), lanes) : std::string(to_string(type));
}

/// float4 data has a last dimension of 4, or of a multiple where nobody gave the lanes one of their own.
bool holds_lanes(const NpyHeader& header, std::uint64_t lanes) {
  return header.shape.empty() ? lanes == 1 : header.shape.back() % lanes == 0;
}

/// Hands over the data piece by piece.
std::string hash_of(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take) {
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
  return hash.text();
}

DataFile look_at(const fs::path& path, std::string_view what, const KernelDescription& description,
                 const Argument& described, const BoundArgument& argument) {
  const auto refuse = [&](Errc code, const std::string& why) {
    throw Error(code, fmt::format("{}: {}", argument_label(description, described, what), why));
  };
  NpyHeader header;
  try {
    header = read_npy_header(path);
  } catch (const Error& error) {
    refuse(error.code(), error.what());
  }
  const auto lanes = static_cast<std::uint64_t>(std::max(argument.lanes, 1));
  if (header.type != argument.type) {
    refuse(Errc::bad_description,
           fmt::format("{} holds {}, and `{}` is {}; convert one of them.", path.string(), to_string(header.type),
                       argument.name, type_text(argument.type, argument.lanes)));
  }
  if (header.elements != argument.length * lanes) {
    const std::string each = lanes > 1 ? fmt::format(" of {} numbers each", lanes) : "";
    refuse(
        Errc::bad_problem,
        fmt::format("{} holds {} numbers (shape {}), and `{}` has {} elements{} for this problem; choose the problem "
                    "that the file belongs to.",
                    path.string(), grouped(header.elements), shape_text(header.shape), argument.name,
                    grouped(argument.length), each));
  }
  if (!holds_lanes(header, lanes)) {
    refuse(Errc::bad_description,
           fmt::format("{} has the shape {}, and the {} lanes of `{}` must be its last dimension.", path.string(),
                       shape_text(header.shape), lanes, argument.name));
  }
  DataFile data;
  data.path = fs::absolute(path);
  data.offset = header.offset;
  data.bytes = header.elements * size_of(header.type);
  try {
    data.hash = hash_of(data, [](std::span<const std::byte>) {});
  } catch (const Error& error) {
    refuse(error.code(), error.what());
  }
  return data;
}

}  // namespace

InputFile::InputFile(const fs::path& path) : path_(path) {
  // Without waiting: a named pipe that nobody writes to would keep the program for ever.
  descriptor_ = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor_ < 0) {
    fail(path, errno == ENOENT || errno == ENOTDIR
                   ? "does not exist; a relative name belongs to the folder of the kernel file"
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

void read_data(const DataFile& data, const std::function<void(std::span<const std::byte>)>& take) {
  if (data.hash.empty()) {
    throw Error(Errc::internal, data.path.string() + " was to be read before it was looked at; report this.");
  }
  if (hash_of(data, take) == data.hash) return;
  fail(data.path, "was changed while it was in use; start again, and leave it alone until the end");
}

std::vector<std::byte> read_data(const DataFile& data) {
  std::vector<std::byte> all;
  all.reserve(data.bytes);
  read_data(data, [&](std::span<const std::byte> piece) { all.insert(all.end(), piece.begin(), piece.end()); });
  return all;
}

void look_at_files(const KernelDescription& description, std::vector<BoundArgument>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    BoundArgument& argument = arguments[i];
    const Argument& described = description.arguments[i];
    if (argument.file) argument.file = look_at(argument.file->path, "the content", description, described, argument);
    if (argument.expected) {
      argument.expected = look_at(argument.expected->path, "what is expected", description, described, argument);
    }
  }
}

}  // namespace tuner
