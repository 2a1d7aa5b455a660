#include "tuner/engine/measure/finalists.hpp"

#include <algorithm>

namespace tuner::engine {

std::vector<Finalist> choose_finalists(std::span<const Screened> pool, const FinalistPolicy& policy,
                                       std::optional<EntryId> baseline_id, std::optional<EntryId> previous_id) {
  std::vector<Screened> timed;
  std::copy_if(pool.begin(), pool.end(), std::back_inserter(timed), [](const Screened& one) { return !one.censored; });
  std::sort(timed.begin(), timed.end(), [](const Screened& a, const Screened& b) {
    return a.time_ns != b.time_ns ? a.time_ns < b.time_ns : a.id < b.id;
  });

  std::vector<Finalist> finalists;
  for (const Screened& one : timed) {
    const bool near = one.time_ns <= timed.front().time_ns * (1 + policy.within);
    if (finalists.size() == policy.limit || (!near && finalists.size() >= policy.at_least)) break;
    finalists.push_back({.id = one.id, .qualified = true});
  }

  const auto entrant_of = [&finalists](EntryId id) -> Finalist& {
    const auto found =
        std::find_if(finalists.begin(), finalists.end(), [id](const Finalist& one) { return one.id == id; });
    return found != finalists.end() ? *found : finalists.emplace_back(Finalist{.id = id});
  };
  if (baseline_id) entrant_of(*baseline_id).is_baseline = true;
  if (previous_id) entrant_of(*previous_id).is_previous = true;
  return finalists;
}

}  // namespace tuner::engine
