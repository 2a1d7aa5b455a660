#pragma once

#include <cuda.h>
#include <cudaTypedefs.h>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tuner/error.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner::cuda {

/// Every driver function this program calls: member, exported name, type. The type's suffix is the version of the ABI
/// that is asked for, so that a newer driver never hands out a function with another signature. cuda.h maps some of
/// these names to others, so they may only be operands of # and ##, which are not expanded.
#define TUNER_DRIVER_FUNCTIONS(X)                                         \
  X(get_error_name, cuGetErrorName, 6000)                                 \
  X(get_error_string, cuGetErrorString, 6000)                             \
  X(init, cuInit, 2000)                                                   \
  X(driver_version, cuDriverGetVersion, 2020)                             \
  X(device_count, cuDeviceGetCount, 2000)                                 \
  X(device, cuDeviceGet, 2000)                                            \
  X(device_name, cuDeviceGetName, 2000)                                   \
  X(device_uuid, cuDeviceGetUuid, 11040)                                  \
  X(device_attribute, cuDeviceGetAttribute, 2000)                         \
  X(device_memory, cuDeviceTotalMem, 3020)                                \
  X(retain_context, cuDevicePrimaryCtxRetain, 7000)                       \
  X(set_context, cuCtxSetCurrent, 4000)                                   \
  X(load_module, cuModuleLoadDataEx, 2010)                                \
  X(unload_module, cuModuleUnload, 2000)                                  \
  X(module_function, cuModuleGetFunction, 2000)                           \
  X(module_global, cuModuleGetGlobal, 3020)                               \
  X(function_attribute, cuFuncGetAttribute, 2020)                         \
  X(set_function_attribute, cuFuncSetAttribute, 9000)                     \
  X(max_active_blocks, cuOccupancyMaxActiveBlocksPerMultiprocessor, 6050) \
  X(launch, cuLaunchKernel, 4000)                                         \
  X(allocate, cuMemAlloc, 3020)                                           \
  X(free, cuMemFree, 3020)                                                \
  X(memory_info, cuMemGetInfo, 3020)                                      \
  X(copy_to_host, cuMemcpyDtoHAsync, 3020)                                \
  X(copy_to_device, cuMemcpyHtoDAsync, 3020)                              \
  X(copy_on_device, cuMemcpyDtoDAsync, 3020)                              \
  X(set_bytes, cuMemsetD8Async, 3020)                                     \
  X(create_stream, cuStreamCreate, 2000)                                  \
  X(destroy_stream, cuStreamDestroy, 4000)                                \
  X(create_event, cuEventCreate, 2000)                                    \
  X(destroy_event, cuEventDestroy, 4000)                                  \
  X(record_event, cuEventRecord, 2000)                                    \
  X(query_event, cuEventQuery, 2000)                                      \
  X(elapsed_time, cuEventElapsedTime, 2000)

/// Functions that the program can do without: null where the driver lacks them. Memory at addresses of one's choice,
/// and launches as other programs make them.
#define TUNER_OPTIONAL_DRIVER_FUNCTIONS(X)                        \
  X(allocation_granularity, cuMemGetAllocationGranularity, 10020) \
  X(reserve_addresses, cuMemAddressReserve, 10020)                \
  X(free_addresses, cuMemAddressFree, 10020)                      \
  X(create_memory, cuMemCreate, 10020)                            \
  X(release_memory, cuMemRelease, 10020)                          \
  X(map_memory, cuMemMap, 10020)                                  \
  X(unmap_memory, cuMemUnmap, 10020)                              \
  X(set_access, cuMemSetAccess, 10020)                            \
  X(launch_with, cuLaunchKernelEx, 11060)                         \
  X(set_context_limit, cuCtxSetLimit, 3010)

/// What a program needs that launches in contexts which are not its own. All of it is there since CUDA 12.0; null where
/// a driver lacks it.
#define TUNER_APPLICATION_DRIVER_FUNCTIONS(X)                \
  X(release_context, cuDevicePrimaryCtxRelease, 11000)       \
  X(primary_context_state, cuDevicePrimaryCtxGetState, 7000) \
  X(current_context, cuCtxGetCurrent, 4000)                  \
  X(push_context, cuCtxPushCurrent, 4000)                    \
  X(pop_context, cuCtxPopCurrent, 4000)                      \
  X(context_device, cuCtxGetDevice, 2000)                    \
  X(context_id, cuCtxGetId, 12000)                           \
  X(stream_id, cuStreamGetId, 12000)                         \
  X(wait_for_stream, cuStreamSynchronize, 2000)              \
  X(wait_for_context, cuCtxSynchronize, 2000)                \
  X(allocate_in_order, cuMemAllocAsync, 11020)               \
  X(free_in_order, cuMemFreeAsync, 11020)                    \
  X(is_capturing, cuStreamIsCapturing, 10000)                \
  X(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, 10010)

struct Driver {
#define TUNER_DRIVER_MEMBER(member, name, version) PFN_##name##_v##version member = nullptr;
  TUNER_DRIVER_FUNCTIONS(TUNER_DRIVER_MEMBER)
  TUNER_OPTIONAL_DRIVER_FUNCTIONS(TUNER_DRIVER_MEMBER)
  TUNER_APPLICATION_DRIVER_FUNCTIONS(TUNER_DRIVER_MEMBER)
#undef TUNER_DRIVER_MEMBER
};

/// The driver's functions. Opens libcuda.so.1 (or the file named by $TUNER_DRIVER) and calls cuInit at the first call,
/// which takes a tenth of a second. Throws Error{no_driver} with what is missing; tries again at the next call.
const Driver& driver();

/// A driver call that failed. As an Error it is `device_lost`; whoever knows what was being done turns it into an
/// Outcome.
class CallFailed : public Error {
 public:
  CallFailed(CUresult result, std::string_view call);
  CUresult result() const noexcept { return result_; }

 private:
  CUresult result_;
};

/// Throws CallFailed, naming the call, unless the result is success.
void check(CUresult result, std::string_view call);

/// "CUDA_ERROR_ILLEGAL_ADDRESS (700: an illegal memory access was encountered)". Callable once the driver is loaded.
std::string error_text(CUresult result);

/// Whether the error has killed the context, or says that the device is gone: every later call in this process fails
/// too.
bool is_sticky(CUresult result);

/// Whether only what a kernel does can have caused the error. Others that end a context may be the GPU's: a memory cell
/// or a link that fails, or a driver that loses its device.
bool is_a_kernels_doing(CUresult result);

/// From now on owners release nothing, because the process is about to end: after a fault every call fails, and while a
/// kernel runs that does not end, releasing would wait for it.
void abandon_device() noexcept;
bool device_abandoned() noexcept;

// Owners. Releasing ignores errors.
void unload_module(CUmodule module) noexcept;
void destroy_event(CUevent event) noexcept;
void destroy_stream(CUstream stream) noexcept;
void free_memory(CUdeviceptr memory) noexcept;
using Module = UniqueHandle<CUmodule, unload_module>;
using Event = UniqueHandle<CUevent, destroy_event>;
using Stream = UniqueHandle<CUstream, destroy_stream>;
using DeviceMemory = UniqueHandle<CUdeviceptr, free_memory>;

Event make_event();
Stream make_stream();
DeviceMemory allocate(std::size_t bytes);
/// A cubin, or PTX, which is translated for blocks of so many threads; 0 leaves that to the module.
Module load_module(std::span<const std::byte> image, unsigned threads = 0);

}  // namespace tuner::cuda
