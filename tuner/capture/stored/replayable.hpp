#pragma once

#include <string>

#include "tuner/capture/stored/snapshot.hpp"

namespace tuner::capture {

/// Why a launch cannot be run again elsewhere, as far as the code of its kernel shows: "uses textures or surfaces".
/// Empty if nothing forbids it.
std::string why_not_replayable(const Snapshot& snapshot);

}  // namespace tuner::capture
