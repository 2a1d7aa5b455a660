#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/candidates/candidate_failure.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/measure/tournament.hpp"

namespace tuner::engine {

// A configuration has three numbers here. Its EntryId is the one in the session, by which Candidates and a Finalist
// name it. Its EntrantId is the one in the race; the tournament and all results of it number by that. A *slot* is the
// place among those that are resident on the device.

/// What became of the race.
struct FinalResult {
  PerEntrant<EntryId> entries;
  RaceResult race;
  std::optional<EntrantId> winner;  ///< nothing if none survived
  /// Time over the winner's, paired; nothing if they share too few blocks.
  PerEntrant<std::optional<Ratio>> to_winner;
  /// Entrants that rested to the end although their samples, if any, do not say that the winner is faster:
  /// they have not had their race.
  std::vector<EntryId> rested;
  std::optional<Speedup> speedup;
  bool verified = false;                ///< reproduced the reference on fresh inputs, or is the reference
  std::string not_verified;             ///< why it could not be checked, where the reference itself failed
  std::vector<Unproven> unproven = {};  ///< outputs that are the same on fresh inputs
  double gpu_ms = 0;                    ///< of halving and race: kernels, and about what precedes them
  int blocks = 0;                       ///< of halving and race

  std::optional<EntryId> winner_entry() const { return winner ? std::optional(entries[*winner]) : std::nullopt; }
};

/// A finalist that failed after it had been timed: reported as a trial of its own.
using ReportFailure = std::function<void(EntryId entry, const CandidateFailure& failure)>;

/// Verifies a winner in further ways, and takes the device for that; nothing if it stands. A winner that fails leaves,
/// and the device must be back at the task then; finalists need not be resident.
using ConfirmFurther = std::function<std::optional<CandidateFailure>(EntryId entry)>;

struct FinalRaceOptions {
  TournamentOptions tournament;
  std::optional<EntryId> baseline = {};  ///< speed-ups refer to it
  std::uint64_t seed = 0;                ///< of the session: fresh inputs have another one
  int block_runs = 1;                    ///< how often each block is run, see repeated_blocks.hpp
};

/// What a race works with; everything outlives it.
struct FinalRaceParts {
  const Candidates& candidates;
  DeviceSession& device;
  const std::atomic<bool>& stop;
  ReportFailure failed;
  ConfirmFurther confirm_further = {};  ///< nothing: fresh inputs are enough
};

/// Halves and races the entrants (binaries present), picks the winner among the tied ones and has it verified on fresh
/// inputs. Those that could win, and the baseline, are verified before that in the modules in which they were timed,
/// for what they may keep there between launches. Nothing is verified where the device has no reference. An entrant
/// that fails on the way leaves; the next best takes its place.
FinalResult run_final_race(const std::vector<Finalist>& entrants, const FinalRaceOptions& options,
                           const FinalRaceParts& parts);

/// How many parameters have another value than in `baseline`.
int differing_parameters(const search::Configuration& configuration, const search::Configuration& baseline);

}  // namespace tuner::engine
