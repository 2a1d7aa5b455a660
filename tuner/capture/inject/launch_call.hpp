#pragma once

#include <cupti.h>

#include <optional>

#include "tuner/capture/inject/driver_events.hpp"
#include "tuner/capture/inject/snapshot.hpp"

namespace tuner::capture {

/// The launch that a call of the driver is, but for its kernel's name; nothing if the call is another.
std::optional<Launch> launch_of(DriverEvent event, const CUpti_CallbackData& call);

}  // namespace tuner::capture
