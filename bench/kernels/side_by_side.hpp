#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/engine/laboratory.hpp"
#include "tuner/engine/measure/paired_ratio.hpp"

namespace tuner::bench {

/// One configuration to be measured among others, and what came out.
struct Contestant {
  std::string label;
  std::string configuration;  ///< what differs from the defaults; then canonical

  std::string failure = {};             ///< why there is no time
  std::vector<double> samples_ns = {};  ///< one a block, in the blocks' order
  double time_ns = 0;                   ///< their median
  engine::Ratio speedup = {};           ///< over the baseline, paired
  nlohmann::json facts = nullptr;       ///< resources, as reports name them
};

/// Runs the task's baseline and these configurations interleaved, after each was checked against the baseline: so many
/// blocks, or as many as the time allows. Those that are the same binary share their samples. Returns the baseline.
/// Throws Error where not even that runs.
Contestant measure_side_by_side(Laboratory& laboratory, const Task& task, std::vector<Contestant>& contestants,
                                int blocks, std::chrono::seconds limit);

/// Registers, spills, occupancy, loads…: the keys are those of "facts" in a report.
nlohmann::json facts_record(const engine::Entry& entry, const engine::Entry& original, const DeviceInfo& device);
nlohmann::json to_record(const Contestant& contestant);

}  // namespace tuner::bench
