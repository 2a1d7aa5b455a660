#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/resource_facts.hpp"
#include "cache/records/run.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::cache {

/// One finished configuration, successful or not. Append-only.
struct Trial : Run {
  std::int64_t sequence = 0;  ///< position in its run, from 0
  std::string configuration;  ///< canonical text
  Outcome outcome = Outcome::ok;
  std::string message;             ///< why, for failures; empty when ok
  bool censored = false;           ///< stopped early: time_ns is a lower bound
  std::optional<double> time_ns;   ///< median of samples_ns
  std::vector<double> samples_ns;  ///< raw, in the order taken
  ResourceFacts facts;
  std::string launch;        ///< "grid=528x1x1 block=128x1x1 shared=0"
  std::string duplicate_of;  ///< configuration whose identical binary and geometry was timed instead; empty if none
  std::string gpu;           ///< UUID of the GPU that ran it; empty: none did, or unknown
  double compile_ms = 0;
  double verify_ms = 0;
  double timing_ms = 0;
  /// What a result costs the session, where this trial was the one that settled it: searches that go on from here spend
  /// their time by it.
  std::optional<double> result_cost_ms;
  std::int64_t created_unix_ms = 0;  ///< set by the store when 0
};

/// Table `trial`, behind its run: what belongs to the trial alone.
template <class Fields, MaybeConst<Trial> Some>
void describe_columns(Fields& fields, Some& trial) {
  fields("sequence", trial.sequence);
  fields("configuration", trial.configuration);
  fields("outcome", trial.outcome);
  fields("message", trial.message);
  fields("censored", trial.censored);
  fields("time_ns", trial.time_ns);
  fields("samples_ns", trial.samples_ns);
  describe(fields, trial.facts);
  fields("launch", trial.launch);
  fields("duplicate_of", trial.duplicate_of);
  fields("gpu", trial.gpu);
  fields("compile_ms", trial.compile_ms);
  fields("verify_ms", trial.verify_ms);
  fields("timing_ms", trial.timing_ms);
  fields("created_unix_ms", trial.created_unix_ms);
  fields("result_cost_ms", trial.result_cost_ms);
}

/// All of it.
template <class Fields, MaybeConst<Trial> Some>
void describe(Fields& fields, Some& trial) {
  describe(fields, trial.key);
  describe_run(fields, trial);
  describe_columns(fields, trial);
}

}  // namespace tuner::cache
