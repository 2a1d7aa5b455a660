#include "tuner/explain/facts.hpp"

#include <algorithm>
#include <cstdint>

namespace tuner::explain {

std::optional<std::string> launch_text(const ConfigurationFacts& facts) {
  return facts.geometry != Geometry{} ? std::optional(facts.geometry.text()) : std::nullopt;
}

void add_derived(ConfigurationFacts& facts, const DeviceInfo& device) {
  facts.resident = std::nullopt;
  facts.bytes_under_way = std::nullopt;
  if (!facts.resources.registers) return;
  const BlockNeeds needs =
      block_needs(*facts.resources.registers, facts.resources.static_shared_bytes.value_or(0), facts.geometry);
  facts.resident = residency(device, needs);
  if (!facts.resident || !facts.code) return;
  const auto& grid = facts.geometry.grid;
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  const auto sms = static_cast<std::uint64_t>(std::max(1, device.sm_count));
  const double launched = static_cast<double>((blocks + sms - 1) / sms) * needs.threads;
  const double threads = std::min(launched, static_cast<double>(facts.resident->threads));
  facts.bytes_under_way = facts.code->under_way.bytes * threads;
}

}  // namespace tuner::explain
