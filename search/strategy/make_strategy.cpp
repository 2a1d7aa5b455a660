#include "search/strategy/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "search/expression/messages.hpp"
#include "search/strategy/strategies.hpp"

namespace tuner::search {
namespace {

struct Maker {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const Space& space, const StrategyOptions& options);
};

std::unique_ptr<Strategy> exhaustive(const Space& space, const StrategyOptions& /*options*/) {
  return make_exhaustive(space);
}

template <std::unique_ptr<Strategy> (*make)(const Space& space, std::uint64_t seed)>
std::unique_ptr<Strategy> seeded(const Space& space, const StrategyOptions& options) {
  return make(space, options.seed);
}

std::unique_ptr<Strategy> automatic(const Space& space, const StrategyOptions& options) {
  const bool cut_short = options.may_end_early || (options.budget && *options.budget < space.size());
  return cut_short ? make_model(space, options.seed) : exhaustive(space, options);
}

constexpr std::array<Maker, 4> kMakers{{
    {"auto", automatic},
    {"exhaustive", exhaustive},
    {"model", seeded<make_model>},
    {"random", seeded<make_random>},
}};

/// Names of earlier versions, and what to use instead.
struct Former {
  std::string_view name, successor;
};
constexpr std::array<Former, 5> kFormer{
    {{"quasi_random", "random"}, {"local", "model"}, {"climb", "model"}, {"annealing", "model"}, {"genetic", "model"}}};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> result;
  for (const Maker& maker : kMakers) result.emplace_back(maker.name);
  return result;
}

void require_strategy(std::string_view name) {
  if (std::ranges::find(kMakers, name, &Maker::name) != kMakers.end()) return;
  if (const auto* former = std::ranges::find(kFormer, name, &Former::name); former != kFormer.end()) {
    throw Error(Errc::bad_usage,
                fmt::format("The strategy `{}` is no longer there: use `{}`.", name, former->successor));
  }
  throw Error(Errc::bad_usage, fmt::format("There is no strategy `{}`{}.", name, suggestion(name, strategy_names())));
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const Space& space, const StrategyOptions& options) {
  require_strategy(name);
  std::unique_ptr<Strategy> strategy = std::ranges::find(kMakers, name, &Maker::name)->make(space, options);
  if (options.promising.empty()) return strategy;
  return make_promising(space, options.promising, options.proven, std::move(strategy));
}

}  // namespace tuner::search
