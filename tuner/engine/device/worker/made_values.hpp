#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/engine/device/worker/buffers.hpp"

namespace tuner::engine {

/// Fills in the bytes of the arguments that are values, which the module of `cubin` (value_source.hpp) makes on the
/// device. Not ok, with the reason, if a number does not fit its member. Throws CallFailed.
Verdict make_values(std::span<const std::byte> cubin, std::vector<ArgumentState>& arguments, WorkStream& stream);

}  // namespace tuner::engine
