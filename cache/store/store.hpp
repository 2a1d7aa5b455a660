#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/records/decision.hpp"
#include "cache/records/decision_text.hpp"
#include "cache/records/quarantined.hpp"
#include "cache/records/served.hpp"
#include "cache/records/trial.hpp"
#include "tuner/error.hpp"

namespace tuner::cache {

/// Which rows a listing wants; empty fields do not restrict.
struct Filter {
  std::string kernel_name = {};
  std::string problem = {};
  std::string device = {};
};

/// Keeps trials, decisions and what is quarantined. Rows are only ever added: what is forgotten stays as history (until
/// cache/upkeep deletes it), and is neither served nor reused nor in force. Methods throw Error{store_*}; a lookup that
/// finds nothing is an empty result. An instance is used from one thread at a time; several processes may use one
/// database at the same moment.
class Store {
 public:
  virtual ~Store() = default;
  /// Appends all of `trials` in one transaction: after it returns they survive a crash; if it throws none are kept.
  virtual void record_trials(std::span<const Trial> trials) = 0;
  /// Replaces the decision with the same key. Earlier decisions stay in the history. Returns its row.
  virtual std::int64_t record_decision(const Decision& decision) = 0;
  /// Keeps what starts of programs need of a decision, if that is served. A store may leave this out.
  virtual void record_served(const Served&) {}
  /// Keeps texts that belong to the decision in this row, in the place of those of the same kind and name, in one
  /// transaction; those of kind `sizes` in the place of all of any decision of the kernel, device, mode and objective.
  /// Nothing of them is read where a decision is found or listed. A store may leave this out.
  virtual void record_texts(std::int64_t /*decision*/, std::span<const DecisionText>) {}
  /// The decision for exactly this key, unless it was forgotten. Reads only.
  virtual std::optional<Decision> find_decision(const DecisionKey& key) const = 0;
  /// The decision in this row, served or not.
  virtual std::optional<Decision> find_decision(std::int64_t row) const = 0;
  /// What is served for the kernel, mode and objective of this key on any problem and any device, newest first. Never
  /// what was replayed.
  virtual std::vector<Site> list_sites(const DecisionKey& key) const = 0;
  /// Newest decision of each key, newest first; those that were forgotten are left out.
  virtual std::vector<Decision> list_decisions(const Filter& filter) const = 0;
  /// All trials of the key in the order they were recorded, forgotten ones included.
  virtual std::vector<Trial> find_trials(const DecisionKey& key) const = 0;
  /// The trials that need not be made again in this run, the latest of each configuration, in the order recorded:
  /// measured here (not imported or replayed) in any session, for its key, with its reuse hash, under exactly its
  /// conditions, not forgotten.
  virtual std::vector<Trial> find_reusable(const Run& run) const = 0;

  virtual void record_quarantine(const Quarantined& quarantined) = 0;
  /// What is in force for the key's kernel, problem and device under this driver version, oldest first. A binary is the
  /// same whatever the mode and however the source around it changed, so these do not matter.
  virtual std::vector<Quarantined> find_quarantine(const DecisionKey& key, const std::string& driver) const = 0;

  /// Every key that anything was recorded for and that passes the filter, oldest first.
  virtual std::vector<DecisionKey> list_keys(const Filter& filter) const = 0;
};

}  // namespace tuner::cache
