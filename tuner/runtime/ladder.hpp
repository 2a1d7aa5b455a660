#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "search/space/space.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime/frozen_answers.hpp"
#include "tuner/runtime/layered_stores.hpp"
#include "tuner/timing.hpp"

namespace tuner {

/// A configuration that may be served, and where it comes from. It is in the space and within the device's limits.
struct Offer {
  search::Configuration configuration;
  Geometry geometry;
  Provenance provenance;                 ///< with rung and configuration; `why` says why no better one came first
  cache::Decision decision;              ///< what says so; of the baseline and of what is frozen, none
  const FrozenAnswer* frozen = nullptr;  ///< what is served, with its binary perhaps
};

/// What is known of a launch of what a decision found, on this device. `why` is said of an exact one.
Provenance stored_provenance(Rung rung, const cache::Decision& decision, const std::filesystem::path& database,
                             const DeviceInfo& device);

/// What a decision offers: its configuration, if it is one that the task's space and device allow, and what is known of
/// it. Throws Error with the reason if it is not.
Offer stored_offer(const Task& task, Rung rung, const cache::Decision& decision, const std::filesystem::path& database);

/// What rungs there are between the best and the caller's fallback.
struct LadderOptions {
  bool look_up = true;  ///< off: nothing but the baseline
  bool exact_only = false;
  Timing timing = Timing::cold;
  const FrozenAnswers* frozen = nullptr;  ///< what is served in place of what databases say
};

/// Goes down the ladder for one task: exact; what a rule predicts and near sizes, whichever validation prefers; other
/// devices; baseline. Where decisions are frozen: what is frozen; baseline.
class Ladder {
 public:
  Ladder(const Task& task, const LadderOptions& options, LayeredStores& stores, LookupState& lookup);

  /// The next offer; nothing when the ladder is at its end. Reads databases only when a rung is reached.
  std::optional<Offer> next();
  /// The last offer cannot be run after all.
  void reject(const std::string& reason);

  /// Everything that kept better rungs from being served, as sentences.
  const std::string& reasons() const { return reasons_; }

  const cache::DecisionKey& key() const { return key_; }
  /// Whether a decision for exactly this was found, of use or not, frozen or stored.
  bool found_exact() const { return found_exact_; }

 private:
  /// What the rule over all sizes says of this one.
  struct Prediction {
    std::string configuration;
    double expected_loss = 0;
    bool nearest = false;  ///< a near size is the better choice
  };

  void add_reason(const std::string& sentence);
  void refuse(std::string_view which, const std::string& configuration, const Error& error);
  std::optional<Offer> stored(Rung rung, const LayeredStores::Found& found, double expected_loss = 0);
  std::optional<Offer> exact();
  std::optional<Prediction> predict();
  void find_sites();
  std::optional<Offer> frozen();
  std::optional<Offer> baseline();

  const Task& task_;
  const LadderOptions options_;
  LayeredStores& stores_;
  LookupState& lookup_;
  const cache::DecisionKey key_;
  enum class NextRung { frozen, exact, sites, baseline, end } next_rung_ = NextRung::exact;
  struct RankedSite {
    Rung rung = Rung::near_size;
    int rank = 0;  ///< the lowest is the best
    double distance = 0;
    LayeredStores::FoundSite found;
    double expected_loss = 0;  ///< of what is predicted
  };
  std::vector<RankedSite> sites_;  ///< the best last
  std::size_t next_layer_ = 0;     ///< to ask for the exact decision
  bool found_exact_ = false;
  std::string reasons_;
};

}  // namespace tuner
