#include <algorithm>
#include <cmath>

#include "search/strategy/proposer.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Best-first local search: draws a spread sample, then mostly asks for unseen neighbours (one parameter changed) of
/// the best configurations found so far, the better the likelier, and never stops drawing elsewhere. Compared with a
/// climb from one start at a time it needs no restarts: a better configuration anywhere is where it goes on. The shares
/// below were chosen on recorded spaces; results change little around them.
class Local final : public Proposer {
 public:
  Local(const Space& space, std::uint64_t seed) : Proposer(space, seed), sample_(3 * space.parameters().size()) {}

 private:
  static constexpr std::size_t kBases = 32;
  static constexpr std::uint64_t kDrawOneOf = 5;  ///< one ask of so many is a draw from the whole space

  /// A configuration that was measured, and those of its neighbours that are still to be asked for.
  struct Base {
    double time;
    std::uint64_t index;
    std::vector<std::uint64_t> neighbours;  ///< taken from the end
    bool listed = false;
    bool operator<(const Base& other) const { return time < other.time; }
  };

  std::optional<std::uint64_t> propose() override {
    if (asked_count() < sample_ || prng().below(kDrawOneOf) == 0) return std::nullopt;
    return neighbour();
  }

  void learn(std::uint64_t index, double time) override {
    if (std::isinf(time)) return;
    Base base{time, index, {}, false};
    bases_.insert(std::upper_bound(bases_.begin(), bases_.end(), base), std::move(base));
    if (bases_.size() > kBases) bases_.pop_back();
  }

  /// Of the best base, or with even chances of the next one, and so on; bases whose neighbours were all asked are
  /// passed over.
  std::optional<std::uint64_t> neighbour() {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      if (!prepare(bases_[i])) continue;
      last = i;
      if (prng().below(2) == 0) break;
    }
    if (!last) return std::nullopt;
    const std::uint64_t index = bases_[*last].neighbours.back();
    bases_[*last].neighbours.pop_back();
    return index;
  }

  /// Whether a neighbour is left to ask for: it then stands at the end of the list.
  bool prepare(Base& base) {
    if (!base.listed) {
      base.listed = true;
      base.neighbours = shuffled_neighbours(base.index);
    }
    while (!base.neighbours.empty() && asked(base.neighbours.back())) base.neighbours.pop_back();
    return !base.neighbours.empty();
  }

  std::size_t sample_;
  std::vector<Base> bases_;  // fastest first
};

}  // namespace

std::unique_ptr<Strategy> make_local(const Space& space, std::uint64_t seed) {
  return std::make_unique<Local>(space, seed);
}

}  // namespace tuner::search
