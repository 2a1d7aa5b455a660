#include "search/strategy/proposer.hpp"

#include <cmath>
#include <limits>

namespace tuner::search {
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
