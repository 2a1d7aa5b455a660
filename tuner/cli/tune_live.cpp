#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "tuner/cli/given_problems.hpp"
#include "tuner/cli/hints.hpp"
#include "tuner/cli/interrupts.hpp"
#include "tuner/cli/no_gpu.hpp"
#include "tuner/cli/tune_request.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/description/padding.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/task/roofline.hpp"
#include "tuner/engine/compile/nvrtc.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/compile/shared_binaries.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/recording/recorder.hpp"
#include "tuner/engine/roofline/measured_roofline.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/session/session_stores.hpp"
#include "tuner/engine/sizes/learn_sizes.hpp"
#include "tuner/engine/sizes/together.hpp"
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
  const std::vector<Task> tasks = make_tasks(request, kernel, problems, known_device(kStandIn));
  require_hints(request.session.hints, request.hints, tasks.front());
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

/// The workers, the database and the turns of a command that tunes problems of one kernel on one GPU.
class LiveSessions {
 public:
  LiveSessions(const TuneRequest& request, const TuneContext& context, Kernel kernel,
               const std::vector<GivenProblem>& problems)
      : request_(request),
        context_(context),
        kernel_(std::move(kernel)),
        problems_(problems),
        compile_(std::in_place, compile_options(request)),
        binaries_(*compile_),
        device_options_{.ordinal = request.device, .stop = &context.stop},
        device_(std::in_place, device_options_) {}

  /// Waits for the GPU, checks all problems and opens the database. False if it was told to stop.
  bool start() {
    const DeviceInfo* found = wait_for_device(*device_, request_, kernel_, problems_, context_.stop);
    if (found == nullptr) return false;
    info_ = *found;
    tasks_ = make_tasks(request_, kernel_, problems_, info_);
    require_hints(request_.session.hints, request_.hints, tasks_.front());
    const NothingToKeep beginning;
    stores_ = engine::open_for_session(request_.database);
    return true;
  }

  engine::SessionStores& stores() { return stores_; }
  bool has_run() const { return !started_; }

  /// One session; nothing if it was interrupted while it waited for its turn.
  std::optional<TuneReport> run(std::size_t problem, engine::SessionOptions options) {
    std::optional<Task> made;
    const Task& task = problem < tasks_.size() ? tasks_[problem]
                                               : made.emplace(make_task(request_, kernel_, problems_[problem], info_));
    options.started = std::exchange(started_, std::nullopt).value_or(Clock::now());
    // Who waits holds nothing of the GPU: whoever is measuring would take it for a disturbance, and rightly.
    engine::Turn turn;
    if (!wait_for_turn(
            task, request_, stores_.path, context_, [&] { device_.reset(); }, overdue_, turn))
      return std::nullopt;
    if (!device_) device_.emplace(device_options_);
    if (!request_.record.empty()) recorder_.emplace(context_.observer, task);
    engine::Observer& observer = recorder_ ? *recorder_ : context_.observer;
    const engine::SessionParts parts{.compile = binaries_,
                                     .device = *device_,
                                     .store = *stores_.store,
                                     .binaries = stores_.binaries.get(),
                                     .observer = observer,
                                     .stop = context_.stop};
    // A GPU reaches the same for every problem.
    if (options.budget.roofline && !roofline_) {
      roofline_ =
          engine::measured_roofline(task.device(), kernel_->work.bytes.has_value(),
                                    kernel_->work.flops ? task.work_type() : std::nullopt, options.reuse, parts);
    }
    options.roofline = roofline_;
    TuneReport report = engine::run_session(task, options, parts);
    last_key_ = report.decision.key;
    if (const auto lost = engine::say_what_is_stored(stores_, report)) context_.observer.warning(*lost);
    return report;
  }

  /// Every trial of the only problem; the request says that it is to be recorded.
  void write(engine::RecordingFile& recording, const TuneReport& report) { recorder_->write(recording, report); }

