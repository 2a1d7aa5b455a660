#pragma once

#include "tuner/engine/candidates/device_session.hpp"

namespace tuner::engine {

/// Runs a block of a race so many times and answers with the shortest sample of each entrant, as one block: where
/// another program is at work on the GPU, single samples are interrupted now and then. The times run one after the
/// other, each as a request of its own, so that the program has its turn in between. A failure ends the repetition.
DeviceReply run_repeatedly(DeviceSession& device, const RunBlock& block, int times);

}  // namespace tuner::engine
