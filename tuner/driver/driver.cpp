#include "tuner/driver/driver.hpp"
#include "tuner/ground/file_variable.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <mutex>
#include <vector>

namespace tuner::cuda {
namespace {

Driver table;
bool loaded = false;
bool abandoned = false;

std::string last_dl_error() {
  const char* text = dlerror();
  return text ? text : "no reason given";
}

[[noreturn]] void fail_to_open(const std::string& file, bool named_by_user) {
  const std::string reason = last_dl_error();
  if (named_by_user) {
    throw Error(Errc::no_driver,
                fmt::format("The driver library '{}', named by TUNER_DRIVER, cannot be opened: {}; correct or "
                            "unset TUNER_DRIVER.",
                            file, reason));
  }
  std::error_code ignored;
  if (std::filesystem::exists("/proc/driver/nvidia/version", ignored)) {
    throw Error(Errc::no_driver,
                fmt::format("The NVIDIA kernel module is loaded, but its library {} cannot be opened: {}; in a "
                            "container, start it with GPU support (docker run --gpus all), else check that the "
                            "driver's libraries are installed and in the linker's search path.",
                            file, reason));
  }
  throw Error(Errc::no_driver, fmt::format("No NVIDIA driver was found on this machine: {} cannot be opened ({}); "
                                           "launching kernels needs a GPU and its driver.",
                                           file, reason));
}

std::string advice(CUresult result) {
  switch (static_cast<int>(result)) {
    case CUDA_ERROR_STUB_LIBRARY:
      return "it is the toolkit's stub, not a driver; remove the stubs folder from LD_LIBRARY_PATH";
    case CUDA_ERROR_NO_DEVICE:
      return "it finds no GPU; check CUDA_VISIBLE_DEVICES, `nvidia-smi -L` and whether the container was given a GPU";
    case 35:  // the runtime's "insufficient driver"
    case CUDA_ERROR_NOT_INITIALIZED:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
      return "library and kernel module have different versions; check `nvidia-smi` and reboot after a driver update";
    default:
      return "check that `nvidia-smi` runs";
  }
}

void initialise() {
  const char* const named = file_variable("TUNER_DRIVER");
  const bool named_by_user = named != nullptr;
  const std::string file = named_by_user ? named : "libcuda.so.1";
  // Never closed: handles and static destructors may still refer to it.
  void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) fail_to_open(file, named_by_user);
  const auto find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (!find) {
    throw Error(Errc::no_driver,
                fmt::format("The driver library {} is older than CUDA 12 (it has no cuGetProcAddress_v2); install "
                            "driver 525 or later.",
                            file));
  }
  const auto look_for = [&](const char* name, int version) -> void* {
    void* function = nullptr;
    CUdriverProcAddressQueryResult status{};
    return find(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status) == CUDA_SUCCESS ? function : nullptr;
  };
  const auto resolve = [&](const char* name, int version) {
    void* function = look_for(name, version);
    if (!function) {
      throw Error(Errc::no_driver,
                  fmt::format("The driver library {} has no function {} of CUDA {}.{}; install driver 525 or later.",
                              file, name, version / 1000, version % 1000 / 10));
    }
    return function;
  };
#define TUNER_DRIVER_RESOLVE(member, name, version) \
  table.member = reinterpret_cast<PFN_##name##_v##version>(resolve(#name, version));
  TUNER_DRIVER_FUNCTIONS(TUNER_DRIVER_RESOLVE)
#undef TUNER_DRIVER_RESOLVE
#define TUNER_DRIVER_LOOK_FOR(member, name, version) \
  table.member = reinterpret_cast<PFN_##name##_v##version>(look_for(#name, version));
  TUNER_OPTIONAL_DRIVER_FUNCTIONS(TUNER_DRIVER_LOOK_FOR)
  TUNER_APPLICATION_DRIVER_FUNCTIONS(TUNER_DRIVER_LOOK_FOR)
#undef TUNER_DRIVER_LOOK_FOR

  if (const CUresult result = table.init(0); result != CUDA_SUCCESS) {
    throw Error(Errc::no_driver,
                fmt::format("The driver library {} does not start: {}: {}.", file, error_text(result), advice(result)));
  }
}

}  // namespace

const Driver& driver() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (!loaded) {
    initialise();
    loaded = true;
  }
  return table;
}

CallFailed::CallFailed(CUresult result, std::string_view call)
    : Error(Errc::device_lost, fmt::format("{} returned {}.", call, error_text(result))), result_(result) {}

void check(CUresult result, std::string_view call) {
  if (result == CUDA_SUCCESS) return;
  if (is_sticky(result)) abandon_device();
  throw CallFailed(result, call);
}

std::string error_text(CUresult result) {
  const char* name = nullptr;
  const char* words = nullptr;
  if (!table.get_error_name || table.get_error_name(result, &name) != CUDA_SUCCESS || !name) name = "CUDA error";
  if (!table.get_error_string || table.get_error_string(result, &words) != CUDA_SUCCESS || !words)
    words = "no description";
  return fmt::format("{} ({}: {})", name, static_cast<int>(result), words);
}

bool is_sticky(CUresult result) {
  switch (static_cast<int>(result)) {
    case 46:   // device unavailable
    case 214:  // uncorrectable ECC error
    case 220:  // uncorrectable NVLink error
    case 226:  // contained error
    case 709:  // context is destroyed
    case 802:  // system not ready
    case 999:  // unknown
      return true;
    default:
      return is_a_kernels_doing(result);
  }
}

bool is_a_kernels_doing(CUresult result) {
  switch (static_cast<int>(result)) {
    case 700:  // illegal address
    case 702:  // launch timeout
    case 710:  // assert
    case 714:  // hardware stack error
    case 715:  // illegal instruction
    case 716:  // misaligned address
    case 717:  // invalid address space
    case 718:  // invalid program counter
    case 719:  // launch failed
    case 721:  // tensor memory leak
      return true;
    default:
      return false;
  }
}

void abandon_device() noexcept {
  abandoned = true;
}
bool device_abandoned() noexcept {
  return abandoned;
}

void unload_module(CUmodule module) noexcept {
  if (!abandoned) table.unload_module(module);
}
void destroy_event(CUevent event) noexcept {
  if (!abandoned) table.destroy_event(event);
}
void destroy_stream(CUstream stream) noexcept {
  if (!abandoned) table.destroy_stream(stream);
}
void free_memory(CUdeviceptr memory) noexcept {
  if (!abandoned) table.free(memory);
}

Event make_event() {
  CUevent event = nullptr;
  check(driver().create_event(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  return Event(event);
}

Stream make_stream() {
  CUstream stream = nullptr;
  check(driver().create_stream(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return Stream(stream);
}

DeviceMemory allocate(std::size_t bytes) {
  CUdeviceptr memory = 0;
  check(driver().allocate(&memory, bytes), "cuMemAlloc");
  return DeviceMemory(memory);
}

Module load_module(std::span<const std::byte> image, unsigned threads) {
  // PTX must end with a zero byte; a cubin does not mind one.
  std::vector<std::byte> terminated(image.begin(), image.end());
  terminated.push_back(std::byte{0});
  CUmodule module = nullptr;
  CUjit_option option = CU_JIT_THREADS_PER_BLOCK;
  void* value = reinterpret_cast<void*>(static_cast<std::uintptr_t>(threads));
  check(driver().load_module(&module, terminated.data(), threads > 0 ? 1 : 0, &option, &value), "cuModuleLoadDataEx");
  return Module(module);
}

}  // namespace tuner::cuda
