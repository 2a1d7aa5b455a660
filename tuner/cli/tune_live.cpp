#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/cli/given_problems.hpp"
#include "tuner/cli/interrupts.hpp"
#include "tuner/cli/no_gpu.hpp"
#include "tuner/cli/tune_request.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/roofline.hpp"
#include "tuner/engine/compile/nvrtc.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/recording/recorder.hpp"
#include "tuner/engine/roofline/measured_roofline.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/session/session_stores.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Clock = std::chrono::steady_clock;
using Kernel = std::shared_ptr<const KernelDescription>;

/// Mistakes in the input are found against this GPU where there is none.
constexpr const char* kStandIn = "H200";
constexpr const char* kWayOut =
    "Without a GPU you can replay a recording: `tuner tune --replay FILE`; `tuner doctor` checks everything else.";

Task make_task(const TuneRequest& request, const Kernel& kernel, const GivenProblem& problem,
               const DeviceInfo& device) {
  return at_origin(problem, [&] {
    Task task(kernel, problem.values, device, request.where, request.session.include_folders);
    if (task.space().size() == 0) {
      const std::string which =
          request.problems.size() > 1 ? fmt::format("For the problem {}: ", problem_text(problem.values)) : "";
      throw Error(Errc::empty_space, which + task.space().why_empty());
    }
    if (request.session.budget.roofline) require_roofline(task, request.session.mode);
    return task;
  });
}

/// Makes the tasks of all problems, so that a mistake in the last is found before the first is tuned. Returns the
/// first hundred: a task holds its headers and its space, and there may be thousands.
std::vector<Task> make_tasks(const TuneRequest& request, const Kernel& kernel,
                             const std::vector<GivenProblem>& problems, const DeviceInfo& device) {
  constexpr std::size_t kKept = 100;
  const NothingToKeep counting;
  std::vector<Task> tasks;
  for (const GivenProblem& problem : problems) {
    Task task = make_task(request, kernel, problem, device);
    if (tasks.empty()) check_written_signatures(*kernel, task.headers());
    if (tasks.size() < kKept) tasks.push_back(std::move(task));
  }
  return tasks;
}

/// Mistakes in the input first: they would be mistakes with a GPU as well. Then the toolkit, then the GPU.
[[noreturn]] void explain_missing_device(const TuneRequest& request, const Kernel& kernel,
                                         const std::vector<GivenProblem>& problems, const Error& no_device) {
  make_tasks(request, kernel, problems, known_device(kStandIn));
  try {
    engine::nvrtc();
  } catch (const Error& no_toolkit) {
    throw Error(no_toolkit.code(), fmt::format("{} {} {}", no_toolkit.what(), no_device.what(), kWayOut));
  }
  throw Error(no_device.code(), fmt::format("{} {}", no_device.what(), kWayOut));
}

/// The GPU with the request's number; null if told to stop. Waits for the worker that holds it.
const DeviceInfo* wait_for_device(engine::DeviceLane& lane, const TuneRequest& request, const Kernel& kernel,
                                  const std::vector<GivenProblem>& problems, const std::atomic<bool>& stop) {
  try {
    return &lane.info();
  } catch (const Error& error) {
    if (stop) return nullptr;
    if (error.code() != Errc::no_driver) throw;
    refuse_number_without_gpu(request.device);
    explain_missing_device(request, kernel, problems, error);
  }
}

/// Waits until no other process tunes the task in this database or measures on its GPU, or has waited long enough, with
/// one warning that says for whom; false if the user interrupted it. `before_waiting` is called when it begins to wait.
/// Throws Error{busy} if the request is not to wait.
bool wait_for_turn(const Task& task, const TuneRequest& request, const std::string& database,
                   const TuneContext& context, const std::function<void()>& before_waiting, engine::Overdue& overdue,
                   engine::Turn& turn) {
  engine::TurnWait wait;
  wait.overdue = &overdue;
  wait.limit = request.if_busy == IfBusy::leave ? engine::kLongestWait : request.longest_wait;
  wait.gives_up = [&] { return context.stop.load(); };
  wait.waits = [&, limit = wait.limit](const std::string& busy) {
    if (request.if_busy == IfBusy::leave) {
      throw Error(Errc::busy, fmt::format("{}. Try again later, or omit `--if-busy leave` to wait for it.", busy));
    }
    before_waiting();
    context.observer.warning(
        fmt::format("{}: waiting for it to end, at most {}. Ctrl-C stops waiting; `--if-busy ignore` continues at "
                    "once, `--if-busy leave` exits at once.",
                    busy, duration_text(std::chrono::duration<double>(limit).count())));
  };
  wait.warning = [&](const std::string& sentence) { context.observer.warning(sentence); };
  return engine::take_lease(task, request.session.mode, database, wait, turn) && engine::take_gpu(task, wait, turn);
}

}  // namespace

