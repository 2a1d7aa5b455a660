// Device memory is memory of the host, all of it aligned as the driver aligns it.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {
namespace {

// Never destroyed: what a program leaves behind when it ends is the driver's to keep.
std::map<CUdeviceptr, std::size_t>& allocations = *new std::map<CUdeviceptr, std::size_t>;
std::size_t allocated = 0;

std::size_t room() {
  static const std::size_t bytes = number("room").value_or(kMemory);
  return bytes;
}

CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
  if (const CUresult error = wishes.allocation_error; error != CUDA_SUCCESS) return error;
  if (allocated + bytes > room() || crowded(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  constexpr std::size_t kAlignment = 512, kHugePage = std::size_t{2} << 20;
  const std::size_t alignment = bytes < 2 * kHugePage ? kAlignment : kHugePage;
  void* memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  // What flushes the cache is written before every launch: one fault for each small page of it would be most of a test.
  if (alignment == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  allocations[*address] = bytes;
  allocated += bytes;
  return CUDA_SUCCESS;
}
CUresult release(CUdeviceptr address) {
  wait_for_device();
  if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
  if (!allocations.contains(address)) return CUDA_ERROR_INVALID_VALUE;
  allocated -= allocations[address];
  allocations.erase(address);
  std::free(pointer<void>(address));
  return CUDA_SUCCESS;
}
// As with the real driver, on a captured stream these would become nodes of the graph.
CUresult allocate_in_order(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  wishes.before_allocation.happen();
  if (!wishes.pools) return CUDA_ERROR_NOT_SUPPORTED;
  if (!context_of(stream)) return CUDA_ERROR_INVALID_CONTEXT;
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const CUresult result = allocate(address, bytes);
  if (result == CUDA_SUCCESS) record_memory_call("allocate", *address, bytes, stream);
  return result;
}
CUresult release_in_order(CUdeviceptr address, CUstream stream) {
  if (!wishes.pools) return CUDA_ERROR_NOT_SUPPORTED;
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const auto found = allocations.find(address);
  if (found == allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  record_memory_call("free", address, found->second, stream);
  return release(address);
}
void memory_info(std::size_t* free_bytes, std::size_t* all) {
  *free_bytes = room() - allocated;
  *all = room();
}
CUresult copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  wait_for_device();
  std::memcpy(to, pointer<void>(from), bytes);
  return device.dead;
}
CUresult copy_to_device(CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
  wait_for_device();
  std::memcpy(pointer<void>(to), from, bytes);
  return device.dead;
}
CUresult copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  std::unique_lock lock(one_call);
  if (const Module* module = recording_module_of(to)) {
    lock.unlock();
    if (from == 0) return CUDA_ERROR_INVALID_VALUE;
    record_copy(module, to, from, bytes, stream);
    return CUDA_SUCCESS;
  }
  std::memcpy(pointer<void>(to), pointer<void>(from), bytes);
  return device.dead;
}
CUresult set_bytes(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  device.timing = false;
  std::memset(pointer<void>(to), value, bytes);
  device.now_ns += 28000;
  return device.dead;
}

}  // namespace

void damage_copies(std::size_t bytes) {
  for (const auto& [address, size] : allocations) {
    if (size == bytes) pointer<unsigned char>(address)[0] = 0x55;
  }
}

std::size_t count_allocated_bytes() {
  return allocated;
}

Functions memory_functions() {
  return {
      {"cuMemAlloc", entry<allocate>()},
      {"cuMemFree", entry<release>()},
      {"cuMemAllocAsync", entry<allocate_in_order>()},
      {"cuMemFreeAsync", entry<release_in_order>()},
      {"cuMemGetInfo", entry<memory_info>()},
      {"cuMemcpyDtoHAsync", entry<copy_to_host>()},
      {"cuMemcpyHtoDAsync", entry<copy_to_device>()},
      {"cuMemcpyDtoDAsync", unlocked_entry<copy_on_device>()},
      {"cuMemsetD8Async", entry<set_bytes>()},
  };
}

}  // namespace fake
