#include "tuner/engine/session/final_race.hpp"

#include <algorithm>

#include "search/space/changes.hpp"
#include "tuner/engine/measure/decide.hpp"
#include "tuner/engine/session/repeated_blocks.hpp"

namespace tuner::engine {

namespace {

Block block_of(const std::vector<EntrantId>& order, const DeviceReply& reply) {
  const BlockResult& result = reply.result_of<RunBlock>();
  return {order, result.samples_ns, result.disturbed, result.launches_per_sample};
}

class FinalRace {
 public:
  FinalRace(const std::vector<Finalist>& entrants, const FinalRaceOptions& options, const FinalRaceParts& parts)
      : entrants_(entrants.begin(), entrants.end()),
        options_(options),
        parts_(parts),
        reference_(parts.device.reference()),
        tournament_(entrants, options.tournament),
        in_(entrants.size(), true),
        timed_launches_(entrants.size(), 0),
        struck_(entrants.size(), false) {}

  FinalResult run() {
    while (any_left()) {
      run_blocks();
      if (parts_.stop || !any_left()) break;
      const EntrantId winner = choose();
      if (!deciders_are_right_still(winner)) continue;
      if (!meet_baseline(winner)) continue;
      if (is_right_still(winner, true) && confirm(winner)) {
        winner_ = winner;
        break;
      }
    }
    conclude();
    return std::move(result_);
  }

 private:
  bool any_left() const { return std::find(in_.begin(), in_.end(), true) != in_.end(); }

  /// Whether finalists are resident; those that left meanwhile may be among them.
  bool loaded() const { return !slots_.empty() && parts_.device.state() == DeviceSession::State::racing; }

  /// Makes all that are still in resident. False if none is left, or the session is stopped.
  bool load() {
    while (any_left() && !parts_.stop) {
      LoadFinalists request{.launches = options_.tournament.launches};
      slots_.clear();
      for (const EntrantId entrant : in_.ids()) {
        if (!in_[entrant]) continue;
        request.candidates.push_back(parts_.candidates.candidate(entrants_[entrant].id));
        slots_.push_back(entrant);
      }
      const DeviceReply reply = parts_.device.call(std::move(request));
      if (reply.outcome == Outcome::ok) return true;
      if (const auto culprit = reply.result_of<LoadFinalists>().culprit) {
        withdraw(slots_.at(*culprit), failure_of(reply));
      } else {
        blame_device(reply.message);
      }
    }
    return false;
  }

  void run_blocks() {
    while (!tournament_.finished() && !parts_.stop && any_left()) {
      if (!loaded() && !load()) return;
      const std::vector<EntrantId> order = tournament_.next_block();
      if (const auto block = run_block(order)) tournament_.add_block(*block);
    }
  }

  /// One sample of each of these entrants; nothing if something failed, which has been dealt with then.
  std::optional<Block> run_block(const std::vector<EntrantId>& order) {
    const DeviceReply reply = try_block(order);
    if (reply.outcome != Outcome::ok) {
      find_culprit(order, reply);
      return std::nullopt;
    }
    unexplained_ = 0;
    const Block block = block_of(order, reply);
    for (const EntrantId entrant : order) timed_launches_[entrant] += block.launches;
    return block;
  }

  DeviceReply try_block(const std::vector<EntrantId>& order) {
    RunBlock request{.launches = options_.tournament.launches};
    for (const EntrantId entrant : order) request.order.push_back(slot(entrant));
    return run_repeatedly(parts_.device, request, options_.block_runs);
  }

  std::size_t slot(EntrantId entrant) const {
    return static_cast<std::size_t>(std::find(slots_.begin(), slots_.end(), entrant) - slots_.begin());
  }

  /// A worker that was lost took with it which entrant it was: then it was the one that fails when run alone. A block
  /// that fails again and again without that is the device's fault.
  void find_culprit(const std::vector<EntrantId>& order, const DeviceReply& whole) {
    if (const auto culprit = whole.result_of<RunBlock>().culprit)
      return suspect(slots_.at(*culprit), failure_of(whole));
    for (const EntrantId entrant : order) {
      if (!runs_alone(entrant)) return;
    }
    blame_device(whole.message);
  }

  /// A GPU has its hiccups, and later sessions believe the row of an entrant that leaves. So an illegal access must
  /// happen twice: when it runs alone, or later in the race. One that takes too long leaves at once: to wait for it
  /// again costs too much.
  void suspect(EntrantId entrant, const CandidateFailure& failure) {
    if (failure.outcome != Outcome::illegal_access || struck_[entrant]) return withdraw(entrant, failure);
    if (runs_alone(entrant)) struck_[entrant] = true;
  }

  /// An entrant that fails alone leaves.
  bool runs_alone(EntrantId entrant) {
    const DeviceReply alone = try_block({entrant});
    if (alone.outcome != Outcome::ok) withdraw(entrant, failure_of(alone));
    return alone.outcome == Outcome::ok;
  }

  void blame_device(const std::string& message) {
    if (++unexplained_ < 3) return;
    throw Error(Errc::device_lost,
                "The final race lost its worker three times in a row, but no finalist loses it when run alone: " +
                    message + " Trials are stored; run again, and look at the driver's log.");
  }

  void withdraw(EntrantId entrant, const CandidateFailure& failure) {
    tournament_.withdraw(entrant);
    in_[entrant] = false;
    parts_.failed(entrants_[entrant].id, failure);
  }

