#include "search/strategy/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "search/strategy/features.hpp"
#include "search/strategy/outlook.hpp"
#include "search/strategy/proposer.hpp"
#include "search/strategy/randomised_trees.hpp"
#include "search/strategy/rare_values.hpp"
#include "search/strategy/size_root.hpp"
#include "search/strategy/slow_times.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

/// Learns which configurations are fast while it searches, and asks for those that are the likeliest to be faster than
/// the best: sequential model-based optimisation in the manner of SMAC (F. Hutter, H. Hoos, K. Leyton-Brown,
/// "Sequential model-based optimization for general algorithm configuration", LION 5, 2011). After a small random
/// sample,
///   - randomised trees predict the logarithm of the time. What lies above the median of those that the model did not
///     propose is compressed: how slow the slow ones are teaches little about where the fast ones are. The median of
///     all, of which most lie in one basin after a while, would make everything outside of it look the same.
///   - other trees predict which configurations fail (M. Gelbart, J. Snoek, R. Adams, "Bayesian optimization with
///     unknown constraints", UAI 2014).
///   - proposed is, of the neighbours of the best configurations, of short random walks from there and of random ones,
///     the one with the greatest expected improvement (D. Jones, M. Schonlau, W. Welch, "Efficient global optimization
///     of expensive black-box functions", Journal of Global Optimization 13, 1998) that is not lost to a failure.
///   - values that hardly any configuration has are tried once, after the sample.
///   - one proposal in `kExploreOneOf` is random, whatever the model believes, and one in `kDoubtOneOf` where it
///     expects hardly any improvement (ModelConstants::least_improvement).
///   - after a while without improvement it begins another round: a sample, times and bases of its own, so that a basin
///     that the first sample led to is left behind. Every second round begins with all that is known instead, and so
///     compares the basins and looks between them; those with a sample of their own are short.
///   - from time to time it looks over the whole space with all that is known (Outlook), tries where the most may be
///     left, and forms its belief of that.
/// While answers are outstanding, proposals must differ all the same. Each is made by a random half of the trees: the
/// idea of Thompson sampling (O. Chapelle, L. Li, "An empirical evaluation of Thompson sampling", NIPS 2011). And what
/// is proposed counts as what was predicted of it, until its time is told: near it there is less to expect then
/// (D. Ginsbourger, R. Le Riche, L. Carraro, "Kriging is well-suited to parallelize optimization", 2010).
class Model final : public Proposer {
 public:
  Model(const Space& space, std::uint64_t seed, const ModelConstants& constants)
      : Proposer(space, seed),
        constants_(constants),
        features_(space),
        round_(features_.size()),
        failures_(features_.size(), kFailureTrees, kTries),
        next_look_(first_look(space.size())),
        row_(features_.size()) {
    for (std::uint32_t i = 0; i < space.parameters().size(); ++i) {
      if (space.parameters()[i].values.size() > 1) free_.push_back(i);
    }
  }

  std::optional<Belief> belief() const override { return belief_; }

 private:
  static constexpr std::size_t kTimeTrees = 32, kFailureTrees = 16, kTries = 8;
  static constexpr std::uint64_t kExploreOneOf = 32, kDoubtOneOf = 4;
  static constexpr std::size_t kMostKept = 1024;  ///< of the neighbours of one base
  /// Rows times trees grown after each answer: two trees of 200 rows. With more rows fewer trees are grown, so that
  /// the mean cost of an answer stays about the same; one that grows a tree of n rows costs n microseconds.
  static constexpr std::size_t kGrowth = 2 * 200;

  struct Base {
    double time;
    std::uint64_t index;
    bool operator<(const Base& other) const { return time < other.time; }
  };
  /// The neighbours of a base and what the model sees of them, one row after the other.
  struct Near {
    std::vector<std::uint64_t> indices;
    std::vector<float> rows;
  };
  struct Known {
    std::uint64_t index;
    double time;
    bool is_proposed;  ///< for its expected improvement; drawn, a place of a look, or somebody else's, otherwise
  };
  /// What the model knows about times in this round.
  struct Round {
    explicit Round(std::size_t features) : times(features, kTimeTrees, kTries) {}

