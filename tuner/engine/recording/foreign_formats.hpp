#pragma once

#include "tuner/engine/recording/foreign_json.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {

// What each of them fills in is everything but Recording::file, whose name stands for what T4 does not say. All throw
// Error{bad_recording}. docs/recordings.md says what is read of each.

/// What `tune_kernel(..., cache=FILE)` of Kernel Tuner writes, also while it is at work.
void read_kernel_tuner_cache(const JsonNode& root, Recording& recording);
/// What `Tuner::SaveResults` of KTT writes as ktt::OutputFormat::JSON.
void read_ktt_results(const JsonNode& root, Recording& recording);
/// The results file of the auto-tuning community's exchange format T4.
void read_t4_results(const JsonNode& root, Recording& recording);

}  // namespace tuner::engine
