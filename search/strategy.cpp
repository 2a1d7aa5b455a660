#include "search/strategy.hpp"

#include <fmt/format.h>

#include <array>

#include "search/messages.hpp"
#include "search/strategies.hpp"

namespace tuner::search {
namespace {

struct Maker {
  std::string_view name;
  std::unique_ptr<Strategy> (*make)(const Space& space, std::uint64_t seed);
};

std::unique_ptr<Strategy> exhaustive(const Space& space, std::uint64_t /*seed*/) {
  return make_exhaustive(space);
}

constexpr std::array<Maker, 4> kMakers{{
    {"auto", exhaustive},
    {"exhaustive", exhaustive},
    {"random", make_random},
    {"local", make_local},
}};

}  // namespace

std::vector<std::string> strategy_names() {
  std::vector<std::string> result;
  for (const Maker& maker : kMakers) result.emplace_back(maker.name);
  return result;
}

std::unique_ptr<Strategy> make_strategy(std::string_view name, const Space& space, std::uint64_t seed) {
  for (const Maker& maker : kMakers) {
    if (maker.name == name) return maker.make(space, seed);
  }
  throw Error(Errc::bad_usage, fmt::format("There is no strategy `{}`{}.", name, suggestion(name, strategy_names())));
}

}  // namespace tuner::search
