#include "tuner/cli/stored/export_t4.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cache/file/fresh_file.hpp"
#include "tuner/cli/given/decisions.hpp"
#include "tuner/cli/given/selection.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/stored/newest_winners.hpp"
#include "tuner/cli/terminal/arguments.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/wrapping.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using T4Json = nlohmann::ordered_json;

/// The words of the format; `correct` for what ran.
std::string_view invalidity(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "correct";
    case Outcome::compile_error:
    case Outcome::compile_memory:
      return "compile";
    case Outcome::compile_timeout:
    case Outcome::run_timeout:
      return "timeout";
    case Outcome::guard_violation:
    case Outcome::input_modified:
    case Outcome::wrong_result:
    case Outcome::unwritten_output:
    case Outcome::nondeterministic:
      return "correctness";
    case Outcome::launch_refused:
    case Outcome::illegal_access:
    case Outcome::out_of_memory:
    case Outcome::worker_lost:
      return "runtime";
  }
  return "runtime";
}

T4Json t4_value(const search::Value& value) {
  if (value.is_boolean()) return value.as_boolean();
  if (value.is_integer()) return value.as_integer();
  if (value.is_real()) return value.as_real();
  return value.as_name();
}

T4Json t4_configuration(const std::string& configuration) {
  T4Json object = T4Json::object();
  for (const std::string& assignment : split_assignments(configuration)) {
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    object[assignment.substr(0, equals)] =
        t4_value(search::Value::parse(std::string_view(assignment).substr(std::min(equals + 1, assignment.size()))));
  }
  return object;
}

std::string moment(std::int64_t unix_ms) {
  const std::time_t seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                     parts.tm_hour, parts.tm_min, parts.tm_sec);
}

T4Json t4_result(const cache::Trial& trial) {
  const bool ran = trial.outcome == Outcome::ok && trial.time_ns;
  T4Json runtimes = T4Json::array();
  T4Json measurements = T4Json::array();
  if (ran) {
    for (const double sample : trial.samples_ns) runtimes.push_back(sample / 1e6);
    measurements.push_back({{"name", "time"}, {"value", *trial.time_ns / 1e6}, {"unit", "ms"}});
  }
  if (ran && trial.censored) {  // stopped early, because it was slow: the time is what it takes at least
    measurements.push_back({{"name", "censored"}, {"value", 1}, {"unit", ""}});
  }
  return {{"timestamp", moment(trial.created_unix_ms)},
          {"configuration", t4_configuration(trial.configuration)},
          {"times",
           {{"compilation_time", trial.compile_ms},
            {"validation", trial.verify_ms},
            {"benchmark", trial.timing_ms},
            {"runtimes", std::move(runtimes)}}},
          {"invalidity", invalidity(trial.outcome)},
          {"correctness", trial.outcome == Outcome::ok ? 1 : 0},
          {"measurements", std::move(measurements)},
          {"objectives", {"time"}}};
}

/// A result a line. What the format has no word for, the kernel, the problem and the GPU, stands beside the results.
std::string t4_text(const cache::Decision& decision, const std::vector<cache::Trial>& trials) {
  const auto line = [](const T4Json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  const T4Json metadata{{"kernel", decision.key.kernel_name},
                        {"problem", decision.key.problem},
                        {"device", device_name(decision.key.device)},
                        {"mode", decision.key.mode},
                        {"compute_api", "CUDA"},
                        {"autotuner", "tuner"},
                        {"autotuner_version", decision.conditions.tuner_version},
                        {"toolkit", decision.conditions.toolkit},
                        {"driver", decision.conditions.driver},
                        {"timestamp", moment(decision.created_unix_ms)},
                        {"timeunit", "milliseconds"}};
  std::string text = "{\"schema_version\": \"1.0.0\",\n\"metadata\": " + line(metadata) + ",\n\"results\": [";
  for (std::size_t i = 0; i < trials.size(); ++i) text += (i == 0 ? "\n" : ",\n") + line(t4_result(trials[i]));
  return text + "\n]}\n";
}

void refuse_what_t4_ignores(const Arguments& arguments) {
  for (const char* option : {"decisions-only", "with-binaries", "style", "namespace", "rule"}) {
    if (!arguments.has(option)) continue;
    throw Error(Errc::bad_usage,
                fmt::format("{} does not apply to a T4 file, which contains the trials of one kernel. Leave it out.",
                            spelled(option)));
  }
  if (arguments.operands().empty()) return;
  throw Error(Errc::bad_usage,
              fmt::format("--t4 names the file to write: leave {} out.", in_command(arguments.operands().front())));
}

[[noreturn]] void refuse_several(const std::vector<cache::Decision>& decisions) {
  constexpr std::size_t kListed = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(kListed, decisions.size()); ++i) {
    const cache::DecisionKey& key = decisions[i].key;
    list += fmt::format("{}`{}`{} on {}", i == 0 ? "" : ", ", one_line(key.kernel_name, 200),
                        key.problem.empty() ? "" : " with " + one_line(key.problem, 200),
                        one_line(device_name(key.device), 200));
  }
  throw Error(Errc::bad_usage,
              fmt::format("A T4 file holds one kernel, problem and GPU, and there are {}: {}{}. Choose one with "
                          "--kernel, --problem and --device.",
                          decisions.size(), list, decisions.size() > kListed ? ", …" : ""));
}

}  // namespace

ExitCode export_t4(const Arguments& arguments) {
  refuse_what_t4_ignores(arguments);
  const std::filesystem::path file = arguments.value("t4").value_or("");
  const Selection selection(arguments, arguments.value("kernel").value_or(""));
  const cache::Location from = cache::locate(arguments.value("db").value_or(""));
  const auto store = open_for_reading(from);
  const std::vector<cache::Decision> decisions = winners_to_export(store.get(), from, selection);
  if (decisions.empty()) return ExitCode::no_result;
  if (decisions.size() > 1) refuse_several(decisions);
  const cache::Decision& decision = decisions.front();
  const std::vector<cache::Trial> trials = trials_behind(decision, *store);
  if (trials.empty()) {
    say(fmt::format("Nothing was exported: {} has the winner, but no trial of its search.", from.decisions.string()));
    return ExitCode::no_result;
  }
  cache::FreshFile fresh(file, arguments.has("force"), cache::FreshFile::Kind::text);
  fresh.append(t4_text(decision, trials));
  fresh.publish();
  if (arguments.has("json")) {
    print_json({{"format", 1},
                {"database", from.decisions.string()},
                {"file", file.string()},
                {"kernel", decision.key.kernel_name},
                {"problem", decision.key.problem},
                {"device", device_name(decision.key.device)},
                {"trials", trials.size()}});
    return ExitCode::done;
  }
  print(fmt::format("Exported to {}:\n", one_line(file.string())));
  print(labelled("  ", fmt::format("{}: {}", one_line(decision.key.kernel_name),
                                   counted(static_cast<std::uint64_t>(trials.size()), "trial"))));
  return ExitCode::done;
}

}  // namespace tuner::cli
