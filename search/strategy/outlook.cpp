#include "search/strategy/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "search/space/changes.hpp"
#include "search/strategy/slow_times.hpp"

namespace tuner::search {
namespace {

constexpr std::size_t kTrees = 24, kFamilyTrees = 12, kTries = 8;
constexpr int kFamilies = 6, kFamilyAttempts = 60;
/// A family is left out if it has so many, leaves so many, and is no larger a part of all.
constexpr std::size_t kFewestInside = 5, kFewestOutside = 20;
constexpr double kLargestPart = 0.6;
constexpr double kUnknownWidening = 1.5;  ///< where there is no such family: what is usual
constexpr double kMostError = 25;         ///< so that one failure of a model does not count as ten
/// Trees of few rows may agree by chance: they differ by so much at least, of the logarithm of the time.
constexpr double kLeastDeviation = 0.003, kLeastFamilyDeviation = 0.005;
constexpr std::uint64_t kLookedAt = 4000;
constexpr std::size_t kLikely = 6, kNewPairs = 2, kChampions = 24;  ///< places of each kind, at most
constexpr double kFarthest = 0.4;  ///< of the logarithm of the time: slower ones are no champions

std::vector<std::uint32_t> numbers_below(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::uint32_t{0});
  return numbers;
}

}  // namespace

class Outlook::Pairs {
 public:
  Pairs(const Space& space, std::span<const Sample> samples) {
    for (const Parameter& parameter : space.parameters()) numbers_.emplace_back(parameter.values.size());
    for (const Sample& sample : samples) {
      for (std::size_t i = 0; i < numbers_.size(); ++i) {
        std::size_t& number = numbers_[i][sample.configuration.choice[i]];
        if (number == 0) number = count_++;
      }
    }
    timed_.resize(count_ * count_);
    for (const Sample& sample : samples) for_each(sample.configuration, [&](std::size_t pair) { timed_[pair] = true; });
  }

  std::size_t new_in(const Configuration& configuration) const {
    std::size_t count = 0;
    for_each(configuration, [&](std::size_t pair) { count += timed_[pair] ? 0 : 1; });
    return count;
  }

 private:
  template <class Do>
  void for_each(const Configuration& configuration, Do work) const {
    for (std::size_t a = 1; a < numbers_.size(); ++a) {
      const std::size_t row = numbers_[a][configuration.choice[a]] * count_;
      for (std::size_t b = 0; b < a; ++b) work(row + numbers_[b][configuration.choice[b]]);
    }
  }

  /// By parameter, by value; 0: no sample has it, nor any pair with it. Lists of values may be long, samples are few.
  std::vector<std::vector<std::size_t>> numbers_;
  std::size_t count_ = 1;  ///< of numbers
  std::vector<bool> timed_;
};

Outlook::Outlook(const Space& space, const Features& features, std::span<const Timed> timed, Prng& prng)
    : space_(space), features_(features), trees_(features.size(), kTrees, kTries), all_trees_(numbers_below(kTrees)) {
  std::vector<float> targets;
  for (const Timed& one : timed) targets.push_back(one.logarithm);
  const auto median = targets.begin() + static_cast<std::ptrdiff_t>(targets.size() / 2);
  std::nth_element(targets.begin(), median, targets.end());
  best_ = *std::min_element(targets.begin(), median + 1);
  for (const Timed& one : timed) {
    Sample sample{space.at(one.index), std::vector<float>(features.size()), compressed(one.logarithm, *median, best_)};
    features.write(sample.configuration, sample.row);
    trees_.add(sample.row, sample.target, prng);
    samples_.push_back(std::move(sample));
  }
  trees_.grow(kTrees, prng);
  widening_ = widening(prng);
}

double Outlook::widening(Prng& prng) const {
  double sum = 0;
  int families = 0;
  for (int attempt = 0; families < kFamilies && attempt < kFamilyAttempts; ++attempt) {
    const auto parameter = static_cast<std::size_t>(prng.below(space_.parameters().size()));
    const std::uint32_t value = samples_[prng.below(samples_.size())].configuration.choice[parameter];
    const auto inside =
        static_cast<std::size_t>(std::count_if(samples_.begin(), samples_.end(), [&](const Sample& sample) {
          return sample.configuration.choice[parameter] == value;
        }));
    if (inside < kFewestInside || samples_.size() < inside + kFewestOutside) continue;
    if (static_cast<double>(inside) > kLargestPart * static_cast<double>(samples_.size())) continue;
    sum += error_of_family(parameter, value, prng);
    ++families;
  }
  return families == 0 ? kUnknownWidening : std::max(1.0, std::sqrt(sum / families));
}

