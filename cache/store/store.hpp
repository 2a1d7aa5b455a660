#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/outcome.hpp"

namespace tuner::cache {

/// Where a row came from. Persisted as numbers: never renumber.
enum class Origin : int {
  measured = 0,  ///< on the device named in the key, by this program
  imported = 1,  ///< measured by this program elsewhere and imported
  replay = 2,    ///< replayed from a recording: kept in a database of its own and never served
};
std::string_view to_string(Origin origin);

/// What a decision answers: which kernel, on which problem, on which device, timed how. Every part is canonical text;
/// two keys are the same when all parts are. `text()` joins them with tagged delimiters and `hash()` is XXH3-128 of
/// that; both are stored and the text is compared on every hit, so a hash collision is a miss.
struct DecisionKey {
  std::string kernel_name;      ///< as users say it: "prefetch"
  std::string kernel_identity;  ///< name and hashes of the source text and of its own headers
  std::string problem;          ///< "row_length=65536,rows=528,…", sorted by name
  std::string device;           ///< canonical device identity
  std::string mode;             ///< timing mode: "cold" or "warm"
  std::string objective = "time";

  std::string text() const;
  std::string hash() const;  ///< 32 hexadecimal digits
  friend bool operator==(const DecisionKey&, const DecisionKey&) = default;
};

/// Versions and settings under which a row was made; a change makes a decision stale, never invalid.
struct Conditions {
  std::string tuner_version;
  std::string toolkit;  ///< NVRTC version, "13.0.88"; empty if nothing was compiled
  std::string driver;   ///< driver version, "580.159"; empty if there was none
  friend bool operator==(const Conditions&, const Conditions&) = default;
};

/// Facts about one compiled binary on one device. Missing where compiling did not get that far.
struct ResourceFacts {
  std::optional<int> registers;
  std::optional<int> stack_bytes;
  std::optional<int> spill_store_bytes;
  std::optional<int> spill_load_bytes;
  std::optional<int> static_shared_bytes;
  std::optional<int> dynamic_shared_bytes;
  std::optional<double> occupancy;  ///< resident warps / maximum, 0..1
  std::string occupancy_limiter;    ///< "registers", "shared", "warps", "blocks"; empty if unknown
  std::string binary_hash;          ///< XXH3-128 of the cubin, hexadecimal
};

/// One finished configuration, successful or not. Append-only.
struct Trial {
  DecisionKey key;
  std::string reuse_hash;     ///< hash of signature, generators and tolerances: trials of another one may not be reused
  std::string session;        ///< identifies the run that made it
  std::int64_t sequence = 0;  ///< position in that run, from 0
  std::string configuration;  ///< canonical text
  Outcome outcome = Outcome::ok;
  std::string message;             ///< why, for failures; empty when ok
  bool censored = false;           ///< stopped early: time_ns is a lower bound
  std::optional<double> time_ns;   ///< median of samples_ns
  std::vector<double> samples_ns;  ///< raw, in the order taken
  ResourceFacts facts;
  std::string launch;        ///< "grid=528x1x1 block=128x1x1 shared=0"
  std::string duplicate_of;  ///< configuration whose identical binary and geometry was timed instead; empty if none
  double compile_ms = 0;
  double verify_ms = 0;
  double timing_ms = 0;
  Conditions conditions;
  Origin origin = Origin::measured;
  std::int64_t created_unix_ms = 0;  ///< set by the store when 0
};

/// A finalist that the race could not show to be slower than the winner by more than the tie threshold.
struct Tie {
  std::string configuration;
  double relative_time = 1;  ///< its time / the winner's, paired estimate
};

/// The outcome of one tuning session: derived from trials, and what is served.
struct Decision {
  DecisionKey key;
  std::string reuse_hash;
  std::string session;
  std::string configuration;  ///< the winner, canonical text
  std::string baseline;       ///< what it is compared with; empty if the space has no valid default
  double time_ns = 0;
  std::optional<double> baseline_time_ns;
  std::optional<double> speedup;      ///< baseline / winner, paired
  std::optional<double> speedup_low;  ///< confidence interval of the speed-up
  std::optional<double> speedup_high;
  double confidence = 0;  ///< level of that interval, 0.99 for example
  std::vector<Tie> ties;  ///< the winner included
  std::int64_t race_blocks = 0;
  bool verified = false;  ///< reproduced the reference on fresh inputs after the race
  /// At how many awkward sizes the winner reproduced the reference, too; 0: it serves its exact size only.
  std::int64_t awkward_sizes = 0;
  bool noisy = false;      ///< the device was disturbed while it was measured
  bool contended = false;  ///< other processes computed on the GPU meanwhile
  std::string binary_hash;
  std::string launch;
  std::map<std::string, std::int64_t> counters;  ///< asked, compiled, deduplicated, launched, stored, failed_<outcome>
  Conditions conditions;
  Origin origin = Origin::measured;
  std::int64_t created_unix_ms = 0;  ///< set by the store when 0
  std::int64_t row = 0;              ///< its number in the database, `decision_id`; 0: not stored. Set by the store
};

/// What is served for one key of a kernel, in short: what choosing among sizes and devices needs.
struct Site {
  std::string kernel_name;
  std::string problem;
  std::string device;
  std::string configuration;
  double time_ns = 0;
  std::int64_t awkward_sizes = 0;  ///< as in Decision
  std::int64_t created_unix_ms = 0;
  std::int64_t row = 0;  ///< of the decision
};

/// A binary that killed its process or hung the device, and did so again when it was tried alone: not to be launched on
/// this problem, kind of device and driver again.
struct Quarantined {
  DecisionKey key;
  std::string binary_hash;    ///< XXH3-128 of the cubin, hexadecimal
  std::string launch;         ///< as in Trial, the lengths of scratch buffers included
  std::string driver;         ///< driver version
  std::string configuration;  ///< whose binary it is; others may have the same
  Outcome outcome = Outcome::illegal_access;
  std::string message;  ///< what it did
  /// For a hang: how long its launch was given. Who gives it longer may try.
  std::optional<std::int64_t> launch_timeout_ms;
  std::string session;
  std::int64_t created_unix_ms = 0;  ///< set by the store when 0
};

/// What can be forgotten.
enum class Forget { everything, decisions, trials, quarantine };

/// How much was forgotten that counted until then.
struct Forgotten {
  std::int64_t decisions = 0;  ///< served ones: one a key
  std::int64_t trials = 0;
  std::int64_t quarantined = 0;
  bool nothing() const { return decisions == 0 && trials == 0 && quarantined == 0; }
};

/// Which rows a listing wants; empty fields do not restrict.
struct Filter {
  std::string kernel_name = {};
  std::string problem = {};
  std::string device = {};
};

/// Keeps trials, decisions and what is quarantined. Rows are only ever added: what is forgotten stays as history, and
/// is neither served nor reused nor in force. Methods throw Error{store_*}; a lookup that finds nothing is an empty
/// result. An instance is used from one thread at a time; several processes may use one database at the same moment.
class Store {
 public:
  virtual ~Store() = default;
  /// Appends all of `trials` in one transaction: after it returns they survive a crash; if it throws none are kept.
  virtual void record_trials(std::span<const Trial> trials) = 0;
  /// Replaces the decision with the same key. Earlier decisions stay in the history. Returns its row.
  virtual std::int64_t record_decision(const Decision& decision) = 0;
  /// The decision for exactly this key, unless it was forgotten. Reads only.
  virtual std::optional<Decision> find_decision(const DecisionKey& key) const = 0;
  /// The decision in this row, served or not.
  virtual std::optional<Decision> find_decision(std::int64_t row) const = 0;
  /// What is served for this kernel on any problem and any device, newest first. Never what was replayed.
  virtual std::vector<Site> list_sites(const std::string& kernel_identity, const std::string& mode,
                                       const std::string& objective) const = 0;
  /// Newest decision of each key, newest first; those that were forgotten are left out.
  virtual std::vector<Decision> list_decisions(const Filter& filter) const = 0;
  /// All trials of the key in the order they were recorded, forgotten ones included.
  virtual std::vector<Trial> find_trials(const DecisionKey& key) const = 0;
  /// The trials of the key that need not be made again, the latest of each configuration, in the order recorded:
  /// measured here (not imported or replayed), with this reuse hash, under exactly these conditions, not forgotten.
  virtual std::vector<Trial> find_reusable(const DecisionKey& key, const std::string& reuse_hash,
                                           const Conditions& conditions) const = 0;

  virtual void record_quarantine(const Quarantined& quarantined) = 0;
  /// What is in force for the key's kernel, problem and device under this driver version, oldest first. A binary is the
  /// same whatever the mode and however the source around it changed, so these do not matter.
  virtual std::vector<Quarantined> find_quarantine(const DecisionKey& key, const std::string& driver) const = 0;
  /// Everything that is in force and passes the filter, oldest first.
  virtual std::vector<Quarantined> list_quarantine(const Filter& filter) const = 0;

  /// Every key that anything was recorded for and that passes the filter, oldest first.
  virtual std::vector<DecisionKey> list_keys(const Filter& filter) const = 0;
  /// Makes history of what counts now, in one transaction; what is recorded later counts.
  virtual Forgotten forget(const Filter& filter, Forget what) = 0;
};

}  // namespace tuner::cache
