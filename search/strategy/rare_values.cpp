#include "search/strategy/rare_values.hpp"

#include <algorithm>

#include "search/strategy/random_order.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kDraws = 1000;
constexpr std::size_t kMostValues = 50;  ///< so that a value of average frequency is drawn twenty times
constexpr std::size_t kRare = 20;        ///< drawn so many times less often than the average value, or never
constexpr std::size_t kOfEach = 2;
constexpr std::size_t kMostExamples = 8;
constexpr std::size_t kMostParts = 16;

/// A value that was drawn rarely.
struct Rare {
  std::size_t drawn;
  std::size_t parameter;
  std::uint32_t position;
};

/// The rarest first, as far as the draws tell.
std::vector<Rare> rare_values(const Space& space, Prng& prng) {
  std::vector<std::vector<std::size_t>> drawn;
  for (const Parameter& parameter : space.parameters()) drawn.emplace_back(parameter.values.size());
  for (std::size_t i = 0; i < kDraws; ++i) {
    const Configuration configuration = space.at(prng.below(space.size()));
    for (std::size_t p = 0; p < drawn.size(); ++p) ++drawn[p][configuration.choice[p]];
  }
  std::vector<Rare> result;
  for (std::size_t p = 0; p < drawn.size(); ++p) {
    if (drawn[p].size() > kMostValues) continue;
    for (std::uint32_t i = 0; i < drawn[p].size(); ++i) {
      if (drawn[p][i] * drawn[p].size() * kRare < kDraws) result.push_back({drawn[p][i], p, i});
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Rare& a, const Rare& b) { return a.drawn < b.drawn; });
  return result;
}

}  // namespace

std::vector<std::uint64_t> examples_of_rare_values(const Space& space, Prng& prng) {
  struct Part {
    Rare rare;
    Space space;
  };
  std::vector<Part> parts;
  for (const Rare& rare : rare_values(space, prng)) {
    if (parts.size() == kMostParts) break;
    Space part = space.with_value(rare.parameter, rare.position);
    if (part.size() > 0) parts.push_back({rare, std::move(part)});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const Part& a, const Part& b) { return a.space.size() < b.space.size(); });
  std::vector<std::uint64_t> examples;
  for (const Part& part : parts) {
    RandomOrder order(part.space.size(), prng.next());
    for (std::size_t i = 0; i < std::min<std::uint64_t>(kOfEach, part.space.size()); ++i) {
      if (examples.size() == kMostExamples) return examples;
      Configuration configuration = part.space.at(order.next().value());
      configuration.choice[part.rare.parameter] = part.rare.position;
      const std::uint64_t index = space.index_of(configuration).value();
      if (std::find(examples.begin(), examples.end(), index) == examples.end()) examples.push_back(index);
    }
  }
  return examples;
}

}  // namespace tuner::search
