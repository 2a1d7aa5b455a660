#include "tuner/cli/tune/live_sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "tuner/cli/given/compiler_option.hpp"
#include "tuner/cli/given/given_problems.hpp"
#include "tuner/cli/terminal/interrupts.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/cli/tune/hints.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/engine/compile/toolkit.hpp"
#include "tuner/engine/roofline/measured_roofline.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/engine/sizes/learn_sizes.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/engine/workplace/session_stores.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

using Kernel = LiveSessions::Kernel;

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
    engine::toolkit();
  } catch (const Error& no_toolkit) {
    throw Error(no_toolkit.code(), fmt::format("{} {} {}", no_toolkit.what(), no_device.what(), kWayOut));
  }
  throw Error(no_device.code(), fmt::format("{} {}", no_device.what(), kWayOut));
}

/// Waits as long as the request says, with one warning that says for whom. Throws Error{busy} if it is not to wait.
engine::TurnWait turn_wait(const TuneRequest& request, engine::Observer& observer) {
  engine::TurnWait wait;
  wait.limit = request.if_busy == IfBusy::leave ? engine::kLongestWait : request.longest_wait;
  wait.waits = [&, limit = wait.limit](const std::string& busy) {
    if (request.if_busy == IfBusy::leave) {
      throw Error(Errc::busy, fmt::format("{}. Try again later, or omit `--if-busy leave` to wait for it.", busy));
    }
    observer.warning(
        fmt::format("{}: waiting for it to end, at most {}. Ctrl-C stops waiting; `--if-busy ignore` continues at "
                    "once, `--if-busy leave` exits at once.",
                    busy, duration_text(std::chrono::duration<double>(limit).count())));
  };
  wait.warning = [&](const std::string& sentence) { observer.warning(sentence); };
  return wait;
}

/// What the task's GPU reaches of what its kernel declares, for a search that ends at a share of it.
Roofline roofline_of(const Task& task, bool reuse, const engine::SessionParts& parts) {
  try {
    return engine::measured_roofline(task, reuse, parts);
  } catch (const engine::NoRoofline& error) {
    throw Error(error.code(), fmt::format("{} Give --stop-at a time or a speed-up instead.", error.what()));
  }
}

/// What the GPU's memory delivers, to judge a time by; not knowing it is no reason to fail.
std::optional<MemoryRates> memory_rates_of(const Task& task, bool reuse, const engine::SessionParts& parts) {
  try {
    return engine::measured_memory_rates(task.device(), reuse, parts);
  } catch (const Error& error) {
    parts.observer.warning(error.what());
    return std::nullopt;
  }
}

engine::CompilePoolOptions compile_options(const TuneRequest& request) {
  engine::CompilePoolOptions options{.workers = static_cast<int>(request.workers),
                                     .memory = request.compile_memory,
                                     .include_folders = request.session.include_folders,
                                     .confined_to = request.confined_to};
  options.timeout = request.compile_timeout.value_or(compile_timeout(request.recorded));
  return options;
}

/// A single problem has one seat with all GPUs, unless it is recorded.
std::vector<std::vector<int>> ordinals_of_seats(const TuneRequest& request, std::size_t problems) {
  if (problems == 1 && request.record.empty()) return {request.devices};
  std::vector<std::vector<int>> seats(std::min(request.devices.size(), problems));
  for (std::size_t i = 0; i < seats.size(); ++i) seats[i] = {request.devices[i]};
  return seats;
}

}  // namespace

LiveSessions::LiveSessions(const TuneRequest& request, const TuneContext& context, Kernel kernel,
                           const std::vector<GivenProblem>& problems)
    : request_(request),
      context_(context),
      kernel_(std::move(kernel)),
      problems_(problems),
      workers_(compile_options(request), ordinals_of_seats(request, problems.size()), context.stop),
      rooflines_(workers_.size()),
      started_(request.session.started) {
  if (request.devices.size() > 1) observers_.emplace(context.observer, seats());
}

LiveSessions::~LiveSessions() {
  workers_.end();
}

engine::Observer& LiveSessions::observer(std::size_t seat) {
  return observers_ ? observers_->seat(seat) : context_.observer;
}

