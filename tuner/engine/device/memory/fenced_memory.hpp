#pragma once

#include <cstdint>
#include <string>

#include "tuner/engine/device/memory/cuda.hpp"

namespace tuner::engine {

/// Why this device cannot have fenced memory, one sentence; empty if it can. Needs a current context.
std::string why_no_fences();

/// The unit in which memory is mapped, 2 MiB on every GPU so far. Only where there can be fences. Throws CallFailed.
std::uint64_t fence_granularity();

/// What cuMemCreate is asked for: memory of the one GPU that a worker sees.
CUmemAllocationProp memory_on_device();
/// Of mapped memory: to be read, or written too. Nothing may be running that uses it.
void set_memory_access(CUdeviceptr address, std::uint64_t bytes, bool is_writable);

/// Device memory at addresses before and behind which nothing is mapped, a granule at least: an access there ends the
/// context at once instead of finding a neighbour's data. For checking only: it comes in whole granules.
class FencedMemory {
 public:
  /// At least that many bytes; the first is aligned. Throws CallFailed.
  FencedMemory(std::uint64_t bytes, std::uint64_t alignment);
  ~FencedMemory();
  FencedMemory(FencedMemory&& other) noexcept;
  FencedMemory& operator=(FencedMemory&&) = delete;

  CUdeviceptr address() const { return address_; }
  std::uint64_t bytes() const { return bytes_; }  ///< mapped: whole granules
  /// Where a kernel writes to memory that is not writable, the context ends. Nothing may be running that uses it.
  void set_writable(bool writable);

 private:
  void release() noexcept;

  std::uint64_t bytes_ = 0;
  CUdeviceptr reserved_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  CUmemGenericAllocationHandle memory_ = 0;
  CUdeviceptr address_ = 0;  ///< 0: not mapped
};

}  // namespace tuner::engine
