#include "tuner/engine/effort/effort_limits.hpp"

#include <algorithm>
#include <cmath>

#include "search/strategy/size_root.hpp"
#include "tuner/engine/effort/result_cost.hpp"

namespace tuner::engine {

namespace {

constexpr std::uint64_t kQuick = 60;
/// Searched completely by `normal`, whatever that costs: a belief is formed when half of it is done.
constexpr std::uint64_t kTiny = 100;
/// Searched completely by `normal` unless other problems are known.
constexpr std::uint64_t kSmall = 300;
/// Where others are known, `normal` ends when so many in a row, or this part of the space, brought less than
/// `kWorthwhile`.
constexpr std::uint64_t kLeastIdle = 24, kMostIdle = 180, kPartIdle = 27;
constexpr double kWorthwhile = 0.01;
/// So many times as many are tried in all: what was good at once may be the best of a bad basin.
constexpr std::uint64_t kWhole = 2;
/// However many problems are known: for the `quick` search of another, and in a row for its `normal` one.
constexpr std::uint64_t kLeastKnown = 40;

// Of a `normal` search, in what one per cent is worth.
constexpr double kCheap = 7.5;         ///< a complete search is done if it costs no more
constexpr double kAlways = 9;          ///< what is tried at most costs no more than this, or ...
constexpr double kMostPart = 1.0 / 3;  ///< ... is no more than this part of the space
constexpr double kQuickWorth = 1;      ///< of a `quick` search, complete or not

/// So many times as many are tried as where one per cent is worth what it usually is.
double eagerness(std::chrono::duration<double> percent_worth) {
  constexpr double kUsual = 2;
  return std::sqrt(percent_worth.count() / kUsual);
}

std::uint64_t times_as_many(double times, std::uint64_t count) {
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(times * static_cast<double>(count)), 1);
}

/// For the known problems of a `normal` search. Each problem that is known leaves less to find out on the next: all
/// together cost what a logarithm of their number would, each for itself. Most end before a belief is formed.
Budget idle_limits(std::uint64_t space_size, std::uint64_t known_problems, double times) {
  Budget limits;
  const std::uint64_t alone =
      space_size <= kSmall ? space_size / kWhole : std::clamp(space_size / kPartIdle, kLeastIdle, kMostIdle);
  const std::uint64_t share = alone / (1 + known_problems);
  const std::uint64_t idle = times_as_many(times, std::max(kLeastKnown, share));
  if (idle >= space_size) return limits;
  limits.idle = idle;
  limits.idle_gain = kWorthwhile;
  limits.least_for_idle = times_as_many(times, kWhole * share);
  return limits;
}

std::uint64_t normal_most(std::uint64_t space_size, const Spending& spending) {
  const auto size = static_cast<double>(space_size);
  const double roots = spending.constants.roots * eagerness(spending.percent_worth) * search::size_root(space_size);
  const double affordable = std::max(kMostPart * size, kAlways * spending.percent_worth.count() / spending.result_s);
  return static_cast<std::uint64_t>(std::min({roots, affordable, size}));
}

}  // namespace

Budget limits_of(Effort effort, std::uint64_t space_size, std::uint64_t known_problems,
                 std::chrono::duration<double> percent_worth) {
  Budget limits;
  if (effort == Effort::full) return limits;
  if (known_problems > 0) {
    if (effort == Effort::normal) return idle_limits(space_size, known_problems, eagerness(percent_worth));
    const std::uint64_t most = times_as_many(eagerness(percent_worth), kLeastKnown);
    if (space_size > most) limits.evaluations = most;
    return limits;
  }
  limits.weighs = space_size > (effort == Effort::quick ? kQuick : kTiny);
  if (effort == Effort::quick && limits.weighs) limits.evaluations = kQuick;
  return limits;
}

bool Spending::pays(const search::Belief& belief) const {
  if (static_cast<double>(belief.told) < least) return true;
  const double worth_s = belief.chance * percent_worth.count();
  const double until_next_look = static_cast<double>(belief.told) / search::Belief::kRenewal;
  const double cost_s = until_next_look * result_s;
  return worth_s >= constants.small_chance_s || constants.percent_left * worth_s >= cost_s;
}

std::uint64_t most_before_cost_is_known(std::uint64_t space_size) {
  const auto dear = static_cast<std::uint64_t>(kMostPart * static_cast<double>(space_size));
  return std::max<std::uint64_t>(dear, ResultCost::kSettling + 1);
}

Spending spending_of(Effort effort, std::uint64_t space_size, double result_s,
                     std::chrono::duration<double> percent_worth, const SpendingConstants& constants) {
  // A hair more, because the cost of a complete search is one of these bounds, rounded.
  constexpr double kHair = 1 + 1e-9;
  Spending spending{.result_s = result_s, .percent_worth = percent_worth, .constants = constants};
  const auto size = static_cast<double>(space_size);
  const bool is_quick = effort == Effort::quick;
  const double cheap_s = (is_quick ? kQuickWorth : kCheap) * percent_worth.count() * kHair;
  if (size * result_s <= cheap_s) return spending;
  spending.most = normal_most(space_size, spending);
  spending.least = constants.least_roots * eagerness(percent_worth) * search::size_root(space_size);
  if (is_quick) {
    const auto paid = static_cast<std::uint64_t>(std::min(cheap_s / result_s, size));
    spending.most = std::min(*spending.most, std::max(kQuick, paid));
    spending.most_is_least = *spending.most > paid;
  }
  return spending;
}

}  // namespace tuner::engine
