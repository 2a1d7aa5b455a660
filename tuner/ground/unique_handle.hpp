#pragma once

#include <utility>

namespace tuner {

/// Owns one handle of a C library: `Release` gives it back, `Null` means that nothing is owned. Moves, never copies.
template <class Handle, auto Release, Handle Null = Handle{}>
class UniqueHandle {
 public:
  UniqueHandle() = default;
  explicit UniqueHandle(Handle handle) noexcept : handle_(handle) {}
  UniqueHandle(UniqueHandle&& other) noexcept : handle_(std::exchange(other.handle_, Null)) {}
  UniqueHandle& operator=(UniqueHandle&& other) noexcept {
    reset(std::exchange(other.handle_, Null));
    return *this;
  }
  ~UniqueHandle() { reset(); }

  Handle get() const noexcept { return handle_; }
  explicit operator bool() const noexcept { return handle_ != Null; }
  Handle release() noexcept { return std::exchange(handle_, Null); }
  void reset(Handle handle = Null) noexcept {
    const Handle old = std::exchange(handle_, handle);
    if (old != Null) Release(old);
  }
  /// Where a C function that hands out a handle writes it. What was owned before is given back first.
  Handle* out() noexcept {
    reset();
    return &handle_;
  }

 private:
  Handle handle_ = Null;
};

}  // namespace tuner
