#pragma once

#include <cstdint>

namespace tuner {

/// How thoroughly a search for the best configuration goes through its space, as in `tuner tune --effort`. More of it
/// goes on from what less of it measured.
enum class Effort : std::uint8_t {
  quick,   ///< some sixty configurations: what a program that waits should pay
  normal,  ///< until what is left to gain does not pay; small spaces are searched completely
  full,    ///< the whole space
};

}  // namespace tuner
