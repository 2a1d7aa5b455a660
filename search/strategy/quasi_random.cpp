#include "search/strategy/proposer.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Uniform like `random`, but every value of a parameter comes up about as often as it should from the first asks on
/// (quasi-random search: J. Bergstra and Y. Bengio, "Random search for hyper-parameter optimization", JMLR 13, 2012).
/// What the others draw without learning anything: good for a first look at a space and how much it varies.
class QuasiRandom final : public Proposer {
 public:
  QuasiRandom(const Space& space, std::uint64_t seed) : Proposer(space, seed) {}

 private:
  std::optional<std::uint64_t> propose() override { return std::nullopt; }
  void learn(std::uint64_t /*index*/, double /*time*/) override {}
};

}  // namespace

std::unique_ptr<Strategy> make_quasi_random(const Space& space, std::uint64_t seed) {
  return std::make_unique<QuasiRandom>(space, seed);
}

}  // namespace tuner::search
