#pragma once

#include <optional>
#include <string>

#include "cache/records/resource_facts.hpp"
#include "tuner/core/base/geometry.hpp"
#include "tuner/core/binary/machine_code.hpp"
#include "tuner/core/counters/counters.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/occupancy/occupancy.hpp"

namespace tuner::explain {

/// How many times the time of the other configuration this one takes, with the interval that the measurement leaves.
struct TimeRatio {
  double low = 1, value = 1, high = 1;
};

/// All that is known of one configuration where it is compared with another. What is not known is empty.
struct ConfigurationFacts {
  std::string name;  ///< what sentences call it: "the winner", "the baseline"
  std::string configuration;
  std::optional<double> time_ns;
  std::optional<TimeRatio> to_other;  ///< its time over that of the other, from pairs measured side by side
  Geometry geometry;                  ///< with the dynamic shared memory; one block of one thread: not known
  cache::ResourceFacts resources;
  std::optional<MachineCode> code;
  /// Registers that a thread could have had beyond its own with as many threads resident.
  std::optional<int> idle_registers;
  Counters counters;  ///< empty: not measured

  // Set by add_derived.
  std::optional<Residency> resident;      ///< blocks of a multiprocessor, and what limits them
  std::optional<double> bytes_under_way;  ///< at most, per multiprocessor: of all resident threads together
};

/// "grid=528x1x1 block=128x1x1 shared=0"; nothing where it is not known.
std::optional<std::string> launch_text(const ConfigurationFacts& facts);

/// Works out what follows from the other facts and the device.
void add_derived(ConfigurationFacts& facts, const DeviceInfo& device);

}  // namespace tuner::explain
