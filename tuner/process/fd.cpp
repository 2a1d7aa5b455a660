#include "tuner/process/fd.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "tuner/process/shortage.hpp"

namespace tuner {
namespace {

template <typename Container>
Container contents(int fd) {
  struct stat status {};
  if (fstat(fd, &status) != 0) refused_by_system("The size of a file in memory could not be read", errno);
  Container result(static_cast<std::size_t>(status.st_size), typename Container::value_type{});
  std::size_t done = 0;
  while (done < result.size()) {
    const ssize_t count = pread(fd, result.data() + done, result.size() - done, static_cast<off_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refused_by_system("A file in memory could not be read", errno);
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  result.resize(done);
  return result;
}

}  // namespace

void UniqueFd::reset(int fd) noexcept {
  if (fd_ >= 0) close(fd_);
  fd_ = fd;
}

UniqueFd memfd_from_bytes(std::span<const std::byte> bytes, const char* name) {
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!fd) refused_by_system("A file in memory could not be created", errno);
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(fd.get(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refused_by_system("A file in memory could not be written", errno);
    done += static_cast<std::size_t>(count);
  }
  // Readers copy with pread, so a system without seals costs the guarantee, not safety.
  fcntl(fd.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return fd;
}

UniqueFd memfd_from_text(std::string_view text, const char* name) {
  return memfd_from_bytes(std::as_bytes(std::span(text.data(), text.size())), name);
}

std::vector<std::byte> bytes_from_memfd(int fd) {
  return contents<std::vector<std::byte>>(fd);
}

std::string text_from_memfd(int fd) {
  return contents<std::string>(fd);
}

}  // namespace tuner
