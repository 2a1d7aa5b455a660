#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace tuner::bench {

/// What a program uses of the driver that knows nothing of libtuner: member, exported name, version of its ABI. A table
/// of its own, so that what the library has yet to load is not loaded for it.
#define BENCH_DRIVER_FUNCTIONS(X)                     \
  X(init, cuInit, 2000)                               \
  X(error_name, cuGetErrorName, 6000)                 \
  X(device, cuDeviceGet, 2000)                        \
  X(device_attribute, cuDeviceGetAttribute, 2000)     \
  X(retain_context, cuDevicePrimaryCtxRetain, 7000)   \
  X(set_context, cuCtxSetCurrent, 4000)               \
  X(load_module, cuModuleLoadDataEx, 2010)            \
  X(module_function, cuModuleGetFunction, 2000)       \
  X(set_function_attribute, cuFuncSetAttribute, 9000) \
  X(launch, cuLaunchKernel, 4000)                     \
  X(allocate, cuMemAlloc, 3020)                       \
  X(free, cuMemFree, 3020)                            \
  X(set_bytes, cuMemsetD8Async, 3020)                 \
  X(copy_to_host, cuMemcpyDtoHAsync, 3020)            \
  X(create_stream, cuStreamCreate, 2000)              \
  X(create_event, cuEventCreate, 2000)                \
  X(destroy_event, cuEventDestroy, 4000)              \
  X(record_event, cuEventRecord, 2000)                \
  X(query_event, cuEventQuery, 2000)                  \
  X(elapsed_time, cuEventElapsedTime, 2000)

struct BareDriver {
#define BENCH_DRIVER_MEMBER(member, name, version) PFN_##name##_v##version member = nullptr;
  BENCH_DRIVER_FUNCTIONS(BENCH_DRIVER_MEMBER)
#undef BENCH_DRIVER_MEMBER
  PFN_cuGetProcAddress_v12000 find = nullptr;
};

/// The driver's functions. The first call opens libcuda.so.1, or the file that $TUNER_DRIVER names, and calls cuInit.
/// Throws std::runtime_error.
const BareDriver& bare_driver();

/// Throws std::runtime_error, naming the call, unless it succeeded.
void require(CUresult result, std::string_view call);

/// Makes the primary context of the first GPU current.
CUcontext use_primary_context();

CUstream make_stream();
CUevent make_event();
/// Waits, busily, until everything on the stream is done. Throws if a kernel failed.
void drain(CUstream stream);

/// Device memory, every byte of it 0x3f: as floats and as doubles small positive numbers.
class Buffer {
 public:
  explicit Buffer(std::size_t bytes);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&& other) noexcept;

  CUdeviceptr address() const { return address_; }
  std::size_t bytes() const { return bytes_; }
  /// For a kernel's argument.
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(address_);
  }
  void fill(unsigned char byte, CUstream stream) const;
  /// What it holds once everything on the stream is done.
  template <class T>
  std::vector<T> read(CUstream stream) const {
    std::vector<T> values(bytes_ / sizeof(T));
    copy_to(values.data(), stream);
    return values;
  }

 private:
  void copy_to(void* host, CUstream stream) const;

  CUdeviceptr address_ = 0;
  std::size_t bytes_ = 0;
};

/// A binary, its kernel, and how that is launched, without libtuner.
struct BareKernel {
  CUfunction function = nullptr;
  unsigned grid[3]{1, 1, 1}, block[3]{1, 1, 1}, shared_bytes = 0;

  CUresult launch(CUstream stream, void** arguments) const {
    return bare_driver().launch(function, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared_bytes, stream,
                                arguments, nullptr);
  }
};
/// `launch_text` as the database has it: "grid=528x1x1 block=128x1x1 shared=0".
BareKernel load_kernel(std::span<const std::byte> cubin, const char* symbol, const char* launch_text);

}  // namespace tuner::bench
