#pragma once

#include <string>

#include "tuner/capture/inject/cupti_calls.hpp"
#include "tuner/capture/inject/parent.hpp"

namespace tuner::capture {

/// Begins to add up what CUPTI says of the program's kernels and to send that; a sentence if that cannot be.
std::string watch_profile(const Parent& parent, const CuptiCalls& cupti);

}  // namespace tuner::capture
