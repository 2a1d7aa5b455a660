#pragma once

#include "tuner/engine/session/final_race.hpp"

namespace tuner::engine {

/// Has every block of a race run so many times and answers with the shortest sample of each entry, as one block: where
/// another program is at work on the GPU, single samples are interrupted now and then. The times run one after the
/// other, each as a request of its own, so that the program has its turn in between. Other requests pass unchanged, and
/// a failure ends the repetition.
AskDevice repeat_blocks(AskDevice ask, int times);

}  // namespace tuner::engine
