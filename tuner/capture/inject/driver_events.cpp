#include "tuner/capture/inject/driver_events.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tuner::capture {
namespace {

/// CUDA 13.0 has 806.
constexpr std::size_t kMostCalls = 2000;

/// "cuMemcpyAsync" of "cuMemcpyAsync_v2_ptsz".
std::string_view base_name(std::string_view name) {
  return name.substr(0, name.find('_'));
}

DriverEvent event_of(std::string_view name) {
  if (name == "cuLaunchKernel") return DriverEvent::launch;
  if (name == "cuLaunchKernelEx") return DriverEvent::launch_ex;
  if (name == "cuLaunchCooperativeKernel") return DriverEvent::launch_cooperative;
  if (name == "cuMemAllocPitch") return DriverEvent::allocate_pitch;
  if (name == "cuMemMap") return DriverEvent::map;
  if (name == "cuMemUnmap") return DriverEvent::unmap;
  if (name.starts_with("cuDevicePrimaryCtxReset") || name.starts_with("cuDevicePrimaryCtxRelease") ||
      name == "cuCtxDestroy")
    return DriverEvent::reset;
  if (name == "cuStreamEndCapture") return DriverEvent::end_capture;
  if (name.starts_with("cuStreamBeginCapture")) return DriverEvent::begin_capture;
  if (name.starts_with("cuMemAlloc") && name != "cuMemAllocHost") return DriverEvent::allocate;
  if (name.starts_with("cuMemFree") && name != "cuMemFreeHost") return DriverEvent::free;
  for (const std::string_view beginning :
       {"cuMemcpy", "cuMemset", "cuLaunch", "cuGraphLaunch", "cuModuleUnload", "cuLibraryUnload", "cuMemPrefetch",
        "cuMemAdvise", "cuMemBatch", "cuMemDiscard", "cuStreamWriteValue", "cuStreamBatchMemOp"}) {
    if (name.starts_with(beginning)) return DriverEvent::other;
  }
  return DriverEvent::none;
}

}  // namespace

std::vector<DriverEvent> driver_events(const CuptiCalls& cupti) {
  std::vector<DriverEvent> events(kMostCalls, DriverEvent::none);
  for (std::size_t id = 1; id < events.size(); ++id) {
    const char* name = nullptr;
    const CUptiResult result = cupti.callback_name(CUPTI_CB_DOMAIN_DRIVER_API, static_cast<std::uint32_t>(id), &name);
    if (result == CUPTI_SUCCESS && name != nullptr) events[id] = event_of(base_name(name));
  }
  return events;
}

}  // namespace tuner::capture
