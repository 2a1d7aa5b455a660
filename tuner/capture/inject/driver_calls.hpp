#pragma once

#include <cuda.h>

#include <optional>

namespace tuner::capture {

/// Every function of the driver that is called to store a launch: member, name, version of CUDA whose form of it is
/// asked for.
#define TUNER_CAPTURE_DRIVER(X)                                      \
  X(kernel_function, cuKernelGetFunction, 12000)                     \
  X(function_module, cuFuncGetModule, 11000)                         \
  X(function_attribute, cuFuncGetAttribute, 11000)                   \
  X(module_variable, cuModuleGetGlobal, 11000)                       \
  X(current_context, cuCtxGetCurrent, 11000)                         \
  X(set_context, cuCtxSetCurrent, 11000)                             \
  X(synchronize, cuCtxSynchronize, 11000)                            \
  X(context_limit, cuCtxGetLimit, 11000)                             \
  X(context_device, cuCtxGetDevice, 11000)                           \
  X(copy_to_host, cuMemcpyDtoH, 11000)                               \
  X(pointer_attribute, cuPointerGetAttribute, 11000)                 \
  X(address_range, cuMemGetAddressRange, 11000)                      \
  X(is_capturing, cuStreamIsCapturing, 11000)                        \
  X(exchange_capture_mode, cuThreadExchangeStreamCaptureMode, 11000) \
  X(device_name, cuDeviceGetName, 11000)                             \
  X(device_uuid, cuDeviceGetUuid, 11040)                             \
  X(device_attribute, cuDeviceGetAttribute, 11000)                   \
  X(driver_version, cuDriverGetVersion, 11000)

struct DriverCalls {
#define TUNER_CAPTURE_MEMBER(member, name, version) decltype(&::name) member = nullptr;
  TUNER_CAPTURE_DRIVER(TUNER_CAPTURE_MEMBER)
#undef TUNER_CAPTURE_MEMBER
};

/// Those of the driver that the program has loaded; nothing if it lacks one of them.
std::optional<DriverCalls> find_driver_calls();

}  // namespace tuner::capture
