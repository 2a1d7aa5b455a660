#pragma once

#include <cstdint>

namespace tuner {

/// The state of the L2 cache under which kernels are timed and decisions are asked for, as in `tuner tune --mode`.
enum class Timing : std::uint8_t {
  cold,  ///< flushed before every sample
  warm,  ///< the previous launch's data may still be in it
};

}  // namespace tuner