  EntrantId choose() {
    const RaceResult race = tournament_.result();
    const std::vector<EntrantId> finalists = eligible(race);
    std::vector<TieCandidate> tied;
    for (const EntrantId entrant : finalists) {
      const Entry& entry = parts_.candidates[entrants_[entrant].id];
      const int differing =
          options_.baseline
              ? differing_parameters(entry.configuration, parts_.candidates[*options_.baseline].configuration)
              : 0;
      tied.push_back({differing, entry.trial.facts.registers.value_or(0), entry.trial.configuration,
                      race.standings[entrant].relative_time});
    }
    return finalists[choose_winner(tied)];
  }

  /// Those on whose times the choice depends: the winner, whoever could win and was no slower, the baseline, which
  /// every speed-up is about, and what is in use, which may stay so. False if one of them is not what it was timed as,
  /// so that there is another race to decide.
  bool deciders_are_right_still(EntrantId winner) {
    const RaceResult race = tournament_.result();
    const std::vector<EntrantId> finalists = eligible(race);
    const double time = race.standings[winner].relative_time;
    bool all = true;
    for (const EntrantId entrant : entrants_.ids()) {
      const bool could_win = std::find(finalists.begin(), finalists.end(), entrant) != finalists.end();
      const bool counts = entrants_[entrant].is_baseline || entrants_[entrant].is_previous ||
                          (could_win && race.standings[entrant].relative_time <= time);
      if (in_[entrant] && counts && !is_right_still(entrant, false)) all = false;
    }
    return all;
  }

  bool is_right_still(EntrantId entrant, bool wins) {
    if (!reference_) return true;
    if (!loaded() && !load()) return false;
    if (!in_[entrant]) return false;
    const DeviceReply reply = parts_.device.call(RecheckFinalist{slot(entrant), timed_launches_[entrant], wins});
    if (reply.outcome != Outcome::ok) withdraw(entrant, failure_of(reply));
    return reply.outcome == Outcome::ok;
  }

  /// False if an entrant failed on the way, so that there is another race to decide.
  bool meet_baseline(EntrantId winner) {
    while (!parts_.stop) {
      if (tournament_.next_meeting(winner).empty()) break;
      if (!loaded() && !load()) return false;
      if (!in_[winner]) return false;
      // Asked again, because an entrant that failed to load meets nothing.
      const std::vector<EntrantId> order = tournament_.next_meeting(winner);
      if (order.empty()) break;
      const auto block = run_block(order);
      if (!block) return false;
      tournament_.add_meeting(*block);
    }
    return true;
  }

  /// False if the winner turned out to be none.
  bool confirm(EntrantId winner) {
    if (!reference_) return true;
    const Candidate candidate = parts_.candidates.candidate(entrants_[winner].id);
    // The baseline that defines what is right has nothing to be compared with.
    if (candidate.configuration == reference_->configuration) return result_.verified = true;
    const DeviceReply reply = parts_.device.call(ConfirmCandidate{*reference_, candidate, options_.seed + 1});
    const ConfirmResult confirmed = reply.result_of<ConfirmCandidate>();
    if (confirmed.reference_failed) {
      result_.not_verified = reply.message;
      return true;
    }
    result_.unproven = confirmed.unproven;
    std::optional<CandidateFailure> failure;
    if (reply.outcome != Outcome::ok) {
      failure = failure_of(reply);
    } else if (parts_.confirm_further) {
      failure = parts_.confirm_further(entrants_[winner].id);
    }
    if (failure) withdraw(winner, *failure);
    return result_.verified = !failure;
  }

  bool is_baseline_in() const {
    for (const EntrantId entrant : entrants_.ids()) {
      if (entrants_[entrant].id == options_.baseline) return in_[entrant];
    }
    return false;
  }

  void conclude() {
    result_.race = tournament_.result();
    const Race& race = tournament_.race();
    const EntrantId shown = winner_.value_or(result_.race.leader);
    // The times of a baseline that was found wrong are those of something else.
    if (winner_ && is_baseline_in()) result_.speedup = race.speedup(*winner_);
    result_.winner = winner_;
    for (const EntrantId entrant : entrants_.ids()) {
      const EntryId entry = entrants_[entrant].id;
      const std::optional<Ratio> ratio = entrant == shown ? Ratio{} : race.compare(entrant, shown);
      result_.entries.push_back(entry);
      result_.to_winner.push_back(ratio);
      if (result_.race.standings[entrant].rested && !(ratio && ratio->ratio > 1)) result_.rested.push_back(entry);
    }
    result_.gpu_ms = tournament_.spent_ns() / 1e6;
    result_.blocks = tournament_.blocks();
  }

  const PerEntrant<Finalist> entrants_;
  const FinalRaceOptions& options_;
  const FinalRaceParts& parts_;
  const std::optional<Candidate> reference_;  ///< nothing: nothing can be verified
  Tournament tournament_;
  PerEntrant<bool> in_;  ///< it has not left
  std::optional<EntrantId> winner_;
  std::vector<EntrantId> slots_;    ///< the entrant in each slot of the device
  PerEntrant<int> timed_launches_;  ///< at least
  PerEntrant<bool> struck_;         ///< it failed once, and then ran well alone
  int unexplained_ = 0;             ///< failures in a row that are no finalist's
  FinalResult result_;
};

}  // namespace

int differing_parameters(const search::Configuration& configuration, const search::Configuration& baseline) {
  return static_cast<int>(search::differing(configuration, baseline).size());
}

FinalResult run_final_race(const std::vector<Finalist>& entrants, const FinalRaceOptions& options,
                           const FinalRaceParts& parts) {
  return FinalRace(entrants, options, parts).run();
}

}  // namespace tuner::engine
