#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "search/space/observation.hpp"
#include "search/space/space.hpp"

namespace tuner::search {

/// What a strategy believes to have left to find.
struct Belief {
  static constexpr std::size_t kRenewal = 4;  ///< it is formed again after a quarter more
  std::size_t told = 0;                       ///< after so many results it was formed
  double chance = 1;                          ///< that something untried is one per cent faster than the best
};

/// Proposes configurations and learns from what became of them. Never measures, never reads a clock, knows no
/// constraint. Asks may be batched and tells may be late; tells arrive in ask order, so the same seed and the same
/// tells give the same asks. Used from one thread.
class Strategy {
 public:
  virtual ~Strategy() = default;
  /// Up to `count` configurations never asked before; fewer, or none, only when nothing is left to ask.
  virtual std::vector<Configuration> ask(std::size_t count) = 0;
  virtual void tell(const Observation& observation) = 0;
  /// Nothing: it has formed none, or never does. Costs nothing.
  virtual std::optional<Belief> belief() const { return std::nullopt; }
};

/// What a strategy knows before it starts.
struct StrategyOptions {
  std::uint64_t seed = 0;
  /// How many configurations will be asked for in all, where that is known.
  std::optional<std::uint64_t> budget;
  /// The search may be ended before everything was asked for, although nobody knows when: a limit of time, say.
  bool may_end_early = false;
  /// Configurations that were good elsewhere (other problem sizes, other GPUs), best first; a hundred are not too many.
  /// Five that differ well from each other are asked for before anything else, and up to fifteen more as long as they
  /// turn out faster than what the strategy proposes itself. What is not in the space is passed over.
  std::vector<Configuration> promising;
  /// So many of them are known to be good, and are asked for first, in their order, instead of those five.
  std::size_t proven = 0;
};

/// Names that make_strategy accepts, in the order for `--help`. Every strategy asks for every configuration once, if it
/// is let, and chooses the next
///   auto        by `model` where something may end the search before everything was asked, else by `exhaustive`;
///               the default
///   exhaustive  in the order of the space; ignores the seed
///   model       where a learned model of the times and of the failures expects most
///   random      each order equally likely
std::vector<std::string> strategy_names();

/// Throws Error{bad_usage} for any other name: it names the nearest of them, or what took the place of a strategy that
/// earlier versions had.
void require_strategy(std::string_view name);

/// A strategy by name over `space`, which must outlive it. Throws as require_strategy does.
std::unique_ptr<Strategy> make_strategy(std::string_view name, const Space& space, const StrategyOptions& options = {});

}  // namespace tuner::search
