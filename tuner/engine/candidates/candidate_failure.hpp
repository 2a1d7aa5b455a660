#pragma once

#include <string>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/measure/entry_id.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::engine {

/// What a candidate did wrong on the device.
struct CandidateFailure {
  Outcome outcome = Outcome::worker_lost;
  std::string message;     ///< one sentence
  bool confirmed = false;  ///< it failed again in a worker that had run nothing else
  bool by_layout = false;  ///< of the buffers: it might not fail with another description of them
};

/// Of one that ran, and failed when it was run again.
struct LateFailure {
  EntryId entry;
  CandidateFailure failure;
};

inline CandidateFailure failure_of(const DeviceReply& reply) {
  return {reply.outcome, reply.message, reply.confirmed, !reply.fence_fault.empty() || reply.misaligned};
}

}  // namespace tuner::engine