    RandomisedTrees times;                                 ///< logarithms of times over `first_time_`, compressed
    std::vector<float> targets;                            ///< those logarithms as they are, or expected, of each row
    std::vector<float> drawn_targets;                      ///< of those that were not proposed, in any order
    std::vector<Base> bases;                               ///< fastest first
    float limit = std::numeric_limits<float>::infinity();  ///< what lies above is compressed
    std::size_t told = 0, drawn = 0;
    std::size_t idle = 0;  ///< proposed in this round, and told since the best became half a per cent faster
    std::size_t growth = 0;
    bool fresh = false;  ///< the trees are up to what was told
  };
  struct Choice {
    std::optional<std::uint64_t> index;
    double value = -1;
    float expected = 0;  ///< what its row counts as
  };
  /// By expected improvement.
  struct Proposed {
    std::size_t round;
    std::size_t row;  ///< in the trees of that round
  };

  std::optional<std::uint64_t> propose() override {
    if (const auto rare = next_rare()) return rare;
    if (told_ >= next_look_) look();
    if (const auto place = next_place()) return place;
    if (round_.idle >= (is_fresh_ ? constants_.glimpse : constants_.patience)) begin_round();
    // What was drawn and not told yet is not drawn again.
    if (std::max(round_.told, round_.drawn) < constants_.sample || round_.times.rows() < 3 || explores()) {
      ++round_.drawn;
      return std::nullopt;
    }
    refit();
    choose_trees();
    Choice best;
    seen_.clear();
    for (const Base& base : round_.bases) consider_neighbours(base, best);
    for (std::size_t i = 0; i < constants_.walks; ++i) consider(walk(random_base()), best);
    for (std::size_t i = 0; i < constants_.random; ++i) consider(prng().below(space().size()), best);
    if (best.value < constants_.least_improvement && prng().below(kDoubtOneOf) == 0) return std::nullopt;
    if (best.index) await(best);
    return best.index;
  }

  /// So many results are told before the model looks over the whole space. The more there is to look at, the more has
  /// to be known.
  static std::size_t first_look(std::uint64_t size) {
    constexpr double kRoots = 5;
    return std::max(Outlook::kFewest, static_cast<std::size_t>(kRoots * size_root(size)));
  }

  void look() {
    next_look_ = told_ + std::max<std::size_t>(told_ / Belief::kRenewal, 8);
    if (timed_.size() < Outlook::kFewest) return;
    std::vector<Timed> timed;
    for (const Known& one : timed_) timed.push_back({one.index, static_cast<float>(std::log(one.time / first_time_))});
    Outlook::View view = Outlook(space(), features_, timed, prng())
                             .look([&](std::uint64_t index) { return !asked(index); },
                                   [&](std::span<const float> row) { return 1 - chance_of_failure(row); }, prng());
    belief_ = Belief{told_, view.chance};
    places_ = std::move(view.places);
    std::reverse(places_.begin(), places_.end());
  }

  /// The best is asked for first.
  std::optional<std::uint64_t> next_place() {
    while (!places_.empty() && asked(places_.back())) places_.pop_back();
    if (places_.empty()) return std::nullopt;
    return places_.back();
  }

  double chance_of_failure(std::span<const float> row) const {
    return any_failed_ ? failures_.predict(row, {kAllFailureTrees.data(), kFailureTrees}).mean : 0;
  }

  void await(const Choice& choice) {
    proposed_.insert({*choice.index, {rounds_, round_.times.rows()}});
    features_.write(space().at(*choice.index), row_);
    round_.targets.push_back(choice.expected);
    round_.times.add(row_, choice.expected, prng());
  }

  /// Which configurations fail is the same in every round.
  void begin_round() {
    ++rounds_;
    const std::size_t drawn = round_.drawn;
    round_ = Round(features_.size());
    // Where hardly anything that is drawn runs, a sample of its own would be hardly anything but failures.
    constexpr std::size_t kFewRun = 10;
    is_fresh_ = rounds_ % 2 == 0 && kFewRun * drawn_ran_ >= drawn_told_;
    if (is_fresh_) return;
    for (const Known& one : timed_) {
      features_.write(space().at(one.index), row_);
      learn_time(one, std::nullopt);
    }
    round_.told = told_;
    round_.drawn = drawn;
  }

  /// After the sample: what it had hardly any chance to meet.
  std::optional<std::uint64_t> next_rare() {
    if (rounds_ == 1 && round_.drawn < constants_.sample) return std::nullopt;
    if (!rare_) rare_ = examples_of_rare_values(space(), prng());
    while (!rare_->empty() && asked(rare_->back())) rare_->pop_back();
    if (rare_->empty()) return std::nullopt;
    return rare_->back();
  }

