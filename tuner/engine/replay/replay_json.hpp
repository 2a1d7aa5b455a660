#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>

#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/replay/replayed_launch.hpp"

namespace tuner::engine {

/// What running the launch at `position` of a capture again came to, as `tuner replay --json` prints it and the folder
/// keeps it.
nlohmann::ordered_json replayed_json(const capture::StoredLaunch& launch, std::size_t position,
                                     const ReplayedLaunch& replayed);

}  // namespace tuner::engine
