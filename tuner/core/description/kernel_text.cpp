#include "tuner/core/description/kernel_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>

#include "tuner/error.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner {
namespace {

constexpr std::size_t kLargestFile = std::size_t{16} << 20U;

using Descriptor = UniqueHandle<int, close, -1>;

[[noreturn]] void cannot_read(std::string_view kind, const std::filesystem::path& file, const std::string& why) {
  throw Error(Errc::file_not_found, fmt::format("The {} {} {}.", kind, file.string(), why));
}

/// A named pipe reads as empty until a program opens it for writing: it has this long to do so.
constexpr std::chrono::seconds kPatience{10};

bool is_written_to(int pipe) {
  using Clock = std::chrono::steady_clock;
  pollfd waited_for{.fd = pipe, .events = POLLIN, .revents = 0};
  const auto end = Clock::now() + kPatience;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) return false;
    const int ready = poll(&waited_for, 1, static_cast<int>(left.count()));
    if (ready > 0 || (ready < 0 && errno != EINTR)) return true;
  }
}

/// By its byte order mark, or because zeros are half of each ASCII character saved so, and in UTF-8 there are none:
/// many of them at even or at odd places of its beginning, and hardly any at the others.
bool is_utf16(std::string_view text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) return true;
  constexpr std::size_t kLooked = 4096;
  constexpr std::size_t kMany = 8;  // times as often as at the other places; one character in so many
  const std::string_view beginning = text.substr(0, kLooked);
  std::array<std::size_t, 2> zeros{};
  for (std::size_t at = beginning.find('\0'); at != std::string_view::npos; at = beginning.find('\0', at + 1)) {
    ++zeros[at % 2];
  }
  const auto [fewer, more] = std::minmax(zeros[0], zeros[1]);
  return more >= kMany && more * kMany >= beginning.size() / 2 && more >= fewer * kMany;
}

}  // namespace

std::string read_kernel_file(const std::filesystem::path& file) {
  return read_text_file(file, "kernel file", "an annotated CUDA source");
}

OpenText open_text_file(const std::filesystem::path& file, std::string_view kind, std::string_view wanted) {
  // Without waiting: a named pipe that nobody writes to would keep the program for ever.
  OpenText opened{.descriptor = Descriptor(open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC))};
  if (!opened.descriptor) {
    cannot_read(kind, file,
                errno == ENOENT || errno == ENOTDIR
                    ? "does not exist; check its name and the current folder"
                    : fmt::format("cannot be read; check its permissions ({})", std::strerror(errno)));
  }
  struct stat status {};
  if (fstat(opened.descriptor.get(), &status) != 0) cannot_read(kind, file, "cannot be read; check its permissions");
  if (S_ISDIR(status.st_mode)) {
    throw Error(Errc::file_not_found, fmt::format("{} is a folder; name {} in it.", file.string(), wanted));
  }
  if (!S_ISREG(status.st_mode) && !S_ISFIFO(status.st_mode)) {
    cannot_read(kind, file, fmt::format("is neither a file nor a pipe; name {}", wanted));
  }
  opened.size = static_cast<std::size_t>(status.st_size);
  if (S_ISFIFO(status.st_mode)) {
    opened.is_written = is_written_to(opened.descriptor.get());
    fcntl(opened.descriptor.get(), F_SETFL, 0);  // its writer may take its time
  }
  return opened;
}

void nobody_wrote_to(const std::filesystem::path& pipe, std::string_view kind) {
  cannot_read(
      kind, pipe,
      fmt::format("is a named pipe that no program wrote to within {} s; start the writer first", kPatience.count()));
}

std::string read_text_file(const std::filesystem::path& file, std::string_view kind, std::string_view wanted) {
  const OpenText opened = open_text_file(file, kind, wanted);
  // At once, if it is as long as it says: programs read their kernels at every start.
  std::string text(std::clamp<std::size_t>(opened.size, 4096, kLargestFile) + 1, '\0');
  std::size_t size = 0;
  while (true) {
    const ssize_t count = read(opened.descriptor.get(), text.data() + size, text.size() - size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot_read(kind, file, fmt::format("cannot be read ({})", std::strerror(errno)));
    if (count == 0) break;
    size += static_cast<std::size_t>(count);
    if (size > kLargestFile) cannot_read(kind, file, fmt::format("is larger than 16 MiB; name {}", wanted));
    if (size == text.size()) text.resize(2 * size);
  }
  text.resize(size);
  if (!opened.is_written && text.empty()) nobody_wrote_to(file, kind);
  // As saved by what no longer exists; compilers end a line there, too.
  if (text.find('\n') == std::string::npos) std::replace(text.begin(), text.end(), '\r', '\n');
  if (is_utf16(text)) {
    throw Error(Errc::bad_description, fmt::format("{} is UTF-16: save it as UTF-8.", file.string()));
  }
  return text;
}

}  // namespace tuner
