#pragma once

#include <cstdint>
#include <memory>

#include "search/strategy.hpp"

namespace tuner::search {

/// One maker a strategy, each in a file of its own. `space` must outlive what they return.
std::unique_ptr<Strategy> make_exhaustive(const Space& space);
std::unique_ptr<Strategy> make_random(const Space& space, std::uint64_t seed);
std::unique_ptr<Strategy> make_local(const Space& space, std::uint64_t seed);

}  // namespace tuner::search