  /// Whether to draw. What others asked for and told says nothing about the rest of the space, so the random sample is
  /// made all the same then, every other proposal.
  bool explores() { return prng().below(round_.drawn < constants_.sample ? 2 : kExploreOneOf) == 0; }

  void learn(std::uint64_t index, double time) override {
    constexpr double kGain = 0.005;
    features_.write(space().at(index), row_);
    const auto proposed = proposed_.find(index);
    // What was under way when a round began that is to know nothing of what came before.
    const bool is_late = proposed != proposed_.end() && proposed->second.round < rounds_ && is_fresh_;
    const bool failed = std::isinf(time);
    ++told_;
    if (proposed == proposed_.end()) {
      ++drawn_told_;
      if (!failed) ++drawn_ran_;
    }
    if (!is_late) ++round_.told;
    round_.fresh = false;  // for the trees of failures, too
    const bool is_awaited = proposed != proposed_.end() && proposed->second.round == rounds_;
    if (is_awaited) ++round_.idle;
    failures_.add(row_, failed ? 1 : 0, prng());
    any_failed_ = any_failed_ || failed;
    if (failed) return;
    // Relative to the first, so that single precision is enough and the unit of time does not matter.
    if (timed_.empty()) first_time_ = time;
    timed_.push_back({index, time, proposed != proposed_.end()});
    if (is_late) return;
    if (round_.bases.empty() || time < round_.bases.front().time * (1 - kGain)) round_.idle = 0;
    learn_time(timed_.back(), is_awaited ? std::optional(proposed->second.row) : std::nullopt);
  }

  /// `row_` is what is seen of it, `awaited` its row if it has one.
  void learn_time(const Known& one, std::optional<std::size_t> awaited) {
    const auto target = static_cast<float>(std::log(one.time / first_time_));
    if (!one.is_proposed) round_.drawn_targets.push_back(target);
    if (awaited) {
      round_.targets[*awaited] = target;
      round_.times.correct(*awaited, compressed(target), prng());
    } else {
      round_.targets.push_back(target);
      round_.times.add(row_, compressed(target), prng());
    }
    const Base base{one.time, one.index};
    round_.bases.insert(std::upper_bound(round_.bases.begin(), round_.bases.end(), base), base);
    if (round_.bases.size() > constants_.bases) round_.bases.pop_back();
  }

  double best_target() const { return std::log(round_.bases.front().time / first_time_); }

  float compressed(float target) const {
    if (round_.bases.empty()) return target;
    return search::compressed(target, round_.limit, static_cast<float>(best_target()));
  }

  /// Brings the trees up to what was told since.
  void refit() {
    if (round_.fresh) return;
    round_.fresh = true;
    std::vector<float> targets = round_.drawn_targets.empty() ? round_.targets : round_.drawn_targets;
    const auto median = targets.begin() + static_cast<std::ptrdiff_t>(targets.size() / 2);
    std::nth_element(targets.begin(), median, targets.end());
    round_.limit = *median;
    for (std::size_t i = 0; i < round_.targets.size(); ++i) round_.times.set_target(i, compressed(round_.targets[i]));
    round_.growth += kGrowth;
    const std::size_t count = std::min(round_.growth / round_.times.rows(), kTimeTrees / 4);
    round_.growth = count == kTimeTrees / 4 ? 0 : round_.growth - count * round_.times.rows();
    round_.times.grow(count, prng());
    if (any_failed_) failures_.grow((count + 3) / 4, prng());
  }

  void choose_trees() {
    chosen_.resize(kTimeTrees);
    std::iota(chosen_.begin(), chosen_.end(), std::uint32_t{0});
    for (std::size_t i = 0; i < kTimeTrees / 2; ++i) std::swap(chosen_[i], chosen_[i + prng().below(kTimeTrees - i)]);
    chosen_.resize(kTimeTrees / 2);
  }

  std::uint64_t random_base() { return round_.bases[prng().below(round_.bases.size())].index; }

  void consider_neighbours(const Base& base, Choice& best) {
    const Near& near = near_of(base.index);
    const std::size_t count = near.indices.size();
    const std::size_t looked_at = std::min(count, constants_.neighbours);
    const std::size_t first = looked_at < count ? prng().below(count) : 0;
    for (std::size_t i = 0; i < looked_at; ++i) {
      const std::size_t k = (first + i) % count;
      if (is_new(near.indices[k])) {
        judge(near.indices[k], {near.rows.data() + k * features_.size(), features_.size()}, best);
      }
    }
  }

  void consider(std::optional<std::uint64_t> index, Choice& best) {
    if (!index || !is_new(*index)) return;
    features_.write(space().at(*index), row_);
    judge(*index, row_, best);
  }

