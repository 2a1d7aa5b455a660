#pragma once

#include <string>

#include "tuner/capture/inject/cupti_calls.hpp"
#include "tuner/capture/inject/parent.hpp"
#include "tuner/capture/inject/wanted_launches.hpp"

namespace tuner::capture {

/// Begins to look for the wanted launches, to store them and to send them; a sentence if that cannot be.
std::string watch_launches(const Parent& parent, const CuptiCalls& cupti, const WantedLaunches& wanted);

}  // namespace tuner::capture
