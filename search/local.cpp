#include <algorithm>
#include <unordered_set>

#include "search/prng.hpp"
#include "search/random_order.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

/// Best-first local search: draws a random sample, then mostly asks for unseen neighbours (one parameter changed) of
/// the best configurations found so far, the better the likelier, and never stops drawing elsewhere. Compared with a
/// climb from one start at a time it needs no restarts: a better configuration anywhere is where it goes on. The shares
/// below were chosen on recorded spaces; results change little around them.
class Local final : public Strategy {
 public:
  Local(const Space& space, std::uint64_t seed)
      : space_(space), order_(space.size(), seed), prng_(~seed), sample_(3 * space.parameters().size()) {}

  std::vector<Configuration> ask(std::size_t count) override {
    std::vector<Configuration> result;
    while (result.size() < count) {
      const std::optional<std::uint64_t> index = next();
      if (!index) break;
      asked_.insert(*index);
      result.push_back(space_.at(*index));
    }
    return result;
  }

  void tell(const Observation& observation) override {
    if (observation.outcome != Outcome::ok || !observation.time_ns) return;
    const std::optional<std::uint64_t> index = space_.index_of(observation.configuration);
    if (!index) return;
    Base base{*observation.time_ns, *index, {}, false};
    bases_.insert(std::upper_bound(bases_.begin(), bases_.end(), base), std::move(base));
    if (bases_.size() > kBases) bases_.pop_back();
  }

 private:
  static constexpr std::size_t kBases = 32;
  static constexpr std::uint64_t kDrawOneOf = 5;  ///< one ask of so many is a draw from the whole space

  /// A configuration that was measured, and those of its neighbours that are still to be asked for.
  struct Base {
    double time_ns;
    std::uint64_t index;
    std::vector<std::uint64_t> neighbours;  ///< in random order, taken from the end
    bool listed = false;
    bool operator<(const Base& other) const { return time_ns < other.time_ns; }
  };

  std::optional<std::uint64_t> next() {
    if (asked_.size() >= sample_ && prng_.below(kDrawOneOf) != 0) {
      if (const auto index = neighbour()) return index;
    }
    return draw();
  }

  std::optional<std::uint64_t> draw() {
    std::optional<std::uint64_t> index = order_.next();
    while (index && asked_.contains(*index)) index = order_.next();
    return index;
  }

  /// Of the best base, or with even chances of the next one, and so on; bases whose neighbours were all asked are
  /// passed over.
  std::optional<std::uint64_t> neighbour() {
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < bases_.size(); ++i) {
      if (!prepare(bases_[i])) continue;
      last = i;
      if (prng_.below(2) == 0) break;
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
      for (const Configuration& near : space_.neighbours(space_.at(base.index), Neighbourhood::hamming1)) {
        base.neighbours.push_back(space_.index_of(near).value());
      }
      for (std::size_t i = base.neighbours.size(); i > 1; --i) {
        std::swap(base.neighbours[i - 1], base.neighbours[prng_.below(i)]);
      }
    }
    while (!base.neighbours.empty() && asked_.contains(base.neighbours.back())) base.neighbours.pop_back();
    return !base.neighbours.empty();
  }

  const Space& space_;
  RandomOrder order_;
  Prng prng_;
  std::size_t sample_;
  std::unordered_set<std::uint64_t> asked_;
  std::vector<Base> bases_;  // fastest first
};

}  // namespace

std::unique_ptr<Strategy> make_local(const Space& space, std::uint64_t seed) {
  return std::make_unique<Local>(space, seed);
}

}  // namespace tuner::search
