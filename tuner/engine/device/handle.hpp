#pragma once

#include <utility>

namespace tuner::engine {

/// Owns one handle of a C library; a value-initialised handle is "none". `Release` must not throw.
template <typename Handle, void (*Release)(Handle) noexcept>
class UniqueHandle {
 public:
  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, Handle{})) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, Handle{});
    }
    return *this;
  }
  ~UniqueHandle() { reset(); }

  void reset() noexcept {
    if (handle_ != Handle{}) Release(std::exchange(handle_, Handle{}));
  }
  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != Handle{}; }

 private:
  Handle handle_{};
};

}  // namespace tuner::engine
