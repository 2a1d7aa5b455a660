#pragma once

#include <optional>
#include <span>
#include <vector>

#include "tuner/engine/measure/entry_id.hpp"

namespace tuner::engine {

/// A candidate that ran correctly and was screened.
struct Screened {
  EntryId id;  ///< unique in the pool
  double time_ns = 0;
  bool censored = false;  ///< `time_ns` is a lower bound: the candidate was killed early
};

struct FinalistPolicy {
  /// Finalists chosen by their screened time. More: the race finds the best although screening ranked it low; fewer:
  /// the race is shorter, but only a little, since entries that are clearly slower leave it after the first blocks.
  std::size_t limit = 96;
  /// How much slower than the fastest a finalist may have been screened, as a fraction.
  double within = 0.25;
  /// This many enter however slow they were: should the best fail in the end, somebody must be next.
  std::size_t at_least = 4;
};

/// An entrant of the race.
struct Finalist {
  EntryId id;
  bool qualified = false;  ///< fast enough to enter by its time
  bool is_baseline = false;
  bool is_previous = false;  ///< the winner of an earlier session
};

/// The candidates that enter the race, fastest screened first; equal times in the order of their ids. Censored ones
/// have no time to enter by. The baseline and the previous winner enter in any case, in this order after the others
/// when they do not qualify, and take no place away: at most `limit` + 2 entries.
std::vector<Finalist> choose_finalists(std::span<const Screened> pool, const FinalistPolicy& policy,
                                       std::optional<EntryId> baseline_id,
                                       std::optional<EntryId> previous_id = std::nullopt);

}  // namespace tuner::engine
