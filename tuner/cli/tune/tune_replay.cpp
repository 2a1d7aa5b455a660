#include <fmt/format.h>

#include <optional>

#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/tune/hints.hpp"
#include "tuner/cli/tune/tune_request.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/engine/recording/recorded_lane.hpp"
#include "tuner/engine/recording/recording.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/workplace/session_stores.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

/// A recording holds one problem: values that are given must be its values.
void check_problem(const TuneRequest& request, const Task& task) {
  if (request.problems.size() > 1) {
    throw Error(Errc::bad_problem,
                fmt::format("{} contains one problem, {}, but {} were given. Give one --problem, or none.",
                            request.replay.string(), problem_text(task.problem()), request.problems.size()));
  }
  if (request.problems.empty()) return;
  for (const auto& [name, value] : request.problems.front().values) {
    const auto recorded = task.problem().find(name);
    if (recorded == task.problem().end()) {
      throw Error(Errc::bad_problem,
                  fmt::format("The problem in {} has no `{}`: it is {}. Leave --problem out to replay it.",
                              request.replay.string(), name, problem_text(task.problem())));
    }
    if (!(recorded->second == value)) {
      throw Error(Errc::bad_problem,
                  fmt::format("{} was recorded for {}={}, not {}={}. A recording is valid only for its own problem: "
                              "leave --problem out, or tune on a GPU.",
                              request.replay.string(), name, recorded->second.text(), name, value.text()));
    }
  }
}

/// The recording's launches and times are those of the kernel as it was. Nothing if the file is the same kernel.
std::optional<std::string> compare_with_file(const TuneRequest& request, const engine::Recording& recording,
                                             const Task& task) {
  KernelDescription description =
      load_description(request.file, request.kernel.empty() ? recording.kernel : request.kernel);
  for (const std::string& pad : request.pads) set_padding(description, pad);
  if (description.kernel != recording.kernel) {
    throw Error(Errc::bad_usage, fmt::format("{} is a recording of the kernel `{}`, not of `{}`. Name the matching "
                                             "recording, or leave the kernel file out.",
                                             request.replay.string(), recording.kernel, description.kernel));
  }
  if (recording.kernel_identity.empty()) {
    return fmt::format("{} does not say which version of `{}` was recorded; it may not be the one in {}.",
                       request.replay.string(), recording.kernel, request.file.string());
  }
  const Task today(description, task.problem(), recording.device, {}, request.session.include_folders);
  if (today.kernel_identity() == recording.kernel_identity) return std::nullopt;
  return fmt::format(
      "{} was recorded with another version of {}, and the winner belongs to that version. Tune on a GPU for the "
      "current one.",
      request.replay.string(), request.file.string());
}

std::string note(const engine::Recording& recording) {
  std::string text = fmt::format("recorded on {}", recording.device.name);
  if (!recording.date.empty()) text += " at " + recording.date;
  const cache::Conditions& conditions = recording.conditions;
  if (!conditions.toolkit.empty()) text += fmt::format(" with CUDA {}", conditions.toolkit);
  if (!conditions.driver.empty()) text += fmt::format(" and driver {}", conditions.driver);
  return text + "; nothing was compiled or launched here";
}

}  // namespace

void tune_replay(const TuneRequest& request, const TuneContext& context) {
  std::optional<NothingToKeep> beginning(std::in_place);
  const engine::Recording recording = engine::read_recording(request.replay);
  const Task recorded = engine::recorded_task(recording);
  check_problem(request, recorded);
  const std::string& mode = recording.mode;
  const std::optional<Timing> timing = timing_from_string(mode);
  if (request.mode && timing && *request.mode != *timing) {
    throw Error(
        Errc::bad_usage,
        fmt::format("{} was recorded with --mode {}. Leave --mode out, or write `tuner tune --replay {} --mode {}`.",
                    request.replay.string(), mode, in_command(request.replay), mode));
  }
  std::vector<std::string> warnings;
  if (!request.file.empty()) {
    if (auto difference = compare_with_file(request, recording, recorded)) warnings.push_back(std::move(*difference));
  } else if (!request.kernel.empty() && request.kernel != recording.kernel) {
    throw Error(Errc::bad_usage, fmt::format("{} is a recording of the kernel `{}`, not of `{}`.",
                                             request.replay.string(), recording.kernel, request.kernel));
  }

  // --where leaves out recorded configurations; it is empty more often than not, and then this is the recorded task.
  const Task task(recorded.description(), recorded.problem(), recorded.device(), request.where);
  if (task.space().size() == 0) throw Error(Errc::empty_space, task.space().why_empty());
  require_hints(request.session.hints, request.hints, task);

  engine::SessionStores stores = engine::open_for_replay(request.database);
  warnings.insert(warnings.end(), stores.warnings.begin(), stores.warnings.end());
  for (const std::string& warning : warnings) context.observer.warning(warning);

  engine::SessionOptions options = request.session;
  options.mode = timing.value_or(options.mode);
  options.origin = cache::Origin::replay;
  const engine::RecordedRows rows(recording, task);
  beginning.reset();
  engine::RecordedCompileLane compile(recording, rows);
  engine::RecordedDeviceLane device(recording, rows);
  TuneReport report = engine::run_session(task, options,
                                          {.compile = compile,
                                           .device = device,
                                           .store = *stores.store,
                                           .observer = context.observer,
                                           .stop = context.stop});
  report.mode = mode;
  report.replay_file = request.replay.string();
  report.replay_note = note(recording);
  report.file = request.file.string();
  if (const auto lost = engine::say_what_is_stored(stores, report)) context.observer.warning(*lost);
  context.deliver(std::move(report));
}

}  // namespace tuner::cli
