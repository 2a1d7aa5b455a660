#pragma once

#include <vector>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/engine/replay/replay.hpp"

namespace tuner::engine {

/// What parameters and the kernel's name say of each memory.
std::vector<std::vector<ArrayFact>> arrays_of(const capture::StoredLaunch& launch, const capture::MemoryMap& map);

/// Why a launch may do something else each time, by the kernel's code: "it reads the clock". Empty if the code has no
/// such thing.
std::string why_unsteady(const std::filesystem::path& folder, const capture::StoredLaunch& launch);

}  // namespace tuner::engine