bool LiveSessions::start() {
  const auto explain = [&](const Error& why) { explain_missing_device(request_, kernel_, problems_, why); };
  if (!workers_.find(0, explain)) return false;
  tasks_ = make_tasks(request_, kernel_, problems_, workers_.device(0));
  require_hints(request_.session.hints, request_.hints, tasks_.front());
  const NothingToKeep beginning;
  workers_.open_stores(request_.database);
  for (const std::string& warning : workers_.stores().warnings) warn(warning);
  return choose_compiler();
}

bool LiveSessions::choose_compiler() {
  if (!request_.recorded || tasks_.empty()) return true;
  const std::optional<engine::ChosenCompiler> chosen = workers_.choose_compiler(tasks_.front(), *request_.recorded);
  if (chosen) say(chosen->sentence);
  return chosen.has_value();
}

std::vector<double> LiveSessions::work() const {
  std::vector<double> all;
  if (seats() == 1) return all;
  for (const Task& task : tasks_) {
    const search::Configuration configuration = task.baseline().value_or(task.space().at(0));
    const std::optional<double> flops = task.work_flops(configuration);
    const std::optional<double> one = flops ? flops : task.work_bytes(configuration);
    if (one) all.push_back(*one);
  }
  return all.size() == problems_.size() ? all : std::vector<double>();
}

bool LiveSessions::has_run() {
  const std::lock_guard lock(mutex_);
  return !started_;
}

std::optional<TuneReport> LiveSessions::run(std::size_t problem, engine::SessionOptions options, std::size_t number) {
  if (!workers_.is_found(number)) return std::nullopt;
  std::optional<Task> made;
  const Task& task = number == 0 && problem < tasks_.size()
                         ? tasks_[problem]
                         : made.emplace(make_task(request_, kernel_, problems_[problem], workers_.device(number)));
  {
    const std::lock_guard lock(mutex_);
    options.started = std::exchange(started_, std::nullopt).value_or(Clock::now());
  }
  const auto turn = workers_.take_turn(number, task, request_.session.mode, turn_wait(request_, observer(number)));
  if (!turn) return std::nullopt;
  if (!request_.record.empty()) recorder_.emplace(observer(number), task);
  engine::Observer& heard_by = recorder_ ? *recorder_ : observer(number);
  // Its time is not to run while others are waited for.
  if (options.budget.time) workers_.await_all();
  const engine::Seats::Parts parts = workers_.parts(number, heard_by);
  // A GPU reaches the same for every problem.
  std::optional<Roofline>& roofline = rooflines_[number];
  if (options.budget.roofline && !roofline) roofline = roofline_of(task, options.reuse, parts.first_gpu);
  options.roofline = roofline;
  options.memory_rates = [&] { return memory_rates_of(task, options.reuse, parts.first_gpu); };
  TuneReport report = engine::run_session(task, options, parts.all);
  {
    const std::lock_guard lock(mutex_);
    last_key_ = report.decision.key;
  }
  if (const auto lost = engine::say_what_is_stored(workers_.stores(), report)) observer(number).warning(*lost);
  return report;
}

void LiveSessions::deliver(TuneReport report, std::size_t seat) {
  if (!observers_) return context_.deliver(std::move(report));
  for (std::string& warning : observers_->take_warnings(seat)) report.warnings.push_back(std::move(warning));
  const auto quiet = silence();
  context_.deliver(std::move(report));
}

void LiveSessions::leave(std::size_t seat, const Error& error) {
  workers_.end(seat);
  observer(seat).warning(fmt::format("{} The others go on without GPU {}, and one of them with its problem.",
                                     error.what(), workers_.device(seat).ordinal));
}

void LiveSessions::learn_sizes(const engine::Together& together) {
  const std::jthread ending = workers_.end_meanwhile();
  const auto sizes = engine::learn_sizes(*kernel_, last_key_, store(), together.within, engine::weights_of(problems_));
  if (!sizes) return;
  engine::record_sizes(*sizes, store());
  if (context_.deliver_sizes) context_.deliver_sizes(*sizes);
}

void LiveSessions::end(TuneReport& report) {
  const Clock::time_point end = Clock::now();
  workers_.end();
  report.time.ending_s = std::chrono::duration<double>(Clock::now() - end).count();
  report.time.total_s += report.time.ending_s;
}

}  // namespace tuner::cli
