#include "tuner/capture/inject/launch_call.hpp"

#include <cuda.h>

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tuner::capture {
namespace {

template <typename Given>
Launch launch_with(const Given& given) {
  Launch launch;
  launch.shape.grid[0] = given.gridDimX, launch.shape.grid[1] = given.gridDimY, launch.shape.grid[2] = given.gridDimZ;
  launch.shape.block[0] = given.blockDimX, launch.shape.block[1] = given.blockDimY;
  launch.shape.block[2] = given.blockDimZ;
  launch.shape.dynamic_shared = given.sharedMemBytes;
  launch.stream = given.hStream;
  launch.function = given.f;
  launch.parameters = given.kernelParams;
  return launch;
}

Launch launch_ex_with(const cuLaunchKernelEx_params& given) {
  struct : CUlaunchConfig {
    CUfunction f;
    void** kernelParams;
  } flat{*given.config, given.f, given.kernelParams};
  Launch launch = launch_with(flat);
  launch.extra = given.extra;
  for (unsigned i = 0; i < given.config->numAttrs; ++i) {
    const CUlaunchAttribute& attribute = given.config->attrs[i];
    std::int64_t value = 0;
    std::memcpy(&value, &attribute.value, sizeof value);
    launch.attributes.emplace_back(attribute.id, value);
    if (attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) launch.cooperative = attribute.value.cooperative != 0;
    if (attribute.id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
    launch.shape.cluster[0] = attribute.value.clusterDim.x;
    launch.shape.cluster[1] = attribute.value.clusterDim.y;
    launch.shape.cluster[2] = attribute.value.clusterDim.z;
  }
  return launch;
}

}  // namespace

std::optional<Launch> launch_of(DriverEvent event, const CUpti_CallbackData& call) {
  Launch launch;
  switch (event) {
    case DriverEvent::launch: {
      const auto& given = *static_cast<const cuLaunchKernel_params*>(call.functionParams);
      launch = launch_with(given);
      launch.extra = given.extra;
      break;
    }
    case DriverEvent::launch_cooperative:
      launch = launch_with(*static_cast<const cuLaunchCooperativeKernel_params*>(call.functionParams));
      launch.cooperative = true;
      break;
    case DriverEvent::launch_ex:
      launch = launch_ex_with(*static_cast<const cuLaunchKernelEx_params*>(call.functionParams));
      break;
    default:
      return std::nullopt;
  }
  launch.context = call.context;
  // Calls for per-thread streams mean those by the stream 0.
  if (launch.stream == nullptr && std::string_view(call.functionName).ends_with("_ptsz"))
    launch.stream = CU_STREAM_PER_THREAD;
  return launch;
}

}  // namespace tuner::capture
