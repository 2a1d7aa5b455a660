// T4, the results format of the auto-tuning community: https://github.com/odgaard/TuningSchema, results-schema.json.
// It says neither the kernel nor the GPU; what KTT and this program add beside the results does.
#include <numeric>

#include "tuner/core/task/problem.hpp"
#include "tuner/engine/recording/foreign_formats.hpp"
#include "tuner/engine/recording/foreign_rows.hpp"

namespace tuner::engine {

namespace {

constexpr double kMillisecond = 1e6;

Outcome t4_outcome(const JsonNode& result) {
  const JsonNode invalidity = result.need("invalidity");
  const std::string& name = invalidity.string();
  if (name == "correct") {
    const auto correctness = result.find("correctness");
    return correctness && correctness->number() == 0 ? Outcome::wrong_result : Outcome::ok;
  }
  if (name == "compile") return Outcome::compile_error;
  if (name == "correctness") return Outcome::wrong_result;
  if (name == "timeout") return Outcome::run_timeout;
  return Outcome::launch_refused;  // runtime, constraints
}

/// The measurement that is called `time`, or else the mean of the times of the launches.
void read_t4_time(const JsonNode& result, const JsonNode& times, double unit, RecordedTrial& trial) {
  if (const auto runtimes = times.find("runtimes")) trial.samples_ns = foreign_samples(*runtimes, unit);
  if (const auto measurements = result.find("measurements")) {
    for (const JsonNode& measurement : measurements->elements()) {
      const auto name = measurement.find("name");
      if (!name || !name->is_string() || name->string() != "time") continue;
      const JsonNode value = measurement.need_or_null("value");
      const auto own_unit = measurement.find("unit");
      return take_time(value, own_unit && !own_unit->string().empty() ? unit_ns(*own_unit) : unit, trial);
    }
  }
  const auto runtimes = times.find("runtimes");
  if (!runtimes || runtimes->elements().empty())
    times.fail("there are neither `runtimes` nor a measurement called `time`");
  if (trial.samples_ns.empty()) return take_time(runtimes->elements().front(), unit, trial);
  trial.time_ns = std::accumulate(trial.samples_ns.begin(), trial.samples_ns.end(), 0.0) /
                  static_cast<double>(trial.samples_ns.size());
}

/// "A100" of "folder/A100.json.gz".
std::string stem_of(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.', 1));
}

void read_metadata(const JsonNode& metadata, Recording& recording, double& unit) {
  if (const auto kernel = metadata.find("kernel")) recording.kernel = kernel->name();
  if (const auto device = metadata.find("device")) recording.device.name = device->name();
  if (const auto problem = metadata.find("problem")) {
    recording.problem = problem->string();
    try {
      parse_problem(recording.problem);
    } catch (const Error& error) {
      problem->fail(error.what());
    }
  }
  if (const auto when = metadata.find("timestamp")) recording.date = when->name();
  if (const auto given = metadata.find("timeunit")) unit = unit_ns(*given);
}

}  // namespace

void read_t4_results(const JsonNode& root, Recording& recording) {
  double unit = kMillisecond;
  if (const auto metadata = root.find("metadata")) read_metadata(*metadata, recording, unit);
  if (recording.kernel.empty()) recording.kernel = stem_of(recording.file);
  if (recording.device.name.empty()) recording.device.name = "unknown GPU";
  ForeignRows rows(recording);
  const JsonNode results = root.need("results");
  for (const JsonNode& result : results.elements()) {
    RecordedTrial trial;
    trial.outcome = t4_outcome(result);
    const JsonNode times = result.need("times");
    if (trial.outcome == Outcome::ok) {
      read_t4_time(result, times, unit, trial);
    } else {
      trial.message = "recorded as " + result.need("invalidity").text();
    }
    // The format says `compilation_time`; Kernel Tuner writes `compilation`.
    trial.compile_ms = spent_ms(times, times.find("compilation_time") ? "compilation_time" : "compilation", unit);
    trial.verify_ms = spent_ms(times, "validation", unit);
    trial.bench_ms = spent_ms(times, "benchmark", unit);
    NamedValues values;
    const JsonNode configuration = result.need("configuration");
    for (const auto& [name, value] : configuration.members()) values.emplace_back(name, value.value());
    rows.add(configuration, values, std::move(trial));
  }
  rows.finish(results);
}

}  // namespace tuner::engine
