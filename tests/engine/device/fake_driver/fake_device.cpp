// Starting, errors, how many GPUs there are, and of what kind.
#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>

#include "tests/engine/device/fake_driver/fake_driver.hpp"
#include "tests/engine/device/fake_driver/fake_settings.hpp"

namespace fake {

Device device;

void never_return() {
  while (true) pause();
}

void wait_for_device() {
  if (device.hung) never_return();
}

namespace {

bool is_other(CUdevice which) {
  return number("other_device") == static_cast<std::uint64_t>(visible_gpus().at(static_cast<std::size_t>(which)));
}

void error_name(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_FAKE";
}
void error_string(CUresult, const char** text) {
  *text = "as the test wanted";
}

/// As drivers do: once, where a program initialises them. No lock is held, because the library may call the driver.
void load_injected_library() {
  static const bool loaded = [] {
    const char* const file = std::getenv("CUDA_INJECTION64_PATH");
    void* const library = file != nullptr ? dlopen(file, RTLD_NOW) : nullptr;
    void* const function = library != nullptr ? dlsym(library, "InitializeInjection") : nullptr;
    return function != nullptr && reinterpret_cast<int (*)()>(function)() != 0;
  }();
  static_cast<void>(loaded);
}

CUresult init(unsigned) {
  if (told("none") || visible_gpus().empty()) return CUDA_ERROR_NO_DEVICE;
  if (told("mute")) never_return();
  if (told("dies")) {
    std::fputs("the fake driver was told to die\n", stderr);
    raise(SIGKILL);
  }
  load_injected_library();
  return CUDA_SUCCESS;
}
void driver_version(int* version) {
  *version = 13000;
}
void device_count(int* count) {
  *count = static_cast<int>(visible_gpus().size());
}
void device_handle(CUdevice* handle, int index) {
  *handle = index;
}
void device_name(char* name, int length, CUdevice which) {
  std::snprintf(name, static_cast<std::size_t>(length), "%s",
                is_other(which) ? "Other fake GPU" : "Fake GPU MIG 1g.1gb");
}
void device_uuid(CUuuid* uuid, CUdevice which) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(i * 16 + i);
  if (const char* gpu = std::getenv("FAKE_DRIVER_GPU")) {
    const std::size_t hash = std::hash<std::string_view>()(gpu);
    std::memcpy(uuid->bytes, &hash, sizeof hash);
  }
  uuid->bytes[15] = static_cast<char>(uuid->bytes[15] + visible_gpus().at(static_cast<std::size_t>(which)));
}
CUresult device_attribute(int* value, CUdevice_attribute attribute, CUdevice which) {
  static const std::map<CUdevice_attribute, int> attributes = {
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 9},
      {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
      {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
      {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1 << 20},
      {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3'125'000},
      {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 6144},
      {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
      {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
      {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 233472},
      {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
      {CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 1},
  };
  if (attribute == CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED) {
    *value = wishes.pools ? 1 : 0;
    return CUDA_SUCCESS;
  }
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) return CUDA_ERROR_INVALID_VALUE;
  *value = found->second;
  if (is_other(which) && attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) *value = 66;
  return CUDA_SUCCESS;
}
void device_memory(std::size_t* bytes, CUdevice) {
  *bytes = number("memory").value_or(kMemory);
}

}  // namespace

Functions device_functions() {
  return {
      {"cuGetErrorName", entry<error_name>()},
      {"cuGetErrorString", entry<error_string>()},
      {"cuInit", unlocked_entry<init>()},
      {"cuDriverGetVersion", entry<driver_version>()},
      {"cuDeviceGetCount", entry<device_count>()},
      {"cuDeviceGet", entry<device_handle>()},
      {"cuDeviceGetName", entry<device_name>()},
      {"cuDeviceGetUuid", entry<device_uuid>()},
      {"cuDeviceGetAttribute", entry<device_attribute>()},
      {"cuDeviceTotalMem", entry<device_memory>()},
  };
}

}  // namespace fake
