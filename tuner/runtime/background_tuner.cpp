#include "tuner/runtime/background_tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/runtime/ladder.hpp"
#include "tuner/runtime/signature.hpp"
#include "tuner/runtime/time_limits.hpp"

namespace tuner::detail {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How much longer than its limit a request waits for the engine to conclude.
constexpr milliseconds kGrace{3000};
/// Tuning beside a program takes no more of the memory that is free than this part.
constexpr std::uint64_t kPartOfFreeMemory = 4;

/// Whether the GPU's clients share one context, so that a fault of one is a fault of all.
bool under_mps() {
  const char* const named = file_variable("CUDA_MPS_PIPE_DIRECTORY");
  const std::filesystem::path folder = named != nullptr ? named : "/tmp/nvidia-mps";
  std::error_code ignored;
  return std::filesystem::exists(folder / "control", ignored);
}

std::optional<std::string> forbidden_by_compute_mode(int device) {
  int mode = CU_COMPUTEMODE_DEFAULT;
  cuda::driver().device_attribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, device);
  if (mode == CU_COMPUTEMODE_DEFAULT) return std::nullopt;
  return "the GPU is in exclusive-process or prohibited mode, so no second process can use it.";
}

/// Buffers whose lengths depend on the configuration are not known yet.
std::uint64_t bytes_of(const std::vector<BoundArgument>& arguments) {
  std::uint64_t bytes = 0;
  for (const BoundArgument& argument : arguments) {
    if (is_by_value(argument.role)) continue;
    bytes += argument.length * element_size(argument);
  }
  return bytes;
}

std::optional<std::string> too_large_beside_program(const Task& task, CUcontext context) {
  const InContext in_context(context);
  std::size_t free = 0, total = 0;
  if (cuda::driver().memory_info(&free, &total) != CUDA_SUCCESS) return std::nullopt;
  const std::uint64_t needed = bytes_of(task.arguments());
  if (needed <= free / kPartOfFreeMemory) return std::nullopt;
  return fmt::format("its buffers need {} MiB, more than a quarter of the {} MiB that are free on the GPU.",
                     needed >> 20, free >> 20);
}

}  // namespace

std::optional<std::string> BackgroundTuner::forbidden(int device) {
  if (under_mps()) {
    return "the GPU is shared through MPS, where a candidate that faults ends every client; tune offline.";
  }
  return forbidden_by_compute_mode(device);
}

std::optional<std::string> BackgroundTuner::why_not(const Task& task, const ContextPlace& place) const {
  if (auto why = forbidden(place.device)) return why;
  if (settings_.mode() == Mode::background) return too_large_beside_program(task, place.context);
  return std::nullopt;
}

BackgroundTuner::Key BackgroundTuner::key_of(const Order& order) const {
  return fmt::format("{}|{}", static_cast<const void*>(&order.kernel),
                     order.task->key(to_string(options_.timing)).text());
}

void BackgroundTuner::start(const Order& order, bool request_waits) {
  const Key key = key_of(order);
  // Where a search was made, the next one is more than that.
  const bool was_searched = order.instance.has_plan() && order.instance.plan().provenance.rung == Rung::exact &&
                            !order.instance.plan().provenance.stale;
  const Effort effort = was_searched ? std::max(options_.effort, Effort::normal) : options_.effort;
  order.instance.set_tuning(true);
  {
    const std::lock_guard lock(mutex_);
    std::vector<Waiting>& waiting = tuning_[key];
    waiting.push_back({order, request_waits});
    if (waiting.size() > 1) return;  // of another context: one answer will do for both
  }
  TuneJob job;
  if (request_waits) {
    job.subject = engine_.subject(*order.task);
    job.timing = options_.timing;
    job.effort = options_.effort;
    job.limit = options_.tune_limit;
  } else {
    job = background_job(order, effort);
  }
  job.evaluations = options_.tune_evaluations;
  job.since_unix_ms = order.since_unix_ms;
  say(fmt::format("Tuning `{}` for {}.", order.kernel.outline->kernel, problem_text(order.task->problem())));
  send(key, std::move(job));
}

TuneJob BackgroundTuner::background_job(const Order& order, Effort effort) const {
  TuneJob job;
  job.subject = engine_.subject(*order.task);
  job.timing = options_.timing;
  job.effort = effort;
  job.share = options_.background_share;
  job.compile_workers = options_.background_compile_workers;
  job.serving = order.instance.plan().provenance.configuration;
  return job;
}

void BackgroundTuner::send(const Key& key, TuneJob job) {
  engine_.tune(std::move(job), [this, key](const TuneAnswer& answer) { finish(key, answer); });
}

/// Whether what a quick search found beside the program is only its beginning.
bool BackgroundTuner::goes_on(const TuneAnswer& answer) const {
  return settings_.mode() == Mode::background && options_.effort == Effort::quick && options_.tune_evaluations == 0 &&
         answer.result == TuneAnswer::Result::decided && answer.decision.effort == Effort::quick &&
         !answer.database.empty();
}

bool BackgroundTuner::tune_and_wait(const Order& order) {
  const Key key = key_of(order);
  start(order, true);
  std::unique_lock lock(mutex_);
  const bool answered =
      changed_.wait_until(lock, after(options_.tune_limit) + kGrace, [&] { return !order.instance.tuning(); });
  if (answered) return order.instance.has_plan();
  // What comes later is taken as in the background.
  for (Waiting& waiting : tuning_[key]) {
    if (&waiting.order.instance == &order.instance) waiting.request_waits = false;
  }
  lock.unlock();
  say(fmt::format("Tuning `{}` has not finished within {}; it continues alongside the program.",
                  order.kernel.outline->kernel,
                  duration_text(static_cast<double>(options_.tune_limit.count()) / 1000)));
  return false;
}

