#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "tuner/driver/driver.hpp"
#include "tuner/runtime/contexts.hpp"

namespace tuner {

/// The scratch memory of launches in one context: one buffer a stream, and one for each launch that is captured. Safe
/// to use from several threads.
class ContextScratch {
 public:
  ContextScratch(const cuda::Driver& driver, const ContextPlace& place);
  /// Waits for the work of the context, because memory that was allocated in a stream's order is freed without looking
  /// whether it is in use.
  ~ContextScratch();
  ContextScratch(const ContextScratch&) = delete;
  ContextScratch& operator=(const ContextScratch&) = delete;

 private:
  struct StreamBuffer {
    std::mutex mutex;  ///< held from looking at the memory until the launch that uses it is queued
    CUdeviceptr memory = 0;
    std::size_t bytes = 0;
    cuda::Event done;  ///< recorded behind the last launch, if the streams are many
    /// Threads that hold it or wait for it. Becomes more under the lock of all buffers only.
    std::atomic<int> users{0};
  };

 public:
  /// Memory for one launch. While it lives, no other thread's launch on the stream comes between.
  class Lease {
   public:
    Lease(Lease&& other) noexcept;
    Lease& operator=(Lease&&) = delete;
    ~Lease();
    /// Why there is no memory; success if there is.
    CUresult result() const noexcept { return result_; }
    CUdeviceptr memory() const noexcept { return memory_; }
    /// The launch that uses it is queued.
    void launched() noexcept;

   private:
    friend class ContextScratch;
    Lease(ContextScratch& scratch, Stream stream) noexcept : scratch_(scratch), stream_(stream) {}
    ContextScratch& scratch_;
    const Stream stream_;
    CUresult result_ = CUDA_SUCCESS;
    CUdeviceptr memory_ = 0;
    StreamBuffer* buffer_ = nullptr;  ///< null for a captured launch
    CUdeviceptr captured_ = 0;        ///< of a captured launch that is not queued yet
    bool mark_ = false;               ///< whether `buffer_->done` is to be recorded
    std::unique_lock<std::mutex> lock_;
  };

  /// `bytes` for a launch on `stream`, at a multiple of `alignment`, which is a power of two. The driver's code where
  /// that cannot be had, or if another context is current.
  Lease take(Stream stream, std::size_t bytes, std::size_t alignment) noexcept;

 private:
  void take_for_graph(Lease& lease, std::size_t bytes);
  void take_of_stream(Lease& lease, std::size_t bytes);
  StreamBuffer& buffer_of(std::uint64_t stream_id, bool& mark);
  std::unique_ptr<StreamBuffer> take_idle_one();
  CUresult grow(StreamBuffer& buffer, Stream stream, std::size_t bytes) const;

  const cuda::Driver& driver_;
  const ContextPlace place_;
  const bool has_pools_;
  std::mutex mutex_;
  /// By number: a handle that the driver uses again is another stream.
  std::unordered_map<std::uint64_t, std::unique_ptr<StreamBuffer>> buffers_;
  std::vector<CUdeviceptr> captured_;
};

/// That of all contexts of a Runtime.
class ScratchMemory {
 public:
  /// The context must be current.
  ContextScratch& in(const cuda::Driver& driver, const ContextPlace& place);

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<ContextScratch>> contexts_;
};

}  // namespace tuner
