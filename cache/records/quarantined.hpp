#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cache/records/key.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::cache {

/// A binary that killed its process or hung the device, and did so again when it was tried alone: not to be launched on
/// this problem, kind of device and driver again.
struct Quarantined {
  DecisionKey key;
  Hash binary_hash;           ///< of the cubin
  std::string launch;         ///< as in Trial, the lengths of scratch buffers included
  std::string driver;         ///< driver version
  std::string configuration;  ///< whose binary it is; others may have the same
  Outcome outcome = Outcome::illegal_access;
  std::string message;  ///< what it did
  /// For a hang: how long its launch was given. A caller that gives it longer may try.
  std::optional<std::int64_t> launch_timeout_ms;
  std::string session;
  std::int64_t created_unix_ms = 0;  ///< set by the store when 0
};

/// Table `quarantine`, behind its task.
template <class Fields, MaybeConst<Quarantined> Some>
void describe_columns(Fields& fields, Some& quarantined) {
  fields("binary_hash", quarantined.binary_hash);
  fields("launch", quarantined.launch);
  fields("driver", quarantined.driver);
  fields("configuration", quarantined.configuration);
  fields("outcome", quarantined.outcome);
  fields("message", quarantined.message);
  fields("launch_timeout_ms", quarantined.launch_timeout_ms);
  fields("session", quarantined.session);
  fields("created_unix_ms", quarantined.created_unix_ms);
}

/// All of it.
template <class Fields, MaybeConst<Quarantined> Some>
void describe(Fields& fields, Some& quarantined) {
  describe(fields, quarantined.key);
  describe_columns(fields, quarantined);
}

}  // namespace tuner::cache
