#include "bench/runtime/bare_driver.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

namespace tuner::bench {

namespace {

BareDriver open_driver() {
  const char* named = std::getenv("TUNER_DRIVER");
  void* library = dlopen(named != nullptr && *named != '\0' ? named : "libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(std::string("no driver: ") + dlerror());
  BareDriver table;
  table.find = reinterpret_cast<PFN_cuGetProcAddress_v12000>(dlsym(library, "cuGetProcAddress_v2"));
  if (table.find == nullptr) throw std::runtime_error("the driver is older than CUDA 12");
  CUdriverProcAddressQueryResult status{};
  void* function = nullptr;
#define BENCH_DRIVER_RESOLVE(member, name, version)                                       \
  function = nullptr;                                                                     \
  table.find(#name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &status);            \
  if (function == nullptr) throw std::runtime_error("the driver has no function " #name); \
  table.member = reinterpret_cast<PFN_##name##_v##version>(function);
  BENCH_DRIVER_FUNCTIONS(BENCH_DRIVER_RESOLVE)
#undef BENCH_DRIVER_RESOLVE
  if (table.init(0) != CUDA_SUCCESS) throw std::runtime_error("the driver finds no GPU that it can use");
  return table;
}

}  // namespace

const BareDriver& bare_driver() {
  static const BareDriver table = open_driver();
  return table;
}

void require(CUresult result, std::string_view call) {
  if (result == CUDA_SUCCESS) return;
  const char* name = nullptr;
  bare_driver().error_name(result, &name);
  throw std::runtime_error(std::string(call) + " returned " + std::to_string(static_cast<int>(result)) + " (" +
                           (name != nullptr ? name : "unknown") + ")");
}

CUcontext use_primary_context() {
  const BareDriver& driver = bare_driver();
  CUdevice device = 0;
  CUcontext context = nullptr;
  require(driver.device(&device, 0), "cuDeviceGet");
  require(driver.retain_context(&context, device), "cuDevicePrimaryCtxRetain");
  require(driver.set_context(context), "cuCtxSetCurrent");
  return context;
}

CUstream make_stream() {
  CUstream stream = nullptr;
  require(bare_driver().create_stream(&stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  return stream;
}

CUevent make_event() {
  CUevent event = nullptr;
  require(bare_driver().create_event(&event, CU_EVENT_DEFAULT), "cuEventCreate");
  return event;
}

void drain(CUstream stream) {
  const CUevent done = make_event();
  CUresult result = bare_driver().record_event(done, stream);
  if (result == CUDA_SUCCESS) result = CUDA_ERROR_NOT_READY;
  while (result == CUDA_ERROR_NOT_READY) result = bare_driver().query_event(done);
  bare_driver().destroy_event(done);
  require(result, "waiting for a stream");
}

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  require(bare_driver().allocate(&address_, bytes), "cuMemAlloc");
  fill(0x3f, nullptr);
  drain(nullptr);
}

Buffer::~Buffer() {
  if (address_ != 0) bare_driver().free(address_);
}

Buffer::Buffer(Buffer&& other) noexcept : address_(std::exchange(other.address_, 0)), bytes_(other.bytes_) {}

void Buffer::fill(unsigned char byte, CUstream stream) const {
  require(bare_driver().set_bytes(address_, byte, bytes_, stream), "cuMemsetD8Async");
}

void Buffer::copy_to(void* host, CUstream stream) const {
  require(bare_driver().copy_to_host(host, address_, bytes_, stream), "cuMemcpyDtoHAsync");
  drain(stream);
}

BareKernel load_kernel(std::span<const std::byte> cubin, const char* symbol, const char* launch_text) {
  const BareDriver& driver = bare_driver();
  BareKernel kernel;
  if (std::sscanf(launch_text, "grid=%ux%ux%u block=%ux%ux%u shared=%u", &kernel.grid[0], &kernel.grid[1],
                  &kernel.grid[2], &kernel.block[0], &kernel.block[1], &kernel.block[2], &kernel.shared_bytes) != 7)
    throw std::runtime_error(std::string("not a launch: ") + launch_text);
  CUmodule module = nullptr;
  require(driver.load_module(&module, cubin.data(), 0, nullptr, nullptr), "cuModuleLoadDataEx");
  require(driver.module_function(&kernel.function, module, symbol), "cuModuleGetFunction");
  if (kernel.shared_bytes > 48 * 1024) {
    require(driver.set_function_attribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(kernel.shared_bytes)),
            "cuFuncSetAttribute");
  }
  return kernel;
}

}  // namespace tuner::bench
