#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner {

/// Owns a file descriptor; -1 is "none".
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) noexcept : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(std::exchange(other.fd_, -1));
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const noexcept { return fd_; }
  int release() noexcept { return std::exchange(fd_, -1); }
  void reset(int fd = -1) noexcept;
  explicit operator bool() const noexcept { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

/// A file in memory with these contents, sealed: a receiver can rely on it not changing. Close-on-exec.
/// `name` shows up in /proc only. Throws as refused_by_system.
UniqueFd memfd_from_bytes(std::span<const std::byte> bytes, const char* name = "tuner");
UniqueFd memfd_from_text(std::string_view text, const char* name = "tuner");

/// The whole contents, wherever the file's offset stands. Throws as refused_by_system.
std::vector<std::byte> bytes_from_memfd(int fd);
std::string text_from_memfd(int fd);

}  // namespace tuner
