#include "search/strategy/strategy.hpp"

#include <fmt/format.h>

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

constexpr std::array<Maker, 9> kMakers{{
    {"auto", automatic},
    {"exhaustive", exhaustive},
    {"model", seeded<make_model>},
    {"random", seeded<make_random>},
    {"quasi_random", seeded<make_quasi_random>},
    {"local", seeded<make_local>},
    {"climb", seeded<make_climb>},
    {"annealing", seeded<make_annealing>},
    {"genetic", seeded<make_genetic>},
}};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> result;
  for (const Maker& maker : kMakers) result.emplace_back(maker.name);
  return result;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const Space& space, const StrategyOptions& options) {
  for (const Maker& maker : kMakers) {
    if (maker.name != name) continue;
    std::unique_ptr<Strategy> strategy = maker.make(space, options);
    if (options.promising.empty()) return strategy;
    return make_promising(space, options.promising, std::move(strategy));
  }
  throw Error(Errc::bad_usage, fmt::format("There is no strategy `{}`{}.", name, suggestion(name, strategy_names())));
}

}  // namespace tuner::search
