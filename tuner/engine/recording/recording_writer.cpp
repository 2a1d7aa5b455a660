// Writing recordings. docs/recordings.md is the grammar.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "tuner/core/device/device_fields.hpp"
#include "tuner/engine/measure/statistics.hpp"
#include "tuner/engine/recording/recording.hpp"

namespace tuner::engine {

namespace {

std::string in_a_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string quote(const std::string& given) {
  const std::string text = in_a_line(given);
  if (text.find_first_of(",\"") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Shortest digits that read back the same.
std::string digits(double number) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, number).ptr;
  return std::string(buffer, end);
}

std::string join(const std::vector<double>& numbers) {
  std::string text;
  for (const double number : numbers) {
    if (!text.empty()) text += ' ';
    text += digits(number);
  }
  return text;
}

/// Who measured is nobody's business, so the device's own number stays out; its name and driver have lines of their
/// own.
std::string device_text(const DeviceInfo& device) {
  nlohmann::json json;
  visit_device(device, [&](std::string_view name, const auto& member) { json[std::string(name)] = member; });
  for (const char* name : {"name", "uuid", "ordinal", "driver_version"}) json.erase(name);
  return json.dump();
}

std::string header(const Recording& recording) {
  std::string text = "#space 1\n";
  const auto line = [&](std::string_view keyword, const std::string& value) {
    if (!value.empty()) text += fmt::format("#{} {}\n", keyword, in_a_line(value));
  };
  line("kernel", recording.kernel);
  line("identity", recording.kernel_identity);
  line("gpu", recording.device.name);
  line("problem", recording.problem);
  line("mode", recording.mode);
  line("date", recording.date);
  line("tuner", recording.conditions.tuner_version);
  line("toolkit", recording.conditions.toolkit);
  line("driver", recording.conditions.driver);
  line("device", device_text(recording.device));
  for (const search::Parameter& parameter : recording.parameters) {
    std::string values;
    for (const search::Value& value : parameter.values) values += (values.empty() ? "" : ",") + quote(value.text());
    line("param", parameter.name + " " + values);
  }
  for (const auto& [name, expression] : recording.lets) line("let", name + " = " + expression);
  for (const std::string& expression : recording.grid) line("grid", expression);
  for (const std::string& expression : recording.block) line("block", expression);
  line("shared", recording.shared_bytes);
  line("work_bytes", recording.work_bytes);
  line("work_flops", recording.work_flops);
  for (const std::string& restriction : recording.restrictions) line("restriction", restriction);
  if (recording.baseline) {
    line("baseline", search::Space(recording.parameters, {}, {}).text(*recording.baseline));
  }
  line("winner", recording.winner);
  return text;
}

std::string columns() {
  std::string text = "status,time_ms,rel_sd,compile_ms,verify_ms,bench_ms,samples_ns,race_ns,";
  const auto add = [&](const char* name, const auto&) { text += fmt::format("{},", name); };
  const cache::ResourceFacts none;
  describe(add, none);
  return text + "launch,message";
}

std::string field(const std::optional<int>& value) {
  return value ? fmt::format("{}", *value) : "";
}
std::string field(const std::optional<double>& value) {
  return value ? digits(*value) : "";
}
std::string field(const std::string& value) {
  return quote(value);
}
std::string field(const cache::Hash& hash) {
  return quote(hash.text);
}

std::string row(const Recording& recording, const RecordedTrial& trial) {
  const bool ok = trial.outcome == Outcome::ok;
  std::string text;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    text += quote(recording.parameters[i].values[trial.configuration.choice[i]].text()) + ',';
  }
  text += fmt::format("{},{},{},", to_string(trial.outcome), ok ? digits(trial.time_ns / 1e6) : "",
                      ok ? fmt::format("{:.5f}", relative_deviation(trial.samples_ns)) : "");
  text += fmt::format("{:.3f},{:.3f},{:.3f},{},{},", trial.compile_ms, trial.verify_ms, trial.bench_ms,
                      join(trial.samples_ns), join(trial.race_ns));
  const auto add = [&](const char*, const auto& fact) { text += field(fact) + ','; };
  describe(add, trial.facts);
  text += fmt::format("{},{}\n", quote(trial.launch), quote(trial.message));
  return text;
}

}  // namespace

std::string recording_text(const Recording& recording) {
  std::string text = header(recording);
  for (const search::Parameter& parameter : recording.parameters) text += quote(parameter.name) + ',';
  text += columns() + '\n';
  for (const RecordedTrial& trial : recording.trials) text += row(recording, trial);
  return text;
}

}  // namespace tuner::engine
