#pragma once

#include <cupti.h>

#include <vector>

#include "tuner/capture/inject/cupti_calls.hpp"

namespace tuner::capture {

/// What a call of the program to the driver means for storing a launch.
enum class DriverEvent : unsigned char {
  none,
  launch,
  launch_ex,
  launch_cooperative,
  allocate,  ///< also from a pool, and managed
  allocate_pitch,
  map,
  free,
  unmap,
  reset,  ///< of a context, with all that was allocated in it
  begin_capture,
  end_capture,
  other,  ///< copies, fills and the like, which wait while a launch is stored
};

/// By the number that CUPTI has for a call. All versions of a call, and those for per-thread streams, mean the same.
std::vector<DriverEvent> driver_events(const CuptiCalls& cupti);

}  // namespace tuner::capture
