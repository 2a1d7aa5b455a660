#include "tuner/cli/simulate/simulate_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "search/strategy/prng.hpp"
#include "tuner/cli/simulate/permuted_recording.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/engine/recording/recording.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using engine::RecordedTrial;
using engine::Recording;

std::string name_of(const std::filesystem::path& file) {
  std::filesystem::path name = file.filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().string();
}

/// What a row costs in units of the mean row, and that unit. Rows that say nothing cost what the middle row costs.
struct Costs {
  std::vector<double> units;  ///< by trial
  double unit_s = 0;
};

Costs costs_of(const Recording& recording) {
  Costs result;
  std::vector<double> known;
  for (const RecordedTrial& trial : recording.trials) {
    result.units.push_back((trial.compile_ms + trial.verify_ms + trial.bench_ms) / 1e3);
    if (result.units.back() > 0) known.push_back(result.units.back());
  }
  if (known.empty()) {
    throw Error(
        Errc::bad_recording,
        fmt::format(
            "{} has no times for compiling and timing, so costs in seconds are unknown. Leave `--cost seconds` out.",
            recording.file.string()));
  }
  const double middle = engine::median(known);
  double sum = 0;
  for (double& seconds : result.units) sum += seconds = seconds > 0 ? seconds : middle;
  result.unit_s = sum / static_cast<double>(result.units.size());
  for (double& seconds : result.units) seconds /= result.unit_s;
  return result;
}

search::RecordedOutcome outcome_of(const RecordedTrial& trial, double cost) {
  const cache::ResourceFacts& facts = trial.facts;
  search::RecordedOutcome row;
  row.outcome = trial.outcome;
  row.time_ns = trial.outcome == Outcome::ok ? trial.time_ns : 0;
  row.relative_deviation = trial.relative_deviation;
  row.cost = cost;
  row.registers = facts.registers;
  if (facts.spill_store_bytes && facts.spill_load_bytes) {
    row.spill_bytes = *facts.spill_store_bytes + *facts.spill_load_bytes;
  }
  row.occupancy = facts.occupancy;
  return row;
}

std::uint64_t fingerprint_of(const std::vector<search::RecordedOutcome>& rows) {
  std::vector<double> times;
  for (const search::RecordedOutcome& row : rows) times.push_back(row.time_ns);
  std::sort(times.begin(), times.end());
  std::uint64_t result = times.size();
  for (const double time : times) result = search::Prng(result ^ std::bit_cast<std::uint64_t>(time)).next();
  return result;
}

/// A configuration of one recording as one of another with equal names and values; nothing if a value or a parameter
/// is not there. A parameter with one value needs no counterpart.
std::optional<search::Configuration> translated(const search::Configuration& configuration, const Recording& from,
                                                const Recording& to) {
  search::Configuration result;
  for (const search::Parameter& parameter : to.parameters) {
    const auto same = std::find_if(from.parameters.begin(), from.parameters.end(),
                                   [&](const search::Parameter& other) { return other.name == parameter.name; });
    if (same == from.parameters.end()) {
      if (parameter.values.size() != 1) return std::nullopt;
      result.choice.push_back(0);
      continue;
    }
    const auto column = static_cast<std::size_t>(same - from.parameters.begin());
    const auto position = parameter.position_of(same->values[configuration.choice[column]]);
    if (!position) return std::nullopt;
    result.choice.push_back(*position);
  }
  return result;
}

/// The fastest or slowest rows, in that order, as configurations of `to`.
std::vector<search::Configuration> promising_for(const Recording& to, const PromisingRows& wanted) {
  const Recording from = engine::read_recording(wanted.file);
  std::vector<const RecordedTrial*> rows;
  for (const RecordedTrial& trial : from.trials) {
    if (trial.outcome == Outcome::ok) rows.push_back(&trial);
  }
  std::stable_sort(rows.begin(), rows.end(), [&](const RecordedTrial* a, const RecordedTrial* b) {
    return wanted.worst ? a->time_ns > b->time_ns : a->time_ns < b->time_ns;
  });
  if (rows.size() > wanted.count) rows.resize(wanted.count);
  std::vector<search::Configuration> result;
  for (const RecordedTrial* row : rows) {
    if (auto configuration = translated(row->configuration, from, to)) result.push_back(*std::move(configuration));
  }
  return result;
}

}  // namespace

SimulatedSpace load_space(const std::filesystem::path& file, const SimulateRequest& request) {
  Recording recording = engine::read_recording(file);
  std::vector<search::Configuration> promising;
  if (request.promising) promising = promising_for(recording, *request.promising);
  if (request.permute) {
    PermutedRecording other = permuted(std::move(recording), request.seed);
    recording = std::move(other.recording);
    for (search::Configuration& configuration : promising) configuration = permuted(configuration, other.order);
  }
  Costs costs;
  if (request.cost == SimulatedCost::seconds) costs = costs_of(recording);

  auto task = std::make_unique<const Task>(engine::recorded_task(recording));
  const search::Space& space = task->space();
  std::erase_if(promising, [&](const search::Configuration& other) { return !space.contains(other); });
  if (request.promising && promising.empty()) {
    throw Error(
        Errc::bad_usage,
        fmt::format("None of the {} {} configurations of {} that ran is one of {}: name a recording of the same "
                    "kernel, or leave --promising out.",
                    request.promising->count, request.promising->worst ? "slowest" : "fastest",
                    request.promising->file.string(), file.string()));
  }
  search::RecordedSpace recorded{space, std::vector<search::RecordedOutcome>(space.size())};
  std::size_t valid = 0;
  bool deviates = false;
  for (std::size_t i = 0; i < recording.trials.size(); ++i) {
    const RecordedTrial& trial = recording.trials[i];
    recorded.rows[space.index_of(trial.configuration).value()] =
        outcome_of(trial, costs.units.empty() ? 1 : costs.units[i]);
    if (trial.outcome == Outcome::ok) ++valid;
    if (trial.relative_deviation > 0) deviates = true;
  }
  if (valid == 0) {
    throw Error(
        Errc::bad_recording,
        fmt::format("Every configuration in {} failed, so there is no optimum to compare with.", file.string()));
  }
  if (request.noise == search::Noise::recorded && !deviates) {
    throw Error(
        Errc::bad_recording,
        fmt::format("{} does not record the scatter of its times (column rel_sd). Leave --noise out.", file.string()));
  }
  const std::uint64_t fingerprint = fingerprint_of(recorded.rows);
  search::Yardstick yardstick(search::scored_rows(recorded), request.budget);
  return {.file = file.string(),
          .name = name_of(file),
          .kernel = recording.kernel,
          .device = recording.device.name,
          .valid_rows = valid,
          .unit_s = costs.unit_s,
          .fingerprint = fingerprint,
          .task = std::move(task),
          .recorded = std::move(recorded),
          .yardstick = std::move(yardstick),
          .promising = std::move(promising)};
}

}  // namespace tuner::cli
