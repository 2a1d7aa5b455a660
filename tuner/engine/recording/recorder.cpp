#include "tuner/engine/recording/recorder.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <map>
#include <optional>

namespace tuner::engine {

namespace {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

std::vector<std::string> texts(const std::vector<search::Expression>& expressions) {
  std::vector<std::string> result;
  for (const search::Expression& expression : expressions) result.push_back(expression.text());
  return result;
}

std::string text(const std::optional<search::Expression>& expression) {
  return expression ? expression->text() : std::string();
}

Recording describe(const Task& task, const TuneReport& report) {
  const KernelDescription& description = task.description();
  Recording recording;
  recording.kernel = description.kernel;
  recording.kernel_identity = task.kernel_identity();
  recording.problem = problem_text(task.problem());
  recording.date = utc_now();
  recording.mode = report.mode;
  recording.device = task.device();
  recording.conditions = report.decision.conditions;
  recording.baseline = task.baseline();
  recording.winner = report.decision.configuration;
  for (const search::Parameter& parameter : task.space().parameters()) recording.parameters.push_back(parameter);
  for (const search::Constraint& constraint : task.space().constraints()) {
    recording.restrictions.push_back(constraint.expression.text());
  }
  for (const NamedExpression& name : description.names) {
    recording.lets.emplace_back(name.name, name.expression.text());
  }
  recording.grid = texts(description.grid);
  recording.block = texts(description.block);
  recording.shared_bytes = text(description.shared_bytes);
  recording.work_bytes = text(description.work.bytes);
  recording.work_flops = text(description.work.flops);
  return recording;
}

}  // namespace

void Recorder::trial(const cache::Trial& trial) {
  trials_.push_back(trial);
  next_.trial(trial);
}

void Recorder::write(RecordingFile& file, const TuneReport& report) const {
  Recording recording = describe(task_, report);
  std::map<std::string, std::vector<double>> race;
  for (const FinalistReport& finalist : report.finalists) race[finalist.configuration] = finalist.samples_ns;

  // A finalist that failed after it had been timed has two trials: the later one says what it is worth.
  std::map<std::string, const cache::Trial*> latest;
  for (const cache::Trial& trial : trials_) latest[trial.configuration] = &trial;
  for (const auto& [configuration, latest_trial] : latest) {
    const cache::Trial& trial = *latest_trial;
    search::Configuration parsed = task_.space().parse(configuration);
    if (!task_.space().contains(parsed)) continue;  // a baseline that --where excludes
    recording.trials.push_back({.configuration = std::move(parsed),
                                .outcome = trial.outcome,
                                .message = trial.message,
                                .time_ns = trial.time_ns.value_or(0),
                                .samples_ns = trial.samples_ns,
                                .race_ns = race[configuration],
                                .facts = trial.facts,
                                .launch = trial.launch,
                                .compile_ms = trial.compile_ms,
                                .verify_ms = trial.verify_ms,
                                .bench_ms = trial.timing_ms});
  }
  std::sort(recording.trials.begin(), recording.trials.end(),
            [](const RecordedTrial& a, const RecordedTrial& b) { return a.configuration < b.configuration; });
  if (recording.trials.size() != task_.space().size()) {
    throw Error(
        Errc::bad_usage,
        fmt::format(
            "The recording {} was not written: {} of {} configurations were measured, but a recording contains all of "
            "a space. Record with the strategy `exhaustive` and no budget, or narrow the space with --where.",
            file.path().string(), recording.trials.size(), task_.space().size()));
  }
  file.write(recording);
}

}  // namespace tuner::engine
