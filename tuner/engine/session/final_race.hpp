#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/measure/tournament.hpp"
#include "tuner/engine/session/candidates.hpp"
#include "tuner/engine/session/session.hpp"

namespace tuner::engine {

/// Sends one request to the device and waits for its answer.
using AskDevice = std::function<DeviceReply(DeviceRequest)>;

/// What became of the race.
struct FinalResult {
  std::vector<std::size_t> entries;  ///< positions of all entrants in the session
  RaceResult race;
  std::optional<std::size_t> winner;  ///< position in `entries`; nothing if none survived
  std::vector<std::optional<Ratio>>
      to_winner;  ///< time over the winner's, paired; nothing if they share too few blocks
  /// Positions in the session of entrants that rested to the end although their samples, if any, do not say that the
  /// winner is faster: they have not had their race.
  std::vector<std::size_t> rested;
  std::optional<Speedup> speedup;
  bool verified = false;     ///< reproduced the reference on fresh inputs, or is the reference
  std::string not_verified;  ///< why it could not be checked, where the reference itself failed
  double timing_ms = 0, verify_ms = 0, load_ms = 0;
  double gpu_ms = 0;  ///< of halving and race: kernels, and about what precedes them
  int blocks = 0;     ///< of halving and race
  int launches = 0;

  /// Counts what an earlier race of the session took.
  void add_costs(const FinalResult& earlier);
};

/// A finalist that failed after it had been timed: reported as a trial of its own.
using ReportFailure = std::function<void(std::size_t entry, const DeviceReply& reply)>;

/// Verifies a winner (its position in the session) in further ways, and takes the device for that: a winner that fails
/// leaves, and the device has the session's problem then but no finalists.
using ConfirmFurther = std::function<DeviceReply(std::size_t entry)>;

/// What finalists are compared with.
struct RaceReferences {
  std::optional<std::size_t> baseline;  ///< position in the session: speed-ups refer to it
  std::optional<Candidate> reference;   ///< computes what is right, on fresh inputs too; nothing in a replay
  std::uint64_t seed = 0;
  ConfirmFurther confirm_further = {};  ///< nothing: fresh inputs are enough
};

/// Halves and races the entrants (their ids are positions in `candidates`, binaries present), picks the winner among
/// the tied ones and has it verified on fresh inputs. Those that could win, and the baseline, are verified before that
/// in the modules in which they were timed, for what they may keep there between launches. An entrant that fails on the
/// way leaves; the next best takes its place.
FinalResult run_final_race(const Candidates& candidates, const std::vector<Finalist>& entrants,
                           const TournamentOptions& options, const RaceReferences& references, const AskDevice& ask,
                           const ReportFailure& failed, const std::atomic<bool>& stop);

/// How many parameters have another value than in `baseline`.
int differing_parameters(const search::Configuration& configuration, const search::Configuration& baseline);

}  // namespace tuner::engine