void BackgroundTuner::serve_answer(const Waiting& waiting, const TuneAnswer& answer) try {
  if (answer.result == TuneAnswer::Result::decided) {
    take_over(waiting, answer);
  } else {
    say(fmt::format("`{}` was not tuned for {}: {}", waiting.order.task->description().kernel,
                    problem_text(waiting.order.task->problem()), answer.message));
  }
} catch (const std::exception& error) {
  say(fmt::format("The result of tuning `{}` cannot be used: {}", waiting.order.task->description().kernel,
                  error.what()));
}

/// Called from the engine client's thread.
void BackgroundTuner::finish(const Key& key, const TuneAnswer& answer) noexcept try {
  // More may begin to wait while those before them are served; who comes after the last look tunes anew.
  std::optional<TuneJob> longer;
  for (std::size_t served = 0;;) {
    std::vector<Waiting> next;
    {
      const std::lock_guard lock(mutex_);
      const std::vector<Waiting>& all = tuning_[key];
      if (served == all.size() && goes_on(answer)) {
        longer = background_job(all.front().order, Effort::normal);
        longer->since_unix_ms = answer.decision.created_unix_ms;
        break;
      }
      if (served == all.size()) {
        for (const Waiting& waiting : all) waiting.order.instance.set_tuning(false);
        tuning_.erase(key);
        changed_.notify_all();
        return;
      }
      next = std::vector<Waiting>(all.begin() + static_cast<std::ptrdiff_t>(served), all.end());
      served = all.size();
    }
    for (const Waiting& waiting : next) serve_answer(waiting, answer);
  }
  send(key, std::move(*longer));
} catch (...) {
  say("The result of tuning could not be used for lack of memory.");
  const std::lock_guard lock(mutex_);
  if (const auto found = tuning_.find(key); found != tuning_.end()) {
    for (const Waiting& waiting : found->second) waiting.order.instance.set_tuning(false);
    tuning_.erase(found);
  }
  changed_.notify_all();
}

/// Puts the winner in the place of what is served, if it is better by as much as was asked for.
void BackgroundTuner::take_over(const Waiting& waiting, const TuneAnswer& answer) {
  const Task& task = *waiting.order.task;
  const cache::Decision& decision = answer.decision;
  Offer offer = stored_offer(task, Rung::exact, decision, answer.database);
  const std::string kernel = task.description().kernel;
  const std::string problem = problem_text(task.problem());
  offer.provenance.why = waiting.request_waits ? "Tuned for this request." : "Tuned alongside the program.";
  if (answer.cut_short) offer.provenance.why += " The search ended for lack of time; the next one continues it.";
  if (answer.database.empty()) {
    offer.provenance.decision_id = 0;
    if (!answer.cut_short) offer.provenance.why += " It could not be stored.";
  }
  if (!answer.message.empty()) say(answer.message);

  const LaunchPlan* const served = waiting.order.instance.has_plan() ? &waiting.order.instance.plan() : nullptr;
  const bool in_use = served != nullptr && served->has_kernel();
  if (in_use && served->provenance.configuration == decision.configuration) {
    LaunchPlan confirmed = *served;
    confirmed.provenance = offer.provenance;
    waiting.order.instance.publish(std::move(confirmed));
    say(fmt::format("Tuning `{}` for {} confirmed the configuration in use.", kernel, problem));
    return;
  }
  // Who waited for more takes what was found.
  if (in_use && !waiting.request_waits) {
    const bool serves_baseline = served->provenance.configuration == decision.baseline;
    const bool tied = std::any_of(decision.ties.begin(), decision.ties.end(), [&](const cache::Tie& tie) {
      return tie.configuration == served->provenance.configuration;
    });
    // What is served and did not come as far as the race was slower there, or failed.
    std::optional<double> gain = serves_baseline ? decision.speedup_low : answer.gain_low;
    if (!gain && (serves_baseline || tied)) gain = 1;
    if (gain && *gain < options_.swap_threshold) {
      LaunchPlan kept = *served;
      kept.provenance.effort = decision.effort;  // what it was compared with came from this search
      kept.provenance.why +=
          fmt::format(" Tuning found {}, which is not faster by enough to replace it.", decision.configuration);
      waiting.order.instance.publish(std::move(kept));
      say(fmt::format("Tuning `{}` for {} found no configuration that is faster by enough.", kernel, problem));
      return;
    }
  }
  const LaunchFacts facts = launch_facts(task, offer.configuration);
  waiting.order.instance.publish(loader_.load(waiting.order.place, facts, offer.provenance, answer.cubin));
  say(decision.configuration == decision.baseline
          ? fmt::format("Tuned `{}` for {}: the baseline is the fastest.", kernel, problem)
          : fmt::format("Tuned `{}` for {}: {} is now in use, {} times as fast as the baseline.", kernel, problem,
                        decision.configuration, four_digits(decision.speedup.value_or(1))));
}

bool BackgroundTuner::wait(milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, after(limit), [&] { return tuning_.empty(); });
}

}  // namespace tuner::detail
