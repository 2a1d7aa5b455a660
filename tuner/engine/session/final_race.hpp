#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/measure/tournament.hpp"
#include "tuner/engine/session/candidate_failure.hpp"
#include "tuner/engine/session/candidates.hpp"
#include "tuner/engine/session/device_session.hpp"

namespace tuner::engine {

// A configuration has three numbers here. Its *position* is the one in the session, by which Candidates and a
// Finalist's id name it. An *entrant* is an index into the entrants of the race; the tournament and all results of it
// number by that. A *slot* is the place among those that are resident on the device.

/// What became of the race; everything that is a list has one element for each entrant.
struct FinalResult {
  std::vector<std::size_t> positions;
  RaceResult race;
  std::optional<std::size_t> winner;  ///< an entrant; nothing if none survived
  std::vector<std::optional<Ratio>>
      to_winner;  ///< time over the winner's, paired; nothing if they share too few blocks
  /// Positions of entrants that rested to the end although their samples, if any, do not say that the winner is faster:
  /// they have not had their race.
  std::vector<std::size_t> rested;
  std::optional<Speedup> speedup;
  bool verified = false;     ///< reproduced the reference on fresh inputs, or is the reference
  std::string not_verified;  ///< why it could not be checked, where the reference itself failed
  double gpu_ms = 0;         ///< of halving and race: kernels, and about what precedes them
  int blocks = 0;            ///< of halving and race

  std::optional<std::size_t> winner_position() const { return winner ? std::optional(positions[*winner]) : winner; }
};

/// A finalist that failed after it had been timed: reported as a trial of its own.
using ReportFailure = std::function<void(std::size_t position, const CandidateFailure& failure)>;

/// Verifies a winner in further ways, and takes the device for that; nothing if it stands. A winner that fails leaves,
/// and the device must be back at the task then; finalists need not be resident.
using ConfirmFurther = std::function<std::optional<CandidateFailure>(std::size_t position)>;

struct FinalRaceOptions {
  TournamentOptions tournament;
  std::optional<std::size_t> baseline = {};  ///< a position: speed-ups refer to it
  std::uint64_t seed = 0;                    ///< of the session: fresh inputs have another one
  int block_runs = 1;                        ///< how often each block is run, see repeated_blocks.hpp
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
