#include "search/proposer.hpp"

#include <limits>
#include <utility>

namespace tuner::search {

Proposer::Proposer(const Space& space, std::uint64_t seed) : space_(space), order_(space.size(), seed), prng_(~seed) {}

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
  const bool timed = observation.outcome == Outcome::ok && observation.time_ns;
  learn(*index, timed ? *observation.time_ns : std::numeric_limits<double>::infinity());
}

std::vector<std::uint64_t> Proposer::shuffled_neighbours(std::uint64_t index) {
  std::vector<std::uint64_t> result;
  for (const Configuration& near : space_.neighbours(space_.at(index), Neighbourhood::hamming1)) {
    result.push_back(space_.index_of(near).value());
  }
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[prng_.below(i)]);
  return result;
}

std::optional<std::uint64_t> Proposer::draw() {
  std::optional<std::uint64_t> index = order_.next();
  while (index && asked(*index)) index = order_.next();
  return index;
}

}  // namespace tuner::search