  /// Neither asked for nor looked at for this proposal.
  bool is_new(std::uint64_t index) { return !asked(index) && seen_.insert(index).second; }

  void judge(std::uint64_t index, std::span<const float> row, Choice& best) {
    const RandomisedTrees::Prediction prediction = round_.times.predict(row, chosen_);
    const double improvement = expected_improvement(prediction);
    if (best.index && improvement <= best.value) return;  // its chance of failure can only make that less
    const double value = improvement * (1 - chance_of_failure(row));
    if (best.index && value <= best.value) return;
    best = {index, value, prediction.mean};
  }

  double expected_improvement(const RandomisedTrees::Prediction& prediction) const {
    const double gain = best_target() - prediction.mean;
    const double deviation = prediction.deviation + 1e-6;
    const double z = gain / deviation;
    const double below = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * z * z) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return deviation * (z * below + density);
  }

  const Near& near_of(std::uint64_t index) {
    if (near_.size() > 4 * constants_.bases) near_.clear();
    const auto [place, added] = near_.try_emplace(index);
    Near& near = place->second;
    if (!added) return near;
    std::vector<Configuration> all = space().neighbours(space().at(index), Neighbourhood::hamming1);
    const std::size_t kept = std::min(all.size(), kMostKept);
    for (std::size_t i = 0; kept < all.size() && i < kept; ++i)
      std::swap(all[i], all[i + prng().below(all.size() - i)]);
    near.rows.resize(kept * features_.size());
    for (std::size_t i = 0; i < kept; ++i) {
      near.indices.push_back(space().index_of(all[i]).value());
      features_.write(all[i], std::span(near.rows).subspan(i * features_.size(), features_.size()));
    }
    return near;
  }

  /// Two steps away, one parameter each; nothing if chance finds no valid way.
  std::optional<std::uint64_t> walk(std::uint64_t from) {
    constexpr int kSteps = 2, kAttempts = 8;
    Configuration here = space().at(from);
    std::optional<std::uint64_t> index;
    for (int step = 0; step < kSteps; ++step) {
      index.reset();
      for (int attempt = 0; attempt < kAttempts && !index; ++attempt) {
        const std::uint32_t parameter = free_[prng().below(free_.size())];
        const std::uint32_t before = here.choice[parameter];
        const auto other = prng().below(space().parameters()[parameter].values.size() - 1);
        here.choice[parameter] = static_cast<std::uint32_t>(other < before ? other : other + 1);
        index = space().index_of(here);
        if (!index) here.choice[parameter] = before;
      }
      if (!index) return std::nullopt;
    }
    return index;
  }

  static constexpr auto kAllFailureTrees = [] {
    std::array<std::uint32_t, kFailureTrees> numbers{};
    for (std::uint32_t i = 0; i < kFailureTrees; ++i) numbers[i] = i;
    return numbers;
  }();

  const ModelConstants constants_;
  Features features_;
  Round round_;
  std::size_t rounds_ = 1;
  bool is_fresh_ = false;                       ///< this round knows nothing of those before
  std::size_t told_ = 0;                        ///< in all rounds
  std::size_t drawn_told_ = 0, drawn_ran_ = 0;  ///< of those, what the model did not propose, and what of that ran
  RandomisedTrees failures_;                    // 1 for a failure, 0 for none
  bool any_failed_ = false;
  std::size_t next_look_;              ///< after so many were told
  std::vector<std::uint64_t> places_;  ///< still to be asked for, the last one first
  std::optional<Belief> belief_;
  std::vector<Known> timed_;  // in all rounds
  std::unordered_map<std::uint64_t, Proposed> proposed_;
  double first_time_ = 1;
  std::vector<std::uint32_t> free_;                 // parameters with several values
  std::vector<std::uint32_t> chosen_;               // trees that make a proposal
  std::optional<std::vector<std::uint64_t>> rare_;  // still to be asked for, once they are known
  std::unordered_set<std::uint64_t> seen_;
  std::unordered_map<std::uint64_t, Near> near_;
  std::vector<float> row_;
};

}  // namespace

std::unique_ptr<Strategy> make_model(const Space& space, std::uint64_t seed, const ModelConstants& constants) {
  return std::make_unique<Model>(space, seed, constants);
}

std::unique_ptr<Strategy> make_model(const Space& space, std::uint64_t seed) {
  return make_model(space, seed, {});
}

}  // namespace tuner::search
