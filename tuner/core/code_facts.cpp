#include "tuner/core/code_facts.hpp"

#include <algorithm>
#include <cmath>

namespace tuner {

std::optional<int> idle_registers(const cache::ResourceFacts& facts, const DeviceInfo& device) {
  if (!facts.registers || !facts.occupancy || *facts.occupancy <= 0) return std::nullopt;
  constexpr int kMost = 255;  // that an instruction can name
  const long threads = std::lround(*facts.occupancy * device.max_threads_per_sm);
  if (threads <= 0 || device.registers_per_sm <= 0) return std::nullopt;
  const int share = std::min(kMost, static_cast<int>(device.registers_per_sm / threads));
  return std::max(0, share - *facts.registers);
}

}  // namespace tuner
