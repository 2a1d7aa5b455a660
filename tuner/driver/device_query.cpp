#include "tuner/driver/device_query.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tuner/driver/driver.hpp"
#include "tuner/driver/nvml.hpp"

namespace tuner::cuda {
namespace {

// Attributes that a driver or a GPU does not have are zero.
int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return driver().device_attribute(&value, which, device) == CUDA_SUCCESS ? value : 0;
}

std::string uuid_text(const CUuuid& uuid, bool mig) {
  std::string text = mig ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

int count_devices() {
  int count = 0;
  const CUresult result = driver().device_count(&count);
  if (result != CUDA_SUCCESS) {
    throw Error(Errc::no_driver,
                fmt::format("The driver cannot count the GPUs: {}; check that `nvidia-smi` runs.", error_text(result)));
  }
  if (count == 0) {
    throw Error(Errc::no_driver, "The driver finds no GPU; check CUDA_VISIBLE_DEVICES and `nvidia-smi -L`.");
  }
  return count;
}

}  // namespace

DeviceInfo query_attributes(int index) {
  const Driver& d = driver();
  if (const int count = count_devices(); index < 0 || index >= count) {
    throw Error(
        Errc::no_driver,
        fmt::format("There is no GPU {}: the driver finds {}, counted from 0; see `nvidia-smi -L`.", index, count));
  }
  CUdevice device = 0;
  check(d.device(&device, index), "cuDeviceGet");
  DeviceInfo info;
  info.ordinal = index;
  std::array<char, 256> name{};
  check(d.device_name(name.data(), static_cast<int>(name.size()), device), "cuDeviceGetName");
  info.name = name.data();
  // A slice of a GPU is called "NVIDIA H200 MIG 1g.18gb".
  if (const auto at = info.name.find(" MIG "); at != std::string::npos) {
    info.mig_profile = info.name.substr(at + 5);
    info.name.resize(at);
  }
  CUuuid uuid{};
  if (d.device_uuid(&uuid, device) == CUDA_SUCCESS) info.uuid = uuid_text(uuid, !info.mig_profile.empty());
  std::size_t memory = 0;
  check(d.device_memory(&memory, device), "cuDeviceTotalMem");
  info.memory_bytes = memory;

  info.compute_major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  info.compute_minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  info.sm_count = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  info.l2_bytes = static_cast<std::uint64_t>(std::max(attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), 0));
  info.warp_size = attribute(device, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
  info.max_threads_per_block = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  info.max_threads_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  info.max_blocks_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
  info.registers_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  info.registers_per_block = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  info.max_shared_per_block = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  info.max_shared_per_sm = attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
  info.reserved_shared_per_block = attribute(device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
  info.memory_bus_bits = attribute(device, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  return info;
}

DeviceInfo query_device(int index) {
  DeviceInfo info = query_attributes(index);
  CUdevice device = 0;
  check(driver().device(&device, index), "cuDeviceGet");
  // Half a millisecond each: the driver asks the GPU.
  info.clock_khz = attribute(device, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  info.memory_clock_khz = attribute(device, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  info.driver_version = Monitor(info.uuid).driver_version();
  if (info.driver_version.empty()) {
    int version = 0;
    check(driver().driver_version(&version), "cuDriverGetVersion");
    info.driver_version = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
  }
  return info;
}

std::string kernel_module_version() {
  // Without streams, whose start takes longer than all else here.
  const UniqueHandle<int, close, -1> file(open("/sys/module/nvidia/version", O_RDONLY | O_CLOEXEC));
  std::array<char, 64> text{};
  const ssize_t length = file ? read(file.get(), text.data(), text.size()) : 0;
  if (length <= 0) return {};
  const std::string_view version(text.data(), static_cast<std::size_t>(length));
  return std::string(version.substr(0, version.find('\n')));
}

std::vector<DeviceInfo> query_devices() {
  std::vector<DeviceInfo> devices;
  const int count = count_devices();
  for (int index = 0; index < count; ++index) devices.push_back(query_device(index));
  return devices;
}

}  // namespace tuner::cuda
