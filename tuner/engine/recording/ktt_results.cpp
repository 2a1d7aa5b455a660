// Results of KTT, the Kernel Tuning Toolkit, as JSON: https://github.com/HiPerCoRe/KTT.
#include "tuner/engine/recording/foreign_formats.hpp"
#include "tuner/engine/recording/foreign_rows.hpp"

namespace tuner::engine {

namespace {

Outcome ktt_outcome(const JsonNode& status) {
  const std::string& name = status.string();
  if (name == "Ok") return Outcome::ok;
  if (name == "CompilationFailed") return Outcome::compile_error;
  if (name == "ValidationFailed") return Outcome::wrong_result;
  return Outcome::launch_refused;  // ComputationFailed, DeviceLimitsExceeded
}

NamedValues ktt_configuration(const JsonNode& list) {
  NamedValues values;
  for (const JsonNode& pair : list.elements()) {
    values.emplace_back(pair.need("Name").string(), pair.need("Value").value());
  }
  return values;
}

/// Registers of a thread, where one launch makes up the result.
std::optional<int> registers_of(const JsonNode& result) {
  const auto computations = result.find("ComputationResults");
  if (!computations) return std::nullopt;
  const std::vector<JsonNode> launches = computations->elements();
  if (launches.size() != 1) return std::nullopt;
  const auto compiled = launches.front().find("CompilationData");
  if (!compiled) return std::nullopt;
  const auto registers = compiled->find("RegistersCount");
  if (!registers) return std::nullopt;
  const double count = registers->number();
  if (!(count >= 0 && count <= 1024)) registers->fail("is no number of registers");
  return static_cast<int>(count);
}

}  // namespace

void read_ktt_results(const JsonNode& root, Recording& recording) {
  const JsonNode metadata = root.need("Metadata");
  recording.device.name = metadata.need("Device").name();
  if (const auto when = metadata.find("Timestamp")) recording.date = when->name();
  const double unit = unit_ns(metadata.need("TimeUnit"));
  ForeignRows rows(recording);
  const JsonNode results = root.need("Results");
  for (const JsonNode& result : results.elements()) {
    const JsonNode kernel = result.need("KernelName");
    if (recording.kernel.empty()) recording.kernel = kernel.name();
    if (kernel.string() != recording.kernel) {
      kernel.fail("these are results of `{}`, and those before of `{}`: save one kernel to a file", kernel.string(),
                  recording.kernel);
    }
    RecordedTrial trial;
    const JsonNode status = result.need("Status");
    trial.outcome = ktt_outcome(status);
    if (trial.outcome == Outcome::ok) {
      take_time(result.need_or_null("TotalDuration"), unit, trial);
      trial.facts.registers = registers_of(result);
    } else {
      trial.message = "recorded as " + status.text();
    }
    trial.compile_ms = spent_ms(result, "CompilationOverhead", unit);
    trial.verify_ms = spent_ms(result, "ValidationOverhead", unit);
    const JsonNode configuration = result.need("Configuration");
    rows.add(configuration, ktt_configuration(configuration), std::move(trial));
  }
  rows.finish(results);
}

}  // namespace tuner::engine