void tune_live(const TuneRequest& request, const TuneContext& context) {
  std::optional<NothingToKeep> beginning(std::in_place);
  KernelDescription description =
      request.description ? *request.description
                          : load_description(request.file, request.kernel,
                                             [&](const std::string& sentence) { context.observer.warning(sentence); });
  for (const std::string& pad : request.pads) set_padding(description, pad);
  const auto kernel = std::make_shared<const KernelDescription>(std::move(description));
  // A mistake here needs no GPU to be seen.
  const std::vector<GivenProblem> problems = distinct_problems(
      *kernel, request.problems, [&](const std::string& sentence) { context.observer.warning(sentence); });
  beginning.reset();
  std::optional<engine::RecordingFile> recording;
  if (!request.record.empty()) recording.emplace(request.record, request.replace);

  // Compile workers start while the device worker creates its context.
  engine::CompilePoolOptions compile_options{.workers = static_cast<int>(request.workers),
                                             .include_folders = request.session.include_folders};
  compile_options.timeout = request.compile_timeout.value_or(compile_options.timeout);
  std::optional<engine::CompilePool> compile(std::in_place, std::move(compile_options));
  const engine::DeviceLaneOptions device_options{.ordinal = request.device, .stop = &context.stop};
  std::optional<engine::DeviceProcessLane> device(std::in_place, device_options);
  const DeviceInfo* found = wait_for_device(*device, request, kernel, problems, context.stop);
  if (found == nullptr) return;
  const DeviceInfo info = *found;
  const std::vector<Task> tasks = make_tasks(request, kernel, problems, info);

  beginning.emplace();
  engine::SessionStores stores = engine::open_for_session(request.database);
  beginning.reset();
  for (const std::string& warning : stores.warnings) context.observer.warning(warning);
  engine::Overdue overdue;
  engine::SessionOptions options = request.session;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    if (i > 0 && request.begin_before && Clock::now() >= *request.begin_before) return;
    const bool is_last = i + 1 == problems.size();
    std::optional<Task> made;
    const Task& task = i < tasks.size() ? tasks[i] : made.emplace(make_task(request, kernel, problems[i], info));
    // Who waits holds nothing of the GPU: whoever is measuring would take it for a disturbance, and rightly.
    engine::Turn turn;
    if (!wait_for_turn(
            task, request, stores.path, context, [&] { device.reset(); }, overdue, turn))
      return;
    if (!device) device.emplace(device_options);
    std::optional<engine::Recorder> recorder;  // it keeps every trial in memory
    if (recording) recorder.emplace(context.observer, task);
    engine::Observer& observer = recorder ? *recorder : context.observer;
    const engine::SessionParts parts{.compile = *compile,
                                     .device = *device,
                                     .store = *stores.store,
                                     .binaries = stores.binaries.get(),
                                     .observer = observer,
                                     .stop = context.stop};
    // A GPU reaches the same for every problem.
    if (options.budget.roofline && !options.roofline) {
      options.roofline =
          engine::measured_roofline(task.device(), kernel->work.bytes.has_value(),
                                    kernel->work.flops ? task.work_type() : std::nullopt, options.reuse, parts);
    }
    TuneReport report = engine::run_session(task, options, parts);
    if (const auto lost = engine::say_what_is_stored(stores, report)) context.observer.warning(*lost);
    if (is_last || context.stop) {
      const Clock::time_point end = Clock::now();
      {
        const std::jthread compiling([&compile] { compile.reset(); });
        device.reset();
      }
      report.time.ending_s = std::chrono::duration<double>(Clock::now() - end).count();
      report.time.total_s += report.time.ending_s;
    }
    context.deliver(report);
    if (context.stop) return;
    options.started = Clock::now();
    if (recorder) recorder->write(*recording, report);
  }
}

}  // namespace tuner::cli
