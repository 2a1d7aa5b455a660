#pragma once

#include <unistd.h>

#include "tuner/ground/unique_handle.hpp"

namespace tuner::engine {

/// Whether the open file, read from where it stands, begins as what `read_recording` accepts does, packed or not.
bool begins_as_recording(UniqueHandle<int, close, -1> descriptor);

}  // namespace tuner::engine
