#include "tuner/capture/inject/driver_events.hpp"

#include <string_view>

namespace tuner::capture {
namespace {

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
  if (name == "cuStreamEndCapture") return DriverEvent::end_capture;
  if (name.starts_with("cuStreamBeginCapture")) return DriverEvent::begin_capture;
  if (name.starts_with("cuMemAlloc") && name != "cuMemAllocHost") return DriverEvent::allocate;
  if (name.starts_with("cuMemFree") && name != "cuMemFreeHost") return DriverEvent::free;
  for (const std::string_view beginning : {"cuMemcpy", "cuMemset", "cuLaunch", "cuGraphLaunch", "cuModuleUnload",
                                           "cuLibraryUnload", "cuMemPrefetch", "cuMemAdvise", "cuCtxDestroy"}) {
    if (name.starts_with(beginning)) return DriverEvent::other;
  }
  return DriverEvent::none;
}

}  // namespace

std::vector<DriverEvent> driver_events(const CuptiCalls& cupti) {
  std::vector<DriverEvent> events{DriverEvent::none};  // numbers begin with 1
  const char* name = nullptr;
  while (cupti.callback_name(CUPTI_CB_DOMAIN_DRIVER_API, static_cast<std::uint32_t>(events.size()), &name) ==
             CUPTI_SUCCESS &&
         name != nullptr)
    events.push_back(event_of(base_name(name)));
  return events;
}

}  // namespace tuner::capture
