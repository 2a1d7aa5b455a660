#include "tuner/explain/facts.hpp"

namespace tuner::explain {

void add_derived(ConfigurationFacts& facts, const DeviceInfo& device) {
  facts.resident = std::nullopt;
  facts.bytes_under_way = std::nullopt;
  if (!facts.resources.registers) return;
  const BlockNeeds needs =
      block_needs(*facts.resources.registers, facts.resources.static_shared_bytes.value_or(0), facts.geometry);
  facts.resident = residency(device, needs);
  if (facts.resident && facts.code) {
    facts.bytes_under_way =
        static_cast<double>(facts.code->under_way.bytes) * static_cast<double>(facts.resident->threads);
  }
}

}  // namespace tuner::explain
