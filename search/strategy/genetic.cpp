#include <algorithm>
#include <cmath>

#include "search/strategy/proposer.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// A steady-state genetic algorithm: D. Whitley, "The GENITOR algorithm and selection pressure", ICGA 1989, with
/// uniform crossover (G. Syswerda, "Uniform crossover in genetic algorithms", ICGA 1989). Parents are chosen by rank
/// from the fastest configurations known; a child takes each parameter from one of them, and some are changed at
/// random. Without generations there is nothing to wait for: a child is made of what has been told so far. Children
/// that the space does not hold or that were asked for already are made again.
class Genetic final : public Proposer {
 public:
  Genetic(const Space& space, std::uint64_t seed) : Proposer(space, seed) {}

 private:
  static constexpr std::size_t kPopulation = 12;
  static constexpr std::size_t kSample = 16;
  static constexpr std::size_t kTournament = 3;
  static constexpr double kMutations = 1.0;  ///< parameters changed in a child, on average
  static constexpr int kAttempts = 100;      ///< children made for one proposal

  struct Member {
    double time;
    Configuration configuration;
  };

  std::optional<std::uint64_t> propose() override {
    if (asked_count() < kSample || population_.empty()) return std::nullopt;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::optional<std::uint64_t> index = space().index_of(child());
      if (index && !asked(*index)) return index;
    }
    return std::nullopt;
  }

  void learn(std::uint64_t index, double time) override {
    if (std::isinf(time)) return;
    const auto slower = [](double fast, const Member& member) { return fast < member.time; };
    const auto place = std::upper_bound(population_.begin(), population_.end(), time, slower);
    population_.insert(place, {time, space().at(index)});
    if (population_.size() > kPopulation) population_.pop_back();
  }

  /// The fastest of a few members drawn at random.
  const Configuration& parent() {
    std::size_t rank = population_.size();
    for (std::size_t i = 0; i < kTournament; ++i) rank = std::min<std::size_t>(rank, prng().below(population_.size()));
    return population_[rank].configuration;
  }

  Configuration child() {
    Configuration result = parent();
    const Configuration& other = parent();
    const std::size_t count = result.choice.size();
    for (std::size_t i = 0; i < count; ++i) {
      if (prng().below(2) == 0) result.choice[i] = other.choice[i];
      if (prng().unit() * static_cast<double>(count) < kMutations) result.choice[i] = mutated(i, result.choice[i]);
    }
    return result;
  }

  /// Half of the time the next or previous value of the list, which is mostly in order; else any.
  std::uint32_t mutated(std::size_t parameter, std::uint32_t choice) {
    const auto count = static_cast<std::uint32_t>(space().parameters()[parameter].values.size());
    switch (prng().below(4)) {
      case 0:
        return choice + 1 < count ? choice + 1 : choice;
      case 1:
        return choice > 0 ? choice - 1 : choice;
      default:
        return static_cast<std::uint32_t>(prng().below(count));
    }
  }

  std::vector<Member> population_;  // fastest first
};

}  // namespace

std::unique_ptr<Strategy> make_genetic(const Space& space, std::uint64_t seed) {
  return std::make_unique<Genetic>(space, seed);
}

}  // namespace tuner::search
