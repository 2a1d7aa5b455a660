#pragma once

#include "tuner/fleet/queue/address.hpp"

namespace tuner::cli {

class Arguments;

/// Where --queue, or else $TUNER_QUEUE, says that the queue is. Throws Error{bad_usage}.
fleet::Address queue_address(const Arguments& arguments);

}  // namespace tuner::cli