  /// What is known over all problems is kept for programs, and told.
  void learn_sizes(const engine::Together& together) {
    const auto sizes =
        engine::learn_sizes(*kernel_, last_key_, *stores_.store, together.within, engine::weights_of(problems_));
    if (!sizes) return;
    engine::record_sizes(*sizes, *stores_.store);
    if (context_.deliver_sizes) context_.deliver_sizes(*sizes);
  }

  /// Ends the workers. Takes how long that took.
  void end(TuneReport& report) {
    const Clock::time_point end = Clock::now();
    {
      const std::jthread compiling([this] { compile_.reset(); });
      device_.reset();
    }
    report.time.ending_s = std::chrono::duration<double>(Clock::now() - end).count();
    report.time.total_s += report.time.ending_s;
  }

 private:
  static engine::CompilePoolOptions compile_options(const TuneRequest& request) {
    engine::CompilePoolOptions options{.workers = static_cast<int>(request.workers),
                                       .include_folders = request.session.include_folders};
    options.timeout = request.compile_timeout.value_or(options.timeout);
    return options;
  }

  const TuneRequest& request_;
  const TuneContext& context_;
  const Kernel kernel_;
  const std::vector<GivenProblem>& problems_;
  // Compile workers start while the device worker creates its context.
  std::optional<engine::CompilePool> compile_;
  engine::SharedBinaries binaries_;
  const engine::DeviceLaneOptions device_options_;
  std::optional<engine::DeviceProcessLane> device_;
  DeviceInfo info_;
  std::vector<Task> tasks_;
  engine::SessionStores stores_;
  engine::Overdue overdue_;
  cache::DecisionKey last_key_;
  std::optional<Roofline> roofline_;
  std::optional<engine::Recorder> recorder_;  ///< it keeps every trial in memory
  /// From when on the first session's time is accounted for: what came before it belongs to it.
  std::optional<Clock::time_point> started_ = request_.session.started;
};

}  // namespace

void tune_live(const TuneRequest& request, const TuneContext& context) {
  std::optional<NothingToKeep> beginning(std::in_place);
  const auto warn = [&](const std::string& sentence) { context.observer.warning(sentence); };
  KernelDescription description =
      request.description ? *request.description : load_description(request.file, request.kernel, warn);
  for (const std::string& pad : request.pads) set_padding(description, pad);
  const auto kernel = std::make_shared<const KernelDescription>(std::move(description));
  // A mistake here needs no GPU to be seen.
  const std::vector<GivenProblem> problems = distinct_problems(*kernel, request.problems, warn);
  beginning.reset();
  std::optional<engine::RecordingFile> recording;
  if (!request.record.empty()) recording.emplace(request.record, request.replace);

  LiveSessions sessions(request, context, kernel, problems);
  if (!sessions.start()) return;
  for (const std::string& warning : sessions.stores().warnings) warn(warning);
  engine::Together together{
      .kernel = *kernel,
      .problems = problems,
      .options = request.session,
      .store = *sessions.stores().store,
      .keeps_order = request.begin_before.has_value(),
      .run = [&](std::size_t problem, const engine::SessionOptions& options) -> std::optional<TuneReport> {
        if (sessions.has_run() && request.begin_before && Clock::now() >= *request.begin_before) return std::nullopt;
        std::optional<TuneReport> report = sessions.run(problem, options);
        if (report && problems.size() == 1) sessions.end(*report);
        return report;
      },
      .deliver =
          [&](TuneReport report) {
            context.deliver(report);
            if (recording && !context.stop) sessions.write(*recording, report);
          }};
  if (context.failed) {
    together.failed = [&](std::size_t problem, const Error& error) { context.failed(problems[problem].values, error); };
  }
  const bool done = engine::tune_together(together);
  if (done && problems.size() > 1) sessions.learn_sizes(together);
}

}  // namespace tuner::cli
