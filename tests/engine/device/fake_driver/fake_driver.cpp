// A libcuda.so.1 without a GPU: device memory is host memory, a module is a line of text, a launch is a function call,
// and time is a counter. Named by $TUNER_DRIVER, it lets the real worker and lane run anywhere and meet every kind of
// bad kernel.
//
// Modules: "support" has the kernels of support.cu, run on the host. Any other text is a candidate called "kernel" that
// takes (const double* values, double* doubled, int* counts, float* room, int n) and does what the first word says, in
// `time=` nanoseconds; it writes `room=` elements of its scratch, and each launch keeps the host for `wait=` real
// milliseconds. The names are in `behave` below.
//
// $FAKE_DRIVER: "none" (no GPU), "dies" (the process ends in cuInit), "no_context", "mute" (cuInit never returns).

#include <cuda.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <sstream>
#include <string>

#include "tuner/engine/device/support.hpp"

namespace {

struct FakeFunction;

struct FakeModule {
  bool support = false;
  std::string behaviour;
  std::uint64_t time_ns = 100000;
  int registers = 32;
  int room = 1;
  int wait_ms = 0;
  int launches = 0;
  std::map<std::string, FakeFunction> functions;
};

struct FakeFunction {
  FakeModule* module;
  std::string name;
};

struct FakeEvent {
  std::uint64_t time_ns = 0;
  bool after_hang = false;
};

constexpr std::size_t kMemory = std::size_t{1} << 30;

std::uint64_t now_ns = 0;
CUresult dead = CUDA_SUCCESS;  // sticky
bool hung = false;
std::map<CUdeviceptr, std::size_t> allocations;
std::size_t allocated = 0;

std::string mode() {
  const char* text = std::getenv("FAKE_DRIVER");
  return text ? text : "";
}

[[noreturn]] void never_return() {
  while (true) pause();
}

// What a call that waits for the device does while a kernel runs that does not end.
void wait_for_device() {
  if (hung) never_return();
}

template <typename T>
T* pointer(CUdeviceptr address) {
  return reinterpret_cast<T*>(address);
}

// A copy that no argument points to has exactly the size of the data.
void damage_copies(std::size_t bytes) {
  for (const auto& [address, size] : allocations) {
    if (size == bytes) pointer<unsigned char>(address)[0] = 0x55;
  }
}

CUresult behave(FakeModule& module, void** arguments) {
  auto* values = pointer<double>(*static_cast<CUdeviceptr*>(arguments[0]));
  auto* doubled = pointer<double>(*static_cast<CUdeviceptr*>(arguments[1]));
  auto* counts = pointer<std::int32_t>(*static_cast<CUdeviceptr*>(arguments[2]));
  auto* room = pointer<float>(*static_cast<CUdeviceptr*>(arguments[3]));
  const int n = *static_cast<int*>(arguments[4]);
  const std::string& what = module.behaviour;
  const int launch = ++module.launches;
  if (module.wait_ms > 0) usleep(static_cast<useconds_t>(module.wait_ms) * 1000);

  if (what == "refused") return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  if (what == "dies") _exit(3);
  if (what == "killed") raise(SIGKILL);
  if (what == "stuck") never_return();
  if (what == "hangs" || (what == "hangs_later" && launch > 4)) hung = true;
  if (what == "faults" || (what == "faults_later" && launch > 4)) dead = CUDA_ERROR_ILLEGAL_ADDRESS;

  const int written = what == "unwritten" ? n - 1 : what == "sparse" ? n / 2 : n;
  for (int i = 0; i < written; ++i) doubled[i] = 2 * values[i];
  for (int i = 0; i < n; ++i) counts[i] += 1;
  std::fill_n(room, module.room, 1.0f);
  if (what == "wrong") doubled[n - 1] += 1;
  if (what == "wavers" && launch % 2 == 0) doubled[0] = std::nextafter(doubled[0], 1e300);
  if (what == "flaky" && launch % 2 == 0) doubled[0] += 1;
  if (what == "accumulates") doubled[0] += 1e300;
  if (what == "input") values[0] += 1;
  if (what == "past_end") doubled[n] = 1;
  if (what == "before_start") counts[-1] = 7;
  if (what == "far_away") damage_copies(static_cast<std::size_t>(n) * sizeof(double));
  if (what == "miscounts") counts[2] += 1;
  return CUDA_SUCCESS;
}

CUresult fake_error_name(CUresult error, const char** text) {
  *text = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS" : "CUDA_ERROR_OF_FAKE";
  return CUDA_SUCCESS;
}
CUresult fake_error_string(CUresult, const char** text) {
  *text = "as the test wanted";
  return CUDA_SUCCESS;
}

CUresult fake_init(unsigned) {
  if (mode() == "none") return CUDA_ERROR_NO_DEVICE;
  if (mode() == "mute") never_return();
  if (mode() == "dies") {
    std::fputs("the fake driver was told to die\n", stderr);
    raise(SIGKILL);
  }
  return CUDA_SUCCESS;
}
CUresult fake_driver_version(int* version) {
  *version = 13000;
  return CUDA_SUCCESS;
}
CUresult fake_device_count(int* count) {
  *count = 1;
  return CUDA_SUCCESS;
}
CUresult fake_device(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult fake_device_name(char* name, int length, CUdevice) {
  std::snprintf(name, static_cast<std::size_t>(length), "Fake GPU MIG 1g.1gb");
  return CUDA_SUCCESS;
}
CUresult fake_device_uuid(CUuuid* uuid, CUdevice) {
  for (int i = 0; i < 16; ++i) uuid->bytes[i] = static_cast<char>(i * 16 + i);
  return CUDA_SUCCESS;
}
CUresult fake_device_attribute(int* value, CUdevice_attribute attribute, CUdevice) {
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = 9;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = 0;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 132;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = 1 << 20;
      break;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      *value = 2048;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      *value = 32;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      *value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
      *value = 65536;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      *value = 233472;
      break;
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      *value = 1024;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}
CUresult fake_device_memory(std::size_t* bytes, CUdevice) {
  *bytes = kMemory;
  return CUDA_SUCCESS;
}
CUresult fake_retain_context(CUcontext* context, CUdevice) {
  if (mode() == "no_context") return CUDA_ERROR_OUT_OF_MEMORY;
  *context = reinterpret_cast<CUcontext>(&now_ns);
  return CUDA_SUCCESS;
}
CUresult fake_set_context(CUcontext) {
  return CUDA_SUCCESS;
}

CUresult fake_load_module(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  if (dead != CUDA_SUCCESS) return dead;
  std::istringstream text(static_cast<const char*>(image));
  auto* loaded = new FakeModule;
  text >> loaded->behaviour;
  loaded->support = loaded->behaviour == "support";
  for (std::string word; text >> word;) {
    if (word.rfind("time=", 0) == 0) loaded->time_ns = std::stoull(word.substr(5));
    if (word.rfind("room=", 0) == 0) loaded->room = std::stoi(word.substr(5));
    if (word.rfind("wait=", 0) == 0) loaded->wait_ms = std::stoi(word.substr(5));
    if (word.rfind("registers=", 0) == 0) loaded->registers = std::stoi(word.substr(10));
  }
  if (loaded->behaviour == "not_a_binary") {
    delete loaded;
    return CUDA_ERROR_INVALID_IMAGE;
  }
  *module = reinterpret_cast<CUmodule>(loaded);
  return CUDA_SUCCESS;
}
CUresult fake_unload_module(CUmodule module) {
  wait_for_device();
  delete reinterpret_cast<FakeModule*>(module);
  return CUDA_SUCCESS;
}
CUresult fake_module_function(CUfunction* function, CUmodule handle, const char* name) {
  auto* module = reinterpret_cast<FakeModule*>(handle);
  if (!module->support && std::string(name) != "kernel") return CUDA_ERROR_NOT_FOUND;
  const auto [found, inserted] = module->functions.try_emplace(name, FakeFunction{module, name});
  *function = reinterpret_cast<CUfunction>(&found->second);
  return CUDA_SUCCESS;
}
CUresult fake_function_attribute(int* value, CUfunction_attribute attribute, CUfunction function) {
  *value = 0;
  if (attribute == CU_FUNC_ATTRIBUTE_NUM_REGS) *value = reinterpret_cast<FakeFunction*>(function)->module->registers;
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK) *value = 1024;
  if (attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) *value = 16;
  return CUDA_SUCCESS;
}
CUresult fake_set_function_attribute(CUfunction, CUfunction_attribute, int value) {
  return value > 232448 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult fake_max_active_blocks(int* blocks, CUfunction, int threads, std::size_t) {
  *blocks = std::min(2048 / std::max(threads, 1), 32);
  return CUDA_SUCCESS;
}
CUresult fake_launch(CUfunction handle, unsigned, unsigned, unsigned, unsigned x, unsigned y, unsigned z, unsigned,
                     CUstream, void** arguments, void**) {
  if (dead != CUDA_SUCCESS) return dead;
  const auto* function = reinterpret_cast<FakeFunction*>(handle);
  if (function->module->support) {
    now_ns += 2000;
    return tuner::engine::run_support_kernel_on_host(function->name, arguments) ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  }
  if (x * y * z > 1024) return CUDA_ERROR_INVALID_VALUE;
  now_ns += function->module->time_ns;
  return behave(*function->module, arguments);
}

CUresult fake_allocate(CUdeviceptr* address, std::size_t bytes) {
  if (dead != CUDA_SUCCESS) return dead;
  if (allocated + bytes > kMemory) return CUDA_ERROR_OUT_OF_MEMORY;
  void* memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
  *address = reinterpret_cast<CUdeviceptr>(memory);
  allocations[*address] = bytes;
  allocated += bytes;
  return CUDA_SUCCESS;
}
CUresult fake_free(CUdeviceptr address) {
  wait_for_device();
  allocated -= allocations[address];
  allocations.erase(address);
  std::free(pointer<void>(address));
  return CUDA_SUCCESS;
}
CUresult fake_memory_info(std::size_t* free_bytes, std::size_t* all) {
  *free_bytes = kMemory - allocated;
  *all = kMemory;
  return CUDA_SUCCESS;
}
CUresult fake_copy_to_host(void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
  wait_for_device();
  std::memcpy(to, pointer<void>(from), bytes);
  return dead;
}
CUresult fake_copy_on_device(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) {
  std::memcpy(pointer<void>(to), pointer<void>(from), bytes);
  return dead;
}
CUresult fake_set_bytes(CUdeviceptr to, unsigned char value, std::size_t bytes, CUstream) {
  std::memset(pointer<void>(to), value, bytes);
  now_ns += 28000;
  return dead;
}

CUresult fake_create_stream(CUstream* stream, unsigned) {
  *stream = reinterpret_cast<CUstream>(&now_ns);
  return dead;
}
CUresult fake_destroy_stream(CUstream) {
  wait_for_device();
  return CUDA_SUCCESS;
}
CUresult fake_create_event(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new FakeEvent);
  return dead;
}
CUresult fake_destroy_event(CUevent event) {
  delete reinterpret_cast<FakeEvent*>(event);
  return CUDA_SUCCESS;
}
CUresult fake_record_event(CUevent event, CUstream) {
  *reinterpret_cast<FakeEvent*>(event) = {now_ns, hung};
  return dead;
}
CUresult fake_query_event(CUevent event) {
  if (dead != CUDA_SUCCESS) return dead;
  return reinterpret_cast<FakeEvent*>(event)->after_hang ? CUDA_ERROR_NOT_READY : CUDA_SUCCESS;
}
CUresult fake_elapsed_time(float* milliseconds, CUevent start, CUevent stop) {
  *milliseconds =
      static_cast<float>(reinterpret_cast<FakeEvent*>(stop)->time_ns - reinterpret_cast<FakeEvent*>(start)->time_ns) *
      1e-6f;
  return dead;
}

const std::map<std::string, void*>& functions() {
  static const std::map<std::string, void*> table = {
      {"cuGetErrorName", reinterpret_cast<void*>(fake_error_name)},
      {"cuGetErrorString", reinterpret_cast<void*>(fake_error_string)},
      {"cuInit", reinterpret_cast<void*>(fake_init)},
      {"cuDriverGetVersion", reinterpret_cast<void*>(fake_driver_version)},
      {"cuDeviceGetCount", reinterpret_cast<void*>(fake_device_count)},
      {"cuDeviceGet", reinterpret_cast<void*>(fake_device)},
      {"cuDeviceGetName", reinterpret_cast<void*>(fake_device_name)},
      {"cuDeviceGetUuid", reinterpret_cast<void*>(fake_device_uuid)},
      {"cuDeviceGetAttribute", reinterpret_cast<void*>(fake_device_attribute)},
      {"cuDeviceTotalMem", reinterpret_cast<void*>(fake_device_memory)},
      {"cuDevicePrimaryCtxRetain", reinterpret_cast<void*>(fake_retain_context)},
      {"cuCtxSetCurrent", reinterpret_cast<void*>(fake_set_context)},
      {"cuModuleLoadDataEx", reinterpret_cast<void*>(fake_load_module)},
      {"cuModuleUnload", reinterpret_cast<void*>(fake_unload_module)},
      {"cuModuleGetFunction", reinterpret_cast<void*>(fake_module_function)},
      {"cuFuncGetAttribute", reinterpret_cast<void*>(fake_function_attribute)},
      {"cuFuncSetAttribute", reinterpret_cast<void*>(fake_set_function_attribute)},
      {"cuOccupancyMaxActiveBlocksPerMultiprocessor", reinterpret_cast<void*>(fake_max_active_blocks)},
      {"cuLaunchKernel", reinterpret_cast<void*>(fake_launch)},
      {"cuMemAlloc", reinterpret_cast<void*>(fake_allocate)},
      {"cuMemFree", reinterpret_cast<void*>(fake_free)},
      {"cuMemGetInfo", reinterpret_cast<void*>(fake_memory_info)},
      {"cuMemcpyDtoHAsync", reinterpret_cast<void*>(fake_copy_to_host)},
      {"cuMemcpyDtoDAsync", reinterpret_cast<void*>(fake_copy_on_device)},
      {"cuMemsetD8Async", reinterpret_cast<void*>(fake_set_bytes)},
      {"cuStreamCreate", reinterpret_cast<void*>(fake_create_stream)},
      {"cuStreamDestroy", reinterpret_cast<void*>(fake_destroy_stream)},
      {"cuEventCreate", reinterpret_cast<void*>(fake_create_event)},
      {"cuEventDestroy", reinterpret_cast<void*>(fake_destroy_event)},
      {"cuEventRecord", reinterpret_cast<void*>(fake_record_event)},
      {"cuEventQuery", reinterpret_cast<void*>(fake_query_event)},
      {"cuEventElapsedTime", reinterpret_cast<void*>(fake_elapsed_time)},
  };
  return table;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) CUresult cuGetProcAddress_v2(const char* name, void** function, int,
                                                                               cuuint64_t,
                                                                               CUdriverProcAddressQueryResult*) {
  const auto found = functions().find(name);
  *function = found == functions().end() ? nullptr : found->second;
  return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}
