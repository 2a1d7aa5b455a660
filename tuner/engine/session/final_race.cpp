#include "tuner/engine/session/final_race.hpp"

#include <algorithm>

#include "tuner/engine/measure/decide.hpp"

namespace tuner::engine {

namespace {

Block block_of(const std::vector<std::size_t>& order, const DeviceReply& reply) {
  const BlockResult& result = reply.result_of<RunBlock>();
  return {order, result.samples_ns, result.disturbed, result.launches_per_sample};
}

class FinalRace {
 public:
  FinalRace(const Candidates& candidates, const std::vector<Finalist>& entrants, const TournamentOptions& options,
            const RaceReferences& references, const AskDevice& ask, const ReportFailure& failed,
            const std::atomic<bool>& stop)
      : candidates_(candidates),
        entrants_(entrants),
        launches_(options.launches),
        references_(references),
        ask_(ask),
        failed_(failed),
        stop_(stop),
        tournament_(entrants, options),
        in_(entrants.size(), true),
        timed_launches_(entrants.size(), 0),
        struck_(entrants.size(), false) {}

  FinalResult run() {
    while (anybody_left()) {
      run_blocks();
      if (stop_ || !anybody_left()) break;
      if (!finalists_are_right_still()) continue;
      const std::size_t winner = choose();
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
  bool anybody_left() const { return std::find(in_.begin(), in_.end(), true) != in_.end(); }

  /// Makes everybody who is still in resident. The device knows them by their place in `resident_`.
  void load() {
    while (anybody_left() && !stop_) {
      LoadFinalists request{.launches = launches_};
      resident_.clear();
      for (std::size_t i = 0; i < in_.size(); ++i) {
        if (!in_[i]) continue;
        request.candidates.push_back(candidates_.candidate(entrants_[i].id));
        resident_.push_back(i);
      }
      const DeviceReply reply = ask_(std::move(request));
      account(reply);
      if (reply.outcome == Outcome::ok) {
        loaded_ = true;
        return;
      }
      if (const auto culprit = reply.result_of<LoadFinalists>().culprit) {
        withdraw(resident_.at(*culprit), reply);
      } else {
        blame_device(reply);
      }
    }
  }

  void account(const DeviceReply& reply) {
    result_.timing_ms += reply.timing_ms;
    result_.verify_ms += reply.verify_ms;
    result_.load_ms += reply.load_ms;
    result_.launches += reply.launches;
  }

  void run_blocks() {
    while (!tournament_.finished() && !stop_ && anybody_left()) {
      if (!loaded_) load();
      if (!loaded_) return;
      const std::vector<std::size_t> order = tournament_.next_block();
      const DeviceReply reply = run_block(order);
      if (reply.outcome == Outcome::ok) {
        unexplained_ = 0;
        add_launches(order, reply);
        tournament_.add_block(block_of(order, reply));
      } else {
        find_culprit(order, reply);
      }
    }
  }

  std::size_t place(std::size_t entry) const {
    return static_cast<std::size_t>(std::find(resident_.begin(), resident_.end(), entry) - resident_.begin());
  }

  DeviceReply run_block(const std::vector<std::size_t>& order) {
    RunBlock request{.launches = launches_};
    for (const std::size_t entry : order) request.order.push_back(place(entry));
    DeviceReply reply = ask_(std::move(request));
    account(reply);
    return reply;
  }

  void add_launches(const std::vector<std::size_t>& order, const DeviceReply& reply) {
    const int launches = reply.result_of<RunBlock>().launches_per_sample;
    for (const std::size_t entry : order) timed_launches_[entry] += launches;
  }

  /// A worker that was lost took with it who it was: then whoever fails when run alone was it. A block that fails again
  /// and again without that is nobody's fault but the device's.
  void find_culprit(const std::vector<std::size_t>& order, const DeviceReply& whole) {
    if (const auto culprit = whole.result_of<RunBlock>().culprit) return suspect(resident_.at(*culprit), whole);
    for (const std::size_t entry : order) {
      const DeviceReply alone = run_block({entry});
      if (alone.outcome != Outcome::ok) return withdraw(entry, alone);
    }
    blame_device(whole);
  }

  /// A GPU has its hiccups, and the row of one who leaves is believed by later sessions. So an illegal access must
  /// happen twice: when it runs alone, or later in the race. Whoever takes too long leaves at once: to wait for it
  /// again costs too much.
  void suspect(std::size_t entry, const DeviceReply& failure) {
    if (failure.outcome != Outcome::illegal_access || struck_[entry]) return withdraw(entry, failure);
    const DeviceReply alone = run_block({entry});
    if (alone.outcome != Outcome::ok) return withdraw(entry, alone);
    struck_[entry] = true;
  }

  void blame_device(const DeviceReply& reply) {
    if (++unexplained_ < 3) return;
    throw Error(Errc::device_lost,
                "The final race lost its worker three times in a row, and no finalist does when it runs alone: " +
                    reply.message + " Trials are stored; run again, and look at the driver's log.");
  }

  void withdraw(std::size_t entry, const DeviceReply& reply) {
    tournament_.withdraw(entry);
    in_[entry] = false;
    failed_(entrants_[entry].id, reply);
  }

  std::size_t choose() {
    const RaceResult race = tournament_.result();
    std::vector<TieCandidate> tied;
    for (const std::size_t i : eligible(race)) {
      const Entry& entry = candidates_[entrants_[i].id];
      const int differing =
          references_.baseline
              ? differing_parameters(entry.configuration, candidates_[*references_.baseline].configuration)
              : 0;
      tied.push_back({i, differing, entry.trial.facts.registers.value_or(0), entry.trial.configuration,
                      race.standings[i].relative_time});
    }
    return choose_winner(tied);
  }

  /// Those that could win, and the baseline, which every speed-up is about. False if one of them is not what it was
  /// timed as, so that there is another race to decide.
  bool finalists_are_right_still() {
    const std::vector<std::size_t> finalists = eligible(tournament_.result());
    bool all = true;
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      const bool counts =
          entrants_[i].is_baseline || std::find(finalists.begin(), finalists.end(), i) != finalists.end();
      if (in_[i] && counts && !is_right_still(i, false)) all = false;
    }
    return all;
  }

  bool is_right_still(std::size_t entry, bool wins) {
    if (!references_.reference) return true;
    if (!loaded_) load();
    if (!loaded_ || !in_[entry]) return false;
    const DeviceReply reply = ask_(RecheckFinalist{place(entry), timed_launches_[entry], wins});
    account(reply);
    if (reply.outcome != Outcome::ok) withdraw(entry, reply);
    return reply.outcome == Outcome::ok;
  }

  /// False if somebody failed on the way, so that there is another race to decide.
  bool meet_baseline(std::size_t winner) {
    while (!stop_) {
      const std::vector<std::size_t> order = tournament_.next_meeting(winner);
      if (order.empty()) break;
      if (!loaded_) {
        load();
        if (!loaded_ || !in_[winner]) return false;
        continue;  // who failed in that meets nobody
      }
      const DeviceReply reply = run_block(order);
      if (reply.outcome != Outcome::ok) {
        find_culprit(order, reply);
        return false;
      }
      unexplained_ = 0;
      add_launches(order, reply);
      tournament_.add_meeting(block_of(order, reply));
    }
    return true;
  }

  /// False if the winner turned out to be none.
  bool confirm(std::size_t winner) {
    if (!references_.reference) return true;
    const Candidate candidate = candidates_.candidate(entrants_[winner].id);
    // The baseline that defines what is right has nothing to be compared with.
    if (candidate.configuration == references_.reference->configuration) return result_.verified = true;
    const DeviceReply reply = ask_(ConfirmCandidate{*references_.reference, candidate, references_.seed + 1});
    account(reply);
    if (reply.result_of<ConfirmCandidate>().reference_failed) {
      result_.not_verified = reply.message;
      return true;
    }
    if (reply.outcome != Outcome::ok) {
      withdraw(winner, reply);
      return false;
    }
    return result_.verified = confirm_further(winner);
  }

  bool confirm_further(std::size_t winner) {
    if (!references_.confirm_further) return true;
    const DeviceReply reply = references_.confirm_further(entrants_[winner].id);
    account(reply);
    if (reply.outcome == Outcome::ok) return true;
    loaded_ = false;
    withdraw(winner, reply);
    return false;
  }

  bool baseline_is_in() const {
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      if (entrants_[i].id == references_.baseline) return in_[i];
    }
    return false;
  }

