#include "tuner/engine/recording/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "tuner/core/base/printable.hpp"

namespace tuner::engine {

namespace {

search::Expression parse_recorded(const Recording& recording, const std::string& text) {
  try {
    return search::Expression::parse(text);
  } catch (const search::ExpressionError& error) {
    throw Error(Errc::bad_recording, fmt::format("{}: the recorded expression `{}` cannot be read: {}",
                                                 recording.file.string(), one_line(text, 200), error.what()));
  }
}

std::vector<search::Expression> parse_all(const Recording& recording, const std::vector<std::string>& texts) {
  std::vector<search::Expression> expressions;
  for (const std::string& text : texts) expressions.push_back(parse_recorded(recording, text));
  return expressions;
}

std::optional<search::Expression> parse_optional(const Recording& recording, const std::string& text) {
  if (text.empty()) return std::nullopt;
  return parse_recorded(recording, text);
}

KernelDescription describe(const Recording& recording) {
  KernelDescription description;
  description.file = recording.file;
  description.kernel = recording.kernel;
  description.known_identity =
      recording.kernel_identity.empty() ? recording.kernel + ":recorded" : recording.kernel_identity;
  for (std::size_t i = 0; i < recording.parameters.size(); ++i) {
    ParameterDescription parameter{recording.parameters[i], ParameterForm::macro, {}};
    if (recording.baseline) {
      parameter.parameter.default_value = parameter.parameter.values[recording.baseline->choice[i]];
    }
    description.parameters.push_back(std::move(parameter));
  }
  for (const auto& [name, text] : recording.lets) {
    description.names.push_back({name, parse_recorded(recording, text), false, {}});
  }
  const std::string origin = recording.file.filename().string();
  for (const std::string& text : recording.restrictions) {
    description.constraints.push_back({parse_recorded(recording, text), origin});
  }
  description.grid = parse_all(recording, recording.grid);
  description.block = parse_all(recording, recording.block);
  description.shared_bytes = parse_optional(recording, recording.shared_bytes);
  description.work.bytes = parse_optional(recording, recording.work_bytes);
  description.work.flops = parse_optional(recording, recording.work_flops);
  if (recording.rows_are_space) {
    auto rows = std::make_shared<std::vector<search::Configuration>>();
    for (const RecordedTrial& trial : recording.trials) rows->push_back(trial.configuration);
    std::sort(rows->begin(), rows->end());
    description.known_rows = std::move(rows);
  }
  return description;
}

}  // namespace

Task recorded_task(const Recording& recording) {
  KernelDescription description = describe(recording);
  ProblemValues problem;
  try {
    if (!recording.problem.empty()) problem = parse_problem(recording.problem);
  } catch (const Error& error) {
    throw Error(Errc::bad_recording, fmt::format("{}: the line `#problem`: {}", recording.file.string(), error.what()));
  }
  for (const auto& [name, value] : problem) {
    // What was a constant then is a constant now; the distinction matters only to compiling and to near matches.
    const auto kind = value.is_name() ? ProblemProperty::Kind::constant : ProblemProperty::Kind::exact;
    description.problem.push_back({name, kind, std::nullopt, {}});
  }
  Task task(std::move(description), problem, recording.device);

  std::set<search::Configuration> rows;
  for (const RecordedTrial& trial : recording.trials) {
    if (!rows.insert(trial.configuration).second) {
      throw Error(Errc::bad_recording, fmt::format("{}: the configuration {} is recorded twice",
                                                   recording.file.string(), task.space().text(trial.configuration)));
    }
    if (const auto violated = task.space().why_invalid(trial.configuration)) {
      throw Error(Errc::bad_recording, fmt::format("{}: it contains a configuration that its restrictions exclude: {}",
                                                   recording.file.string(), *violated));
    }
  }
  if (rows.size() != task.space().size()) {
    throw Error(Errc::bad_recording,
                fmt::format("{}: its restrictions allow {} configurations, but {} are recorded; the file is incomplete",
                            recording.file.string(), task.space().size(), rows.size()));
  }
  return task;
}

}  // namespace tuner::engine
