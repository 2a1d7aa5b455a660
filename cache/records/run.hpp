#pragma once

#include <array>
#include <string>
#include <string_view>

#include "cache/records/key.hpp"

namespace tuner::cache {

/// Where a row came from. Persisted as numbers: never renumber.
enum class Origin : int {
  measured = 0,  ///< on the device named in the key, by this program
  imported = 1,  ///< measured by this program elsewhere and imported
  replay = 2,    ///< replayed from a recording: kept in a database of its own and never served
};
constexpr std::string_view to_string(Origin origin) {
  constexpr std::array<std::string_view, 3> kNames{"measured", "imported", "replay"};
  const auto number = static_cast<std::size_t>(origin);
  return number < kNames.size() ? kNames[number] : "unknown";
}
constexpr bool is_known(Origin origin) {
  return to_string(origin) != "unknown";
}

/// Versions and settings under which a row was made; a change makes a decision stale, never invalid.
struct Conditions {
  std::string tuner_version;
  std::string toolkit;  ///< NVRTC version, "13.0.88"; empty if nothing was compiled
  std::string driver;   ///< driver version, "580.159"; empty if there was none
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

template <class Fields, MaybeConst<Conditions> Some>
void describe(Fields& fields, Some& conditions) {
  fields("tuner_version", conditions.tuner_version);
  fields("toolkit", conditions.toolkit);
  fields("driver", conditions.driver);
}

/// What the trials and decisions of one run have in common.
struct Run {
  DecisionKey key;
  std::string session;     ///< identifies the run
  std::string reuse_hash;  ///< hash of signature, generators and tolerances: trials of another one may not be reused
  Conditions conditions;
  Origin origin = Origin::measured;
  friend bool operator==(const Run&, const Run&) = default;
};

/// Table `run`, behind its task.
template <class Fields, class OfRun>
void describe_run(Fields& fields, OfRun& row) {
  fields("session", row.session);
  fields("reuse_hash", row.reuse_hash);
  describe(fields, row.conditions);
  fields("origin", row.origin);
}

}  // namespace tuner::cache
