#include "search/strategy.hpp"

#include <fmt/format.h>

#include <array>

#include "search/messages.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

struct Maker {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const Space& space, const StrategyOptions& options);
};

std::unique_ptr<Strategy> exhaustive(const Space& space, const StrategyOptions& /*options*/) {
  return make_exhaustive(space);
}

std::unique_ptr<Strategy> random(const Space& space, const StrategyOptions& options) {
  return make_random(space, options.seed);
}

std::unique_ptr<Strategy> quasi_random(const Space& space, const StrategyOptions& options) {
  return make_quasi_random(space, options.seed);
}

std::unique_ptr<Strategy> local(const Space& space, const StrategyOptions& options) {
  return make_local(space, options.seed);
}

std::unique_ptr<Strategy> climb(const Space& space, const StrategyOptions& options) {
  return make_climb(space, options.seed);
}

std::unique_ptr<Strategy> annealing(const Space& space, const StrategyOptions& options) {
  return make_annealing(space, options.seed);
}

std::unique_ptr<Strategy> genetic(const Space& space, const StrategyOptions& options) {
  return make_genetic(space, options.seed);
}

std::unique_ptr<Strategy> model(const Space& space, const StrategyOptions& options) {
  return make_model(space, options.seed);
}

std::unique_ptr<Strategy> automatic(const Space& space, const StrategyOptions& options) {
  const bool cut_short = options.may_end_early || (options.budget && *options.budget < space.size());
  return cut_short ? model(space, options) : exhaustive(space, options);
}

constexpr std::array<Maker, 9> kMakers{{
    {"auto", automatic},
    {"exhaustive", exhaustive},
    {"model", model},
    {"random", random},
    {"quasi_random", quasi_random},
    {"local", local},
    {"climb", climb},
    {"annealing", annealing},
    {"genetic", genetic},
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