  void conclude() {
    result_.race = tournament_.result();
    const Race& race = tournament_.race();
    const std::size_t reference = winner_.value_or(result_.race.leader);
    // The times of a baseline that was found wrong are those of something else.
    if (winner_ && baseline_is_in()) result_.speedup = race.speedup(*winner_);
    result_.winner = winner_;
    for (std::size_t i = 0; i < entrants_.size(); ++i) {
      result_.entries.push_back(entrants_[i].id);
      result_.to_winner.push_back(i == reference ? Ratio{} : race.compare(i, reference));
      const std::optional<Ratio>& ratio = result_.to_winner.back();
      if (result_.race.standings[i].rested && !(ratio && ratio->ratio > 1)) result_.rested.push_back(entrants_[i].id);
    }
    result_.gpu_ms = tournament_.spent_ns() / 1e6;
    result_.blocks = tournament_.blocks();
  }

  const Candidates& candidates_;
  const std::vector<Finalist>& entrants_;
  const int launches_;
  const RaceReferences& references_;
  const AskDevice& ask_;
  const ReportFailure& failed_;
  const std::atomic<bool>& stop_;
  Tournament tournament_;
  std::vector<bool> in_;
  std::optional<std::size_t> winner_;
  std::vector<std::size_t> resident_;  ///< the entrants that are loaded, in the device's order
  bool loaded_ = false;
  std::vector<int> timed_launches_;  ///< at least, of each entrant
  std::vector<bool> struck_;         ///< failed once, and then ran well alone
  int unexplained_ = 0;              ///< failures in a row that are no finalist's
  FinalResult result_;
};

}  // namespace

int differing_parameters(const search::Configuration& configuration, const search::Configuration& baseline) {
  int differing = 0;
  for (std::size_t i = 0; i < configuration.choice.size(); ++i) {
    if (configuration.choice[i] != baseline.choice[i]) ++differing;
  }
  return differing;
}

void FinalResult::add_costs(const FinalResult& earlier) {
  timing_ms += earlier.timing_ms;
  verify_ms += earlier.verify_ms;
  load_ms += earlier.load_ms;
  gpu_ms += earlier.gpu_ms;
  blocks += earlier.blocks;
  launches += earlier.launches;
}

FinalResult run_final_race(const Candidates& candidates, const std::vector<Finalist>& entrants,
                           const TournamentOptions& options, const RaceReferences& references, const AskDevice& ask,
                           const ReportFailure& failed, const std::atomic<bool>& stop) {
  return FinalRace(candidates, entrants, options, references, ask, failed, stop).run();
}

}  // namespace tuner::engine
