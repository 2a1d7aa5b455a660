#include "tuner/cli/explain/measured_facts.hpp"

#include <utility>

#include "tuner/core/binary/code_facts.hpp"

namespace tuner::cli {

explain::ConfigurationFacts measured_facts(const engine::Contestant& contestant, std::string name) {
  const DeviceInfo& device = contestant.task->device();
  explain::ConfigurationFacts facts;
  facts.name = std::move(name);
  facts.configuration = contestant.text;
  facts.geometry = contestant.geometry;
  facts.resources = contestant.binary.facts;
  facts.resources.dynamic_shared_bytes = static_cast<int>(contestant.geometry.shared_bytes);
  facts.resources.occupancy = contestant.run.occupancy;
  facts.resources.occupancy_limiter = contestant.run.occupancy_limiter;
  facts.idle_registers = idle_registers(facts.resources, contestant.geometry, device);
  facts.code = machine_code(contestant.binary.cubin.bytes, contestant.binary.cubin.kernel);
  explain::add_derived(facts, device);
  return facts;
}

}  // namespace tuner::cli