double Outlook::error_of_family(std::size_t parameter, std::uint32_t value, Prng& prng) const {
  const auto is_inside = [&](const Sample& sample) { return sample.configuration.choice[parameter] == value; };
  RandomisedTrees trees(features_.size(), kFamilyTrees, kTries);
  for (const Sample& sample : samples_) {
    if (!is_inside(sample)) trees.add(sample.row, sample.target, prng);
  }
  trees.grow(kFamilyTrees, prng);
  double sum = 0, count = 0;
  for (const Sample& sample : samples_) {
    if (!is_inside(sample)) continue;
    const auto prediction = trees.predict(sample.row, std::span(all_trees_).first(kFamilyTrees));
    const double error = (sample.target - prediction.mean) / (prediction.deviation + kLeastFamilyDeviation);
    sum += std::min(kMostError, error * error);
    ++count;
  }
  return sum / count;
}

double Outlook::chance_of(const RandomisedTrees::Prediction& prediction) const {
  const double deviation = (prediction.deviation + kLeastDeviation) * widening_;
  return 0.5 * std::erfc((prediction.mean - best_ + kGain) / deviation / std::numbers::sqrt2);
}

Outlook::View Outlook::look(const std::function<bool(std::uint64_t)>& is_open,
                            const std::function<double(std::span<const float>)>& runs, Prng& prng) const {
  const Pairs pairs(space_, samples_);
  View view;
  std::vector<Open> open;
  std::vector<float> row(features_.size());
  // One of each stretch: the same place in each would have the same values of the last parameters.
  const std::uint64_t stretch = std::max<std::uint64_t>(1, space_.size() / kLookedAt);
  Prng within(prng.next());
  for (std::uint64_t begin = 0, length = 0; begin < space_.size(); begin += length) {
    length = std::min(stretch, space_.size() - begin);
    const std::uint64_t index = begin + within.below(length);
    if (!is_open(index)) continue;
    const Configuration configuration = space_.at(index);
    features_.write(configuration, row);
    const RandomisedTrees::Prediction prediction = trees_.predict(row, all_trees_);
    open.push_back({index, chance_of(prediction) * runs(row), pairs.new_in(configuration), prediction.mean - best_});
    view.chance = std::max(view.chance, open.back().chance);
  }
  view.places = choose_places(std::move(open));
  return view;
}

std::vector<Outlook::Open> Outlook::champions(const std::vector<Open>& open) const {
  struct Family {
    const Open* champion = nullptr;
    bool has_best = false;
  };
  std::vector<std::vector<Family>> families;  // by parameter, by value
  for (const Parameter& parameter : space_.parameters()) families.emplace_back(parameter.values.size());
  const auto for_each_of = [&](const Configuration& configuration, const auto& visit) {
    for (std::size_t i = 0; i < families.size(); ++i) visit(families[i][configuration.choice[i]]);
  };
  for (const Sample& sample : samples_) {
    if (sample.target > best_ + kGain) continue;
    for_each_of(sample.configuration, [](Family& family) { family.has_best = true; });
  }
  for (const Open& one : open) {
    if (one.slower > kFarthest) continue;
    for_each_of(space_.at(one.index), [&](Family& family) {
      if (family.champion == nullptr || one.slower < family.champion->slower) family.champion = &one;
    });
  }
  std::vector<Open> result;
  for (const std::vector<Family>& of_parameter : families) {
    for (const Family& family : of_parameter) {
      if (family.champion != nullptr && !family.has_best) result.push_back(*family.champion);
    }
  }
  std::stable_sort(result.begin(), result.end(), [](const Open& a, const Open& b) { return a.slower < b.slower; });
  return result;
}

std::vector<std::uint64_t> Outlook::choose_places(std::vector<Open> open) const {
  std::vector<std::uint64_t> places;
  const auto choose = [&](std::size_t most, std::size_t apart, const auto& is_wanted) {
    for (const Open& one : open) {
      if (places.size() >= most || !is_wanted(one)) return;
      const Configuration configuration = space_.at(one.index);
      const bool is_apart = std::all_of(places.begin(), places.end(), [&](std::uint64_t other) {
        return differing(configuration, space_.at(other)).size() >= apart;
      });
      if (is_apart) places.push_back(one.index);
    }
  };
  std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.chance > b.chance; });
  choose(kLikely, 2, [](const Open&) { return true; });
  std::stable_sort(open.begin(), open.end(), [](const Open& a, const Open& b) { return a.new_pairs > b.new_pairs; });
  choose(places.size() + kNewPairs, 2, [](const Open& one) { return one.new_pairs > 0; });
  open = champions(open);
  choose(places.size() + kChampions, 1, [](const Open&) { return true; });
  return places;
}

}  // namespace tuner::search
