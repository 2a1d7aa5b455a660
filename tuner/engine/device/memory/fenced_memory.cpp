#include "tuner/engine/device/memory/fenced_memory.hpp"

#include <algorithm>
#include <utility>

namespace tuner::engine {
namespace {

CUdevice current_device() {
  CUdevice device = 0;
  check(driver().device(&device, 0), "cuDeviceGet");  // a device worker sees one GPU alone
  return device;
}

}  // namespace

CUmemAllocationProp memory_on_device() {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = current_device();
  return properties;
}

void set_memory_access(CUdeviceptr address, std::uint64_t bytes, bool is_writable) {
  CUmemAccessDesc access{};
  access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  access.location.id = current_device();
  access.flags = is_writable ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
  check(driver().set_access(address, bytes, &access, 1), "cuMemSetAccess");
}

std::string why_no_fences() {
  const Driver& d = driver();
  if (!d.allocation_granularity || !d.reserve_addresses || !d.free_addresses || !d.create_memory || !d.release_memory ||
      !d.map_memory || !d.unmap_memory || !d.set_access) {
    return "The driver has no functions for mapping memory.";
  }
  int supported = 0;
  const CUresult result =
      d.device_attribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, current_device());
  if (result != CUDA_SUCCESS || supported == 0) return "The device does not allow programs to map memory.";
  return {};
}

std::uint64_t fence_granularity() {
  const CUmemAllocationProp properties = memory_on_device();
  std::size_t granularity = 0;
  check(driver().allocation_granularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
        "cuMemGetAllocationGranularity");
  return granularity;
}

FencedMemory::FencedMemory(std::uint64_t bytes, std::uint64_t alignment) {
  const std::uint64_t granule = fence_granularity();
  bytes_ = std::max<std::uint64_t>((bytes + granule - 1) / granule, 1) * granule;
  // The unmapped part in front keeps the alignment of what follows it.
  const std::uint64_t front = std::max(alignment, granule);
  reserved_bytes_ = front + bytes_ + granule;
  const CUmemAllocationProp properties = memory_on_device();
  try {
    check(driver().reserve_addresses(&reserved_, reserved_bytes_, front, 0, 0), "cuMemAddressReserve");
    check(driver().create_memory(&memory_, bytes_, &properties, 0), "cuMemCreate");
    check(driver().map_memory(reserved_ + front, bytes_, 0, memory_, 0), "cuMemMap");
    address_ = reserved_ + front;
    set_writable(true);
  } catch (...) {
    release();
    throw;
  }
}

FencedMemory::FencedMemory(FencedMemory&& other) noexcept
    : bytes_(std::exchange(other.bytes_, 0)),
      reserved_(std::exchange(other.reserved_, 0)),
      reserved_bytes_(std::exchange(other.reserved_bytes_, 0)),
      memory_(std::exchange(other.memory_, 0)),
      address_(std::exchange(other.address_, 0)) {}

FencedMemory::~FencedMemory() {
  release();
}

void FencedMemory::set_writable(bool writable) {
  set_memory_access(address_, bytes_, writable);
}

void FencedMemory::release() noexcept {
  if (device_abandoned()) return;
  if (address_ != 0) driver().unmap_memory(address_, bytes_);
  if (memory_ != 0) driver().release_memory(memory_);
  if (reserved_ != 0) driver().free_addresses(reserved_, reserved_bytes_);
}

}  // namespace tuner::engine
