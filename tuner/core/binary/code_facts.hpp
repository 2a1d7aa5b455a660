#pragma once

#include <optional>

#include "cache/records/resource_facts.hpp"
#include "tuner/core/base/geometry.hpp"
#include "tuner/core/binary/machine_code.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner {

/// What else explains how a kernel runs: facts that no database holds, because they follow from others and the binary.
struct CodeFacts {
  /// Registers that a thread could have had beyond its own with as many threads resident.
  std::optional<int> idle_registers;
  std::optional<GlobalLoads> loads;  ///< nothing where there is no binary to read
};

/// As many threads are resident as occupancy allows, or fewer where the grid does not fill every multiprocessor so far.
/// Nothing where registers or occupancy are not known.
std::optional<int> idle_registers(const cache::ResourceFacts& facts, const Geometry& launch, const DeviceInfo& device);

}  // namespace tuner
