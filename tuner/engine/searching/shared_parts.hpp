#pragma once

#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"

namespace tuner::engine {

/// What the modules of one session share.
struct SharedParts {
  Candidates& candidates;
  CompileSession& compile;
  DeviceSession& device;
  TrialJournal& journal;
};

}  // namespace tuner::engine
