#pragma once

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

namespace tuner::capture {

/// A file without a name, in memory, mapped for writing. The tuner gets its descriptor.
class MemoryFile {
 public:
  /// Of so many bytes; is_there() is false if they cannot be had. Its pages are made when they are first written, or,
  /// with `ahead`, by threads that begin now.
  MemoryFile(std::uint64_t size, bool ahead);
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  bool is_there() const { return bytes_ != nullptr; }
  int descriptor() const { return descriptor_; }
  std::byte* bytes() const { return bytes_; }
  /// Until the threads are done.
  void wait();
  std::uint64_t size() const { return size_; }

 private:
  std::uint64_t size_;
  int descriptor_ = -1;
  std::byte* bytes_ = nullptr;
  std::vector<std::thread> threads_;
};

}  // namespace tuner::capture
