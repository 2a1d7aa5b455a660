#pragma once

#include <atomic>
#include <string_view>

#include "tuner/process/channel.hpp"

namespace tuner::engine {

/// What `tuner-engine` does: takes jobs from the program and answers them (tuner/engine_protocol/engine_wire.hpp) until
/// the program is gone or `stop` is set. `role`: "compile", "tune", or kHello. Returns the status to exit with. Throws
/// Error{no_worker} for a program of another build, Error{internal} for messages that make no sense.
int serve(std::string_view role, Channel program, const std::atomic<bool>& stop);

}  // namespace tuner::engine
