#include "search/halton.hpp"
#include "search/proposer.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Uniform like `random`, but every value of a parameter comes up about as often as it should from the first asks on
/// (quasi-random search: J. Bergstra and Y. Bengio, "Random search for hyper-parameter optimization", JMLR 13, 2012).
/// Good for a first look at a space and for judging how much it varies; it does not learn.
class QuasiRandom final : public Proposer {
 public:
  QuasiRandom(const Space& space, std::uint64_t seed)
      : Proposer(space, seed), points_(space.parameters().size(), seed) {}

 private:
  static constexpr int kAttempts = 50;  ///< points tried for one that was not asked for, before one is drawn

  std::optional<std::uint64_t> propose() override {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const std::optional<std::uint64_t> index = space().index_of(space().at_point(points_.next()));
      if (index && !asked(*index)) return index;
    }
    return std::nullopt;
  }

  void learn(std::uint64_t /*index*/, double /*time*/) override {}

  ScrambledHalton points_;
};

}  // namespace

std::unique_ptr<Strategy> make_quasi_random(const Space& space, std::uint64_t seed) {
  return std::make_unique<QuasiRandom>(space, seed);
}

}  // namespace tuner::search
