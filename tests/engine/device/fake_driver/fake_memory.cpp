// Device memory is memory of the host, all of it aligned as the driver aligns it.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <utility>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {
namespace {

enum class Kind { plain, managed, pooled };
struct Allocation {
  std::size_t bytes = 0;
  Kind kind = Kind::plain;
  unsigned long long id = 0;  ///< never used twice, though the address may be
  Context* context = nullptr;
};
// Never destroyed: what a program leaves behind when it ends is the driver's to keep.
std::map<CUdeviceptr, Allocation>& allocations = *new std::map<CUdeviceptr, Allocation>;
std::size_t allocated = 0;

std::size_t room() {
  static const std::size_t bytes = number("room").value_or(kMemory);
  return bytes;
}

/// As much as all allocations together may need, and never free again.
void* place(std::size_t alignment, std::size_t bytes) {
  constexpr CUdeviceptr kPlace = CUdeviceptr{0x20} << 40;
  static void* const there = mmap(pointer<void>(kPlace), kMemory, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  static CUdeviceptr next = kPlace;
  if (there != pointer<void>(kPlace)) std::abort();
  return pointer<void>(std::exchange(next, next + (bytes + alignment - 1) / alignment * alignment));
}

CUresult allocate_as(Kind kind, CUdeviceptr* address, std::size_t bytes) {
  static unsigned long long next_id = 1;
  if (device.dead != CUDA_SUCCESS) return device.dead;
  if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
  if (const CUresult error = wishes.allocation_error; error != CUDA_SUCCESS) return error;
  if (allocated + bytes > room() || crowded(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
  constexpr std::size_t kAlignment = 512, kHugePage = std::size_t{2} << 20;
  const std::size_t alignment = bytes < 2 * kHugePage ? kAlignment : kHugePage;
  const auto placed = number("placed");
  void* memory =
      placed ? place(*placed, bytes) : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  // What flushes the cache is written before every launch: one fault for each small page of it would be most of a test.
  if (alignment == kHugePage) madvise(memory, bytes, MADV_HUGEPAGE);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  allocations[*address] = {bytes, kind, next_id++, current_context()};
  allocated += bytes;
  return CUDA_SUCCESS;
}
CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  return allocate_as(Kind::plain, address, bytes);
}
CUresult allocate_managed(CUdeviceptr* address, std::size_t bytes, unsigned) {
  return allocate_as(Kind::managed, address, bytes);
}
CUresult release(CUdeviceptr address) {
  wait_for_device();
  if (const CUresult forbidden = capture_forbids(); forbidden != CUDA_SUCCESS) return forbidden;
  if (!allocations.contains(address)) return CUDA_ERROR_INVALID_VALUE;
  allocated -= allocations[address].bytes;
  allocations.erase(address);
  if (!number("placed")) std::free(pointer<void>(address));
  return CUDA_SUCCESS;
}
// As with the real driver, on a captured stream these would become nodes of the graph.
CUresult allocate_in_order(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  wishes.before_allocation.happen();
  if (!wishes.pools) return CUDA_ERROR_NOT_SUPPORTED;
  if (!context_of(stream)) return CUDA_ERROR_INVALID_CONTEXT;
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const CUresult result = allocate_as(Kind::pooled, address, bytes);
  if (result == CUDA_SUCCESS) record_memory_call("allocate", *address, bytes, stream);
  return result;
}
CUresult release_in_order(CUdeviceptr address, CUstream stream) {
  if (!wishes.pools) return CUDA_ERROR_NOT_SUPPORTED;
  if (is_captured(stream)) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  const auto found = allocations.find(address);
  if (found == allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  record_memory_call("free", address, found->second.bytes, stream);
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
  if (Module* const module = recording_module_of(to)) {
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

CUresult copy_to_host_now(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const CUresult forbidden = capture_forbids_legacy_stream(); forbidden != CUDA_SUCCESS) return forbidden;
  return copy_to_host(to, from, bytes, nullptr);
}
CUresult copy_to_device_now(CUdeviceptr to, const void* from, std::size_t bytes) {
  if (const CUresult forbidden = capture_forbids_legacy_stream(); forbidden != CUDA_SUCCESS) return forbidden;
  return copy_to_device(to, from, bytes, nullptr);
}

/// The one in which an address lies; the end if there is none.
auto allocation_at(CUdeviceptr address) {
  auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return allocations.end();
  --after;
  return address - after->first < after->second.bytes ? after : allocations.end();
}
CUresult address_range(CUdeviceptr* begin, std::size_t* bytes, CUdeviceptr address) {
  const auto found = allocation_at(address);
  if (found == allocations.end()) return CUDA_ERROR_NOT_FOUND;
  if (begin != nullptr) *begin = found->first;
  if (bytes != nullptr) *bytes = found->second.bytes;
  return CUDA_SUCCESS;
}
CUresult pointer_attribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const auto found = allocation_at(address);
  if (found == allocations.end()) return CUDA_ERROR_INVALID_VALUE;
  const Allocation& allocation = found->second;
  const auto give = [data](auto value) {
    std::memcpy(data, &value, sizeof value);
    return CUDA_SUCCESS;
  };
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      return give(allocation.context);
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return give(unsigned{CU_MEMORYTYPE_DEVICE});
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      return give(address);
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      return give(allocation.id);
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      return give(unsigned{allocation.kind == Kind::managed});
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return give(int{allocation.context ? allocation.context->device.load() : 0});
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      return give(found->first);
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      return give(allocation.bytes);
    case CU_POINTER_ATTRIBUTE_MAPPED:
      return give(int{1});
    // Any pointer but null says that it is of a pool.
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      return give(static_cast<void*>(allocation.kind == Kind::pooled ? &allocations : nullptr));
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}
/// What is asked of an address that the driver does not know is zero.
CUresult pointer_attributes(unsigned count, CUpointer_attribute* attributes, void** data, CUdeviceptr address) {
  const bool known = allocation_at(address) != allocations.end();
  for (unsigned i = 0; i < count; ++i) {
    const bool is_small =
        attributes[i] == CU_POINTER_ATTRIBUTE_MEMORY_TYPE || attributes[i] == CU_POINTER_ATTRIBUTE_IS_MANAGED ||
        attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL || attributes[i] == CU_POINTER_ATTRIBUTE_MAPPED;
    if (!known) std::memset(data[i], 0, is_small ? 4 : 8);
    if (!known) continue;
    if (const CUresult failed = pointer_attribute(data[i], attributes[i], address); failed != CUDA_SUCCESS)
      return failed;
  }
  return CUDA_SUCCESS;
}

}  // namespace

void damage_copies(std::size_t bytes) {
  for (const auto& [address, allocation] : allocations) {
    if (allocation.bytes == bytes) pointer<unsigned char>(address)[0] = 0x55;
  }
}

std::size_t count_allocated_bytes() {
  return allocated;
}

Functions memory_functions() {
  return {
      {"cuMemAlloc", entry<allocate>("cuMemAlloc_v2")},
      {"cuMemAllocManaged", entry<allocate_managed>("cuMemAllocManaged")},
      {"cuMemFree", waiting_entry<release>("cuMemFree_v2")},
      {"cuMemAllocAsync", entry<allocate_in_order>("cuMemAllocAsync")},
      {"cuMemFreeAsync", entry<release_in_order>("cuMemFreeAsync")},
      {"cuMemGetInfo", entry<memory_info>()},
      {"cuMemGetAddressRange", entry<address_range>()},
      {"cuPointerGetAttribute", entry<pointer_attribute>()},
      {"cuPointerGetAttributes", entry<pointer_attributes>()},
      {"cuMemcpyDtoH", waiting_entry<copy_to_host_now>("cuMemcpyDtoH_v2")},
      {"cuMemcpyHtoD", waiting_entry<copy_to_device_now>("cuMemcpyHtoD_v2")},
      {"cuMemcpyDtoHAsync", entry<copy_to_host>("cuMemcpyDtoHAsync_v2")},
      {"cuMemcpyHtoDAsync", entry<copy_to_device>("cuMemcpyHtoDAsync_v2")},
      {"cuMemcpyDtoDAsync", unlocked_entry<copy_on_device>("cuMemcpyDtoDAsync_v2")},
      {"cuMemsetD8Async", entry<set_bytes>("cuMemsetD8Async")},
  };
}

}  // namespace fake
