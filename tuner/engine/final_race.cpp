#include "tuner/engine/final_race.hpp"

#include <algorithm>

#include "tuner/engine/measure/decide.hpp"

namespace tuner::engine {

namespace {

class FinalRace {
 public:
  FinalRace(const Candidates& candidates, std::vector<std::size_t> finalists, const RaceReferences& references,
            const AskDevice& ask, const ReportFailure& failed, const std::atomic<bool>& stop)
      : candidates_(candidates),
        references_(references),
        ask_(ask),
        failed_(failed),
        stop_(stop),
        race_(finalists.size(), {.seed = references.seed}, position_of(finalists, references.baseline)) {
    result_.entries = std::move(finalists);
    in_.assign(result_.entries.size(), true);
  }

  FinalResult run() {
    load();
    while (anybody_left()) {
      run_blocks();
      if (stop_) {
        result_.interrupted = true;
        break;
      }
      const std::size_t winner = choose();
      if (confirm(winner)) {
        result_.winner = winner;
        result_.verified = true;
        break;
      }
    }
    conclude();
    return std::move(result_);
  }

 private:
  static std::optional<std::size_t> position_of(const std::vector<std::size_t>& finalists,
                                                std::optional<std::size_t> entry) {
    if (!entry) return std::nullopt;
    const auto found = std::find(finalists.begin(), finalists.end(), *entry);
    if (found == finalists.end()) return std::nullopt;
    return static_cast<std::size_t>(found - finalists.begin());
  }

  bool anybody_left() const { return std::find(in_.begin(), in_.end(), true) != in_.end(); }

  void load() {
    LoadFinalists request;
    for (const std::size_t entry : result_.entries) request.candidates.push_back(candidates_.candidate(entry));
    account(ask_(std::move(request)));
  }

  void account(const DeviceReply& reply) {
    result_.timing_ms += reply.timing_ms;
    result_.verify_ms += reply.verify_ms;
    result_.load_ms += reply.load_ms;
    result_.launches += reply.launches;
  }

  void run_blocks() {
    while (!race_.finished() && !stop_) {
      const std::vector<std::size_t> order = race_.next_block();
      const DeviceReply reply = ask_(RunBlock{order});
      account(reply);
      if (reply.outcome == Outcome::ok) {
        race_.add_block(order, reply.samples_ns, reply.disturbed);
      } else {
        find_culprit(order, reply);
      }
    }
  }

  /// The samples of a block that failed are those before the culprit. A worker that was lost took them with it: then
  /// whoever fails when run alone was it, and a block that fails again and again without that is nobody's fault and the
  /// device's.
  void find_culprit(const std::vector<std::size_t>& order, const DeviceReply& whole) {
    if (whole.outcome != Outcome::worker_lost) return withdraw(order.at(whole.samples_ns.size()), whole);
    for (const std::size_t entry : order) {
      const DeviceReply alone = ask_(RunBlock{{entry}});
      account(alone);
      if (alone.outcome != Outcome::ok) return withdraw(entry, alone);
    }
    if (++unexplained_ == 3) {
      throw Error(Errc::device_lost,
                  "Three blocks of the final race lost their worker, and no finalist does when it runs "
                  "alone. Trials are stored; run again, and look at the driver's log.");
    }
  }

  void withdraw(std::size_t entry, const DeviceReply& reply) {
    race_.withdraw(entry);
    in_[entry] = false;
    failed_(result_.entries[entry], reply);
  }

  std::size_t choose() const {
    const RaceResult race = race_.result();
    std::vector<TieCandidate> tied;
    for (std::size_t i = 0; i < result_.entries.size(); ++i) {
      if (!race.standings[i].tied) continue;
      const Entry& entry = candidates_[result_.entries[i]];
      const int differing =
          references_.baseline
              ? differing_parameters(entry.configuration, candidates_[*references_.baseline].configuration)
              : 0;
      tied.push_back({i, differing, entry.trial.facts.registers.value_or(0), entry.trial.configuration});
    }
    return choose_winner(tied);
  }

  bool confirm(std::size_t winner) {
    if (!references_.reference) return true;
    const Candidate candidate = candidates_.candidate(result_.entries[winner]);
    // The baseline that defines what is right has nothing to be compared with.
    if (candidate.configuration == references_.reference->configuration) return true;
    const DeviceReply reply = ask_(ConfirmCandidate{*references_.reference, candidate, references_.seed + 1});
    account(reply);
    if (reply.outcome == Outcome::ok) return true;
    withdraw(winner, reply);
    return false;
  }

  void conclude() {
    result_.race = race_.result();
    result_.to_winner.resize(result_.entries.size());
    const std::size_t reference = result_.winner.value_or(result_.race.leader);
    for (std::size_t i = 0; i < result_.entries.size(); ++i) {
      result_.to_winner[i] = i == reference ? Ratio{} : race_.compare(i, reference);
    }
    if (result_.winner) result_.speedup = race_.speedup(*result_.winner);
  }

  const Candidates& candidates_;
  const RaceReferences& references_;
  const AskDevice& ask_;
  const ReportFailure& failed_;
  const std::atomic<bool>& stop_;
  Race race_;
  std::vector<bool> in_;
  int unexplained_ = 0;  ///< blocks that were lost although every finalist runs alone
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

FinalResult run_final_race(const Candidates& candidates, const std::vector<std::size_t>& finalists,
                           const RaceReferences& references, const AskDevice& ask, const ReportFailure& failed,
                           const std::atomic<bool>& stop) {
  return FinalRace(candidates, finalists, references, ask, failed, stop).run();
}

}  // namespace tuner::engine
