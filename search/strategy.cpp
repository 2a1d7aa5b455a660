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

std::unique_ptr<Strategy> local(const Space& space, const StrategyOptions& options) {
  return make_local(space, options.seed);
}

std::unique_ptr<Strategy> automatic(const Space& space, const StrategyOptions& options) {
  const bool cut_short = options.may_end_early || (options.budget && *options.budget < space.size());
  return cut_short ? local(space, options) : exhaustive(space, options);
}

constexpr std::array<Maker, 4> kMakers{{
    {"auto", automatic},
    {"exhaustive", exhaustive},
    {"random", random},
    {"local", local},
}};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> result;
  for (const Maker& maker : kMakers) result.emplace_back(maker.name);
  return result;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const Space& space, const StrategyOptions& options) {
  for (const Maker& maker : kMakers) {
    if (maker.name == name) return maker.make(space, options);
  }
  throw Error(Errc::bad_usage, fmt::format("There is no strategy `{}`{}.", name, suggestion(name, strategy_names())));
}

}  // namespace tuner::search
