#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "search/strategy/strategy.hpp"

namespace tuner::search {

/// One maker a strategy, each in a file of its own. `space` must outlive what they return.
std::unique_ptr<Strategy> make_exhaustive(const Space& space);
std::unique_ptr<Strategy> make_random(const Space& space, std::uint64_t seed);
std::unique_ptr<Strategy> make_model(const Space& space, std::uint64_t seed);

/// `strategy` behind what was good elsewhere (StrategyOptions::promising). It is told of everything, and what it asks
/// for of the promising ones is skipped. `proven` as there.
std::unique_ptr<Strategy> make_promising(const Space& space, std::span<const Configuration> promising,
                                         std::size_t proven, std::unique_ptr<Strategy> strategy);

}  // namespace tuner::search
