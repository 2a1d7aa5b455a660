#include "bench/kernels/side_by_side.hpp"

#include <fmt/format.h>

#include <map>

#include "bench/engine/truth.hpp"
#include "tuner/core/binary/code_facts.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/error.hpp"

namespace tuner::bench {

using nlohmann::json;

namespace {

template <typename T>
json or_null(const std::optional<T>& value) {
  return value ? json(*value) : json();
}

json by_width(const GlobalLoads::ByWidth& count) {
  return {{"narrower", count[0]}, {"bits_32", count[1]}, {"bits_64", count[2]}, {"bits_128", count[3]}};
}

/// The configuration, or nothing with the reason noted.
std::optional<search::Configuration> understand(const Task& task, Contestant& contestant) {
  try {
    const search::Configuration configuration = task.space().parse(contestant.configuration);
    contestant.configuration = task.space().text(configuration);
    if (const auto broken = task.space().why_invalid(configuration)) {
      contestant.failure = "not in the space: " + *broken;
      return std::nullopt;
    }
    task.geometry(configuration);
    return configuration;
  } catch (const Error& error) {
    contestant.failure = error.what();
    return std::nullopt;
  }
}

void take_samples(Contestant& contestant, const Truth& truth, std::size_t position) {
  for (const std::vector<double>& row : truth.rows) contestant.samples_ns.push_back(row[position]);
  if (!contestant.samples_ns.empty()) contestant.time_ns = engine::median(contestant.samples_ns);
}

}  // namespace

json facts_record(const engine::Entry& entry, const engine::Entry& original, const DeviceInfo& device) {
  const cache::ResourceFacts& facts = entry.trial.facts;
  json record{{"registers", or_null(facts.registers)},
              {"stack_bytes", or_null(facts.stack_bytes)},
              {"spill_store_bytes", or_null(facts.spill_store_bytes)},
              {"spill_load_bytes", or_null(facts.spill_load_bytes)},
              {"static_shared_bytes", or_null(facts.static_shared_bytes)},
              {"dynamic_shared_bytes", or_null(facts.dynamic_shared_bytes)},
              {"occupancy", or_null(facts.occupancy)},
              {"occupancy_limiter", facts.occupancy_limiter},
              {"idle_registers", or_null(idle_registers(facts, entry.geometry, device))},
              {"global_loads", nullptr}};
  if (const auto loads = global_loads(original.binary.cubin.bytes, original.binary.cubin.kernel)) {
    record["global_loads"] = {{"widest_bits", loads->widest_bits()},
                              {"to_registers", by_width(loads->to_registers)},
                              {"to_shared", by_width(loads->to_shared)},
                              {"waits_in_loop", or_null(loads->waits_in_loop)}};
  }
  return record;
}

json to_record(const Contestant& contestant) {
  json record{{"label", contestant.label}, {"configuration", contestant.configuration}, {"facts", contestant.facts}};
  if (!contestant.failure.empty()) {
    record["failure"] = contestant.failure;
    return record;
  }
  record["time_us"] = contestant.time_ns / 1e3;
  record["samples"] = contestant.samples_ns.size();
  record["speedup"] = {{"ratio", contestant.speedup.ratio},
                       {"low", contestant.speedup.low},
                       {"high", std::min(contestant.speedup.high, 1e9)}};
  return record;
}

Contestant measure_side_by_side(Laboratory& laboratory, const Task& task, std::vector<Contestant>& contestants,
                                int blocks, std::chrono::seconds limit) {
  laboratory.prepare(task, Timing::cold);
  Contestant baseline{"baseline", task.space().text(task.baseline().value())};
  std::vector<search::Configuration> configurations{task.baseline().value()};
  for (Contestant& contestant : contestants) {
    const auto configuration = understand(task, contestant);
    if (configuration &&
        std::find(configurations.begin(), configurations.end(), *configuration) == configurations.end())
      configurations.push_back(*configuration);
  }
  const std::vector<engine::EntryId> usable = laboratory.add(configurations);
  const Truth truth = find_truth(laboratory, usable, blocks, limit);

  const engine::Candidates& candidates = laboratory.candidates();
  std::map<std::string, engine::EntryId> entries;
  for (const engine::EntryId entry : candidates.ids()) entries.emplace(candidates.text(entry), entry);
  const auto complete = [&](Contestant& contestant) {
    if (!contestant.failure.empty()) return;
    const engine::EntryId entry = entries.at(contestant.configuration);
    const engine::EntryId original = candidates.original(entry);
    contestant.facts = facts_record(candidates[entry], candidates[original], task.device());
    const auto position = std::find(truth.entries.begin(), truth.entries.end(), original);
    if (position == truth.entries.end()) {
      const cache::Trial& trial = candidates[original].trial;
      contestant.failure = fmt::format("{}: {}", to_string(trial.outcome), trial.message);
      return;
    }
    take_samples(contestant, truth, static_cast<std::size_t>(position - truth.entries.begin()));
  };
  complete(baseline);
  for (Contestant& contestant : contestants) {
    complete(contestant);
    if (contestant.failure.empty())
      contestant.speedup = engine::paired_ratio(baseline.samples_ns, contestant.samples_ns);
  }
  return baseline;
}

}  // namespace tuner::bench
