#include "search/strategy/proposer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tuner::search {
namespace {

/// Whether the one parameter that differs stands at the next or previous value of its list.
bool adjacent(const Configuration& a, const Configuration& b) {
  const auto [one, other] = std::mismatch(a.choice.begin(), a.choice.end(), b.choice.begin());
  return one != a.choice.end() && (*one == *other + 1 || *other == *one + 1);
}

}  // namespace

Proposer::Proposer(const Space& space, std::uint64_t seed)
    : space_(space), points_(space.parameters().size(), seed), order_(space.size(), seed), prng_(~seed) {}

std::vector<Configuration> Proposer::ask(std::size_t count) {
  std::vector<Configuration> result;
  while (result.size() < count && asked_.size() < space_.size()) {
    std::optional<std::uint64_t> index = propose();
    if (!index || asked(*index)) index = draw();
    if (!index) break;
    asked_.insert(*index);
    result.push_back(space_.at(*index));
  }
  return result;
}

void Proposer::tell(const Observation& observation) {
  const std::optional<std::uint64_t> index = space_.index_of(observation.configuration);
  if (!index) return;
  asked_.insert(*index);
  const bool timed = observation.outcome == Outcome::ok && observation.time_ns && std::isfinite(*observation.time_ns) &&
                     *observation.time_ns > 0;
  learn(*index, timed ? *observation.time_ns : std::numeric_limits<double>::infinity());
}

std::vector<std::uint64_t> Proposer::shuffled_neighbours(std::uint64_t index) {
  const Configuration here = space_.at(index);
  std::vector<Configuration> near = space_.neighbours(here, Neighbourhood::hamming1);
  for (std::size_t i = near.size(); i > 1; --i) std::swap(near[i - 1], near[prng_.below(i)]);
  std::stable_partition(near.begin(), near.end(), [&](const Configuration& one) { return !adjacent(here, one); });
  std::vector<std::uint64_t> result;
  for (const Configuration& one : near) result.push_back(space_.index_of(one).value());
  return result;
}

std::optional<std::uint64_t> Proposer::draw() {
  for (int i = 0; i < kPoints; ++i) {
    const std::optional<std::uint64_t> index = space_.index_of(space_.at_point(points_.next()));
    if (index && !asked(*index)) return index;
  }
  std::optional<std::uint64_t> index = order_.next();
  while (index && asked(*index)) index = order_.next();
  return index;
}

}  // namespace tuner::search
