#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "tuner/core/base/geometry.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner {

/// What one block takes of a multiprocessor.
struct BlockNeeds {
  int registers = 0;  ///< per thread; 0: not known, which limits nothing
  int threads = 1;
  std::int64_t shared_bytes = 0;  ///< static and dynamic, without what the device reserves
};

BlockNeeds block_needs(int registers, int static_shared_bytes, const Geometry& launch);

/// A resource of a multiprocessor. `warps` are its slots for threads, `blocks` those for blocks.
enum class Resource : std::uint8_t { warps, registers, shared, blocks };

/// "warps", "registers", "shared" or "blocks".
std::string_view resource_name(Resource resource);

/// How many blocks a multiprocessor holds at once.
struct Residency {
  std::int64_t blocks = 0;  ///< 0: not even one fits
  std::int64_t threads = 0;
  double occupancy = 0;                ///< resident warps / maximum, 0 to 1
  Resource limiter = Resource::warps;  ///< what runs out first; where several do, the first in the order above
};

/// Knows the allocation granularities of compute capability 7.0 to 12.x. Nothing where the device's limits are not
/// known.
std::optional<Residency> residency(const DeviceInfo& device, const BlockNeeds& needs);

/// The nearest change of one need that lets a multiprocessor hold more blocks.
struct NextStep {
  Resource resource = Resource::registers;
  std::int64_t from = 0, to = 0;  ///< registers a thread, bytes of a block, or threads of a block
  Residency then;
};

/// What one step further would change: for registers and shared memory the most that still gives more blocks than now,
/// each with the others as they are. For the slots of blocks the number of threads at which more of them are resident
/// (a larger block). Nothing for a resource that is not the limit.
std::vector<NextStep> next_steps(const DeviceInfo& device, const BlockNeeds& needs);

}  // namespace tuner
