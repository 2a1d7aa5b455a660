// Memory that is mapped at addresses of one's choice: reserved address space of the host, of which what is mapped can
// be read, or read and written. A candidate that reaches beyond it meets a segmentation violation, which is the fake
// GPU's illegal address. The granule is small, because the host plants and checks what lies inside it.
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include <functional>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {
namespace {

constexpr std::size_t kGranule = 64 * 1024;

std::map<CUmemGenericAllocationHandle, std::size_t> memories;
CUmemGenericAllocationHandle next_memory = 1;
std::size_t in_use = 0;

// Of each thread, because programs launch from several.
thread_local sigjmp_buf before_launch;
thread_local volatile sig_atomic_t launching = 0;

void on_violation(int signal_number) {
  if (launching) siglongjmp(before_launch, 1);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void allocation_granularity(std::size_t* granularity, const CUmemAllocationProp*, CUmemAllocationGranularity_flags) {
  *granularity = kGranule;
}
CUresult reserve_addresses(CUdeviceptr* address, std::size_t bytes, std::size_t alignment, CUdeviceptr wanted,
                           unsigned long long) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  if (bytes % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
  if (wanted != 0 && !told("taken")) {
    void* there = mmap(pointer<void>(wanted), bytes, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (there != MAP_FAILED && reinterpret_cast<CUdeviceptr>(there) == wanted) {
      *address = wanted;
      return CUDA_SUCCESS;
    }
    if (there != MAP_FAILED) munmap(there, bytes);
  }
  // What is too much for the alignment stays reserved in front and is never given back.
  void* memory = mmap(nullptr, bytes + alignment, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto start = reinterpret_cast<CUdeviceptr>(memory);
  *address = alignment == 0 ? start : (start + alignment - 1) / alignment * alignment;
  return CUDA_SUCCESS;
}
void free_addresses(CUdeviceptr address, std::size_t bytes) {
  wait_for_device();
  munmap(pointer<void>(address), bytes);
}
CUresult create_memory(CUmemGenericAllocationHandle* handle, std::size_t bytes, const CUmemAllocationProp*,
                       unsigned long long) {
  if (device.dead != CUDA_SUCCESS) return device.dead;
  if (bytes == 0 || bytes % kGranule != 0) return CUDA_ERROR_INVALID_VALUE;
  if (in_use + bytes > number("fence_memory").value_or(kMemory)) return CUDA_ERROR_OUT_OF_MEMORY;
  in_use += bytes;
  *handle = next_memory++;
  memories[*handle] = bytes;
  return CUDA_SUCCESS;
}
void release_memory(CUmemGenericAllocationHandle handle) {
  in_use -= memories[handle];
  memories.erase(handle);
}
CUresult map_memory(CUdeviceptr address, std::size_t bytes, std::size_t offset, CUmemGenericAllocationHandle handle,
                    unsigned long long) {
  const bool whole = offset == 0 && memories.count(handle) > 0 && memories[handle] == bytes;
  return whole && address % kGranule == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult unmap_memory(CUdeviceptr address, std::size_t bytes) {
  wait_for_device();
  return mprotect(pointer<void>(address), bytes, PROT_NONE) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult set_access(CUdeviceptr address, std::size_t bytes, const CUmemAccessDesc* access, std::size_t) {
  const bool writable = access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
  return mprotect(pointer<void>(address), bytes, protection) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

}  // namespace

CUresult behind_fences(const std::function<CUresult()>& kernel) {
  static const bool ready = signal(SIGSEGV, on_violation) != SIG_ERR;
  if (!ready) return CUDA_ERROR_UNKNOWN;
  if (sigsetjmp(before_launch, 1) != 0) {
    launching = 0;
    return device.dead = CUDA_ERROR_ILLEGAL_ADDRESS;
  }
  launching = 1;
  const CUresult result = kernel();
  launching = 0;
  return result;
}

Functions fence_functions() {
  if (told("no_fences")) return {};
  return {
      {"cuMemGetAllocationGranularity", entry<allocation_granularity>()},
      {"cuMemAddressReserve", entry<reserve_addresses>()},
      {"cuMemAddressFree", entry<free_addresses>()},
      {"cuMemCreate", entry<create_memory>()},
      {"cuMemRelease", entry<release_memory>()},
      {"cuMemMap", entry<map_memory>()},
      {"cuMemUnmap", entry<unmap_memory>()},
      {"cuMemSetAccess", entry<set_access>()},
  };
}

}  // namespace fake
