#include "tuner/driver/nvml.hpp"
#include "tuner/ground/file_variable.hpp"

#include <dlfcn.h>

#include <array>

namespace tuner::cuda {
namespace {

// The few declarations of NVML's stable interface that are used here; its header is not part of every toolkit.
using NvmlDevice = struct NvmlDeviceTag*;
constexpr int kSuccess = 0;
constexpr int kClockSm = 1;
constexpr unsigned long long kHardwareSlowdown = 0x8 | 0x40 | 0x80;  // slowdown, thermal slowdown, power brake
constexpr unsigned long long kSoftwareThermal = 0x20;

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_memory;
  unsigned gpu_instance;
  unsigned compute_instance;
};

struct Functions {
  int (*init)() = nullptr;
  int (*driver_version)(char*, unsigned) = nullptr;
  int (*handle_by_uuid)(const char*, NvmlDevice*) = nullptr;
  int (*clock_info)(NvmlDevice, int, unsigned*) = nullptr;
  int (*throttle_reasons)(NvmlDevice, unsigned long long*) = nullptr;
  int (*compute_processes)(NvmlDevice, unsigned*, ProcessInfo*) = nullptr;
  bool ready = false;
};

Functions load() {
  const char* const named = file_variable("TUNER_NVML");
  Functions functions;
  // Never closed, and never shut down: it lives as long as the process, which does nothing else.
  void* library = dlopen(named != nullptr ? named : "libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return functions;
  const auto find = [library](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(functions.init, "nvmlInit_v2");
  find(functions.driver_version, "nvmlSystemGetDriverVersion");
  find(functions.handle_by_uuid, "nvmlDeviceGetHandleByUUID");
  find(functions.clock_info, "nvmlDeviceGetClockInfo");
  find(functions.throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find(functions.compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3");
  functions.ready = functions.init && functions.init() == kSuccess;
  return functions;
}

const Functions& functions() {
  static const Functions found = load();
  return found;
}

}  // namespace

Monitor::Monitor(const std::string& uuid) : ready_(functions().ready) {
  if (!ready_ || !functions().handle_by_uuid) return;
  if (functions().handle_by_uuid(uuid.c_str(), &device_) != kSuccess) device_ = nullptr;
}

std::string Monitor::driver_version() const {
  std::array<char, 96> text{};
  if (!ready_ || !functions().driver_version) return {};
  if (functions().driver_version(text.data(), static_cast<unsigned>(text.size())) != kSuccess) return {};
  return text.data();
}

std::optional<unsigned> Monitor::sm_clock_mhz() const {
  unsigned mhz = 0;
  if (!device_ || !functions().clock_info) return std::nullopt;
  if (functions().clock_info(device_, kClockSm, &mhz) != kSuccess || mhz == 0) return std::nullopt;
  return mhz;
}

bool Monitor::slowed_down() const {
  unsigned long long reasons = 0;
  if (!device_ || !functions().throttle_reasons) return false;
  if (functions().throttle_reasons(device_, &reasons) != kSuccess) return false;
  return (reasons & (kHardwareSlowdown | kSoftwareThermal)) != 0;
}

std::vector<unsigned> Monitor::processes() const {
  std::vector<unsigned> numbers;
  if (!device_ || !functions().compute_processes) return numbers;
  std::array<ProcessInfo, 64> processes{};
  unsigned count = static_cast<unsigned>(processes.size());
  if (functions().compute_processes(device_, &count, processes.data()) != kSuccess) return numbers;
  for (unsigned i = 0; i < count; ++i) numbers.push_back(processes[i].pid);
  return numbers;
}

}  // namespace tuner::cuda
