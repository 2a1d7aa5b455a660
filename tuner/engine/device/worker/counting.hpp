#pragma once

#include <span>
#include <string>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/device/memory/work_stream.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/sampler.hpp"
#include "tuner/engine/device/worker/verdict.hpp"

namespace tuner::engine {

/// Counts what the hardware does in one launch: a launch for each pass, each from the same data and cache. That it is
/// not allowed is in the result, and no failure of the kernel's. Fails like Sampler::sample() otherwise.
Verdict count_launches(LoadedKernel& kernel, std::span<const std::string> metrics, Sampler& sampler, WorkStream& stream,
                       CountResult& result);

}  // namespace tuner::engine
