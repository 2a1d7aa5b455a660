#pragma once

#include <atomic>

#include "cache/store/binary_store.hpp"
#include "cache/store/store.hpp"
#include "tuner/engine/candidates/session_observer.hpp"
#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// What a session works with. The session owns none of it; everything outlives the call.
struct SessionParts {
  CompileLane& compile;
  DeviceLane& device;
  cache::Store& store;
  cache::BinaryStore* binaries = nullptr;  ///< null: nothing is kept
  Observer& observer;
  const std::atomic<bool>& stop;  ///< set by a signal handler: finish with what was measured
};

}  // namespace tuner::engine
