#pragma once

#include "tuner/driver/driver.hpp"

namespace tuner::engine {

/// This room is about the driver: it calls the driver's functions and owners by their short names.
using namespace cuda;
using cuda::Stream;  // the owner, not the public header's handle

}  // namespace tuner::engine
