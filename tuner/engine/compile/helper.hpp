#pragma once

#include "tuner/process/channel.hpp"

namespace tuner::engine {

/// The compile helper: loads NVRTC once, warms it up, precompiles headers, and forks workers that inherit all of it.
/// Runs until the pool at the other end of the channel is gone; takes its workers down with it. Returns the exit
/// status.
int run_compile_helper(Channel pool);

}  // namespace tuner::engine
