// The cache files of Kernel Tuner: https://kerneltuner.github.io, "Cache files".
#include <algorithm>
#include <cmath>

#include "tuner/engine/recording/foreign_formats.hpp"
#include "tuner/engine/recording/foreign_rows.hpp"

namespace tuner::engine {

namespace {

/// What versions before 0.4 wrote as the time of a configuration that failed.
constexpr double kFailedTime = 1e20;

/// As the problem of a T1 file is called.
std::string problem_of(const JsonNode& root) {
  const auto size = root.find("problem_size");
  if (!size) return {};
  if (!size->is_array()) return size->is_number() ? "problem_size=" + size->value().text() : "";
  std::string problem;
  const std::vector<JsonNode> sizes = size->elements();
  if (sizes.size() > 3) size->fail("a problem has at most three sizes, not {}", sizes.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (!sizes[i].is_number()) return {};  // the text of an expression
    problem += fmt::format("{}problem_size_{}={}", i == 0 ? "" : ",", "xyz"[i], sizes[i].value().text());
  }
  return problem;
}

std::vector<std::string> declare_parameters(const JsonNode& root, ForeignRows& rows) {
  std::vector<std::string> names;
  const JsonNode keys = root.need("tune_params_keys");
  const auto lists = root.find("tune_params");
  for (const JsonNode& key : keys.elements()) {
    const std::string& name = key.string();
    std::vector<search::Value> values;
    if (lists) {
      const JsonNode list = lists->need(name);
      for (const JsonNode& value : list.elements()) values.push_back(value.value());
      if (values.empty()) list.fail("has no values");
    }
    rows.declare(key, name, values);
    names.push_back(name);
  }
  if (names.empty()) keys.fail("names no parameter");
  return names;
}

/// Values beside the times, or else in the key: `16,4`.
NamedValues configuration_of(const JsonNode& entry, std::string_view key, const std::vector<std::string>& names) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= key.size();) {
    const std::size_t end = std::min(key.find(',', begin), key.size());
    parts.push_back(key.substr(begin, end - begin));
    begin = end + 1;
  }
  const bool key_is_clear = parts.size() == names.size();
  NamedValues values;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::optional<search::Value> in_key;
    if (key_is_clear) {
      try {
        in_key = search::Value::parse(parts[i]);
      } catch (const Error& error) {
        entry.fail(error.what());
      }
    }
    const auto given = entry.find(names[i]);
    if (!given && !in_key) entry.fail("neither the key nor a member says the value of `{}`", names[i]);
    values.emplace_back(names[i], given ? given->value() : *in_key);
    const search::Value& value = values.back().second;
    if (in_key && value.is_integer() && in_key->is_integer() && !(value == *in_key)) {
      entry.fail("`{}` is {}, but the key says {}", names[i], value.text(), in_key->text());
    }
  }
  return values;
}

void read_time(const JsonNode& entry, RecordedTrial& trial) {
  const JsonNode time = entry.need_or_null("time");
  const std::optional<double> number = time.as_number();
  if (!number && time.is_string()) {  // such as `RuntimeFailedConfig`
    trial.outcome = time.string() == "CompilationFailedConfig" ? Outcome::compile_error : Outcome::launch_refused;
    trial.message = "recorded as " + time.text();
    return;
  }
  if (number && *number >= kFailedTime && std::isfinite(*number)) {
    trial.outcome = Outcome::launch_refused;
    trial.message = "recorded as a time of 1e20 ms, which stands for a failure";
    return;
  }
  take_time(time, 1e6, trial);
  if (const auto times = entry.find("times")) trial.samples_ns = foreign_samples(*times, 1e6);
}

}  // namespace

void read_kernel_tuner_cache(const JsonNode& root, Recording& recording) {
  recording.kernel = root.need("kernel_name").name();
  recording.device.name = root.need("device_name").name();
  recording.problem = problem_of(root);
  ForeignRows rows(recording);
  const std::vector<std::string> names = declare_parameters(root, rows);
  const JsonNode cache = root.need("cache");
  for (const auto& [key, entry] : cache.members()) {
    RecordedTrial trial;
    read_time(entry, trial);
    trial.compile_ms = spent_ms(entry, "compile_time");
    trial.verify_ms = spent_ms(entry, "verification_time");
    trial.bench_ms = spent_ms(entry, "benchmark_time");
    if (const auto when = entry.find("timestamp"); when && when->is_string()) {
      recording.date = std::max(recording.date, when->name());
    }
    rows.add(entry, configuration_of(entry, key, names), std::move(trial));
  }
  rows.finish(cache);
}

}  // namespace tuner::engine
