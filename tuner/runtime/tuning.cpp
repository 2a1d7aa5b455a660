// How a Runtime has what is missing tuned, and takes over what was found.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/ground/file_variable.hpp"
#include "tuner/runtime/runtime_state.hpp"
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

std::optional<std::string> RuntimeState::tuning_is_forbidden(int device) {
  if (under_mps()) {
    return "the GPU is shared through MPS, where a candidate that faults ends every client; tune offline.";
  }
  return forbidden_by_compute_mode(device);
}

std::optional<std::string> RuntimeState::why_not_tune(const PendingInstance& pending) const {
  if (auto why = tuning_is_forbidden(pending.place.device)) return why;
  if (mode_ == Mode::background) return too_large_beside_program(*pending.task, pending.place.context);
  return std::nullopt;
}

RuntimeState::TuningKey RuntimeState::tuning_key(const KernelState& kernel, const Task& task) const {
  return fmt::format("{}|{}", static_cast<const void*>(&kernel), task.key(to_string(timing_)).text());
}

void RuntimeState::start_tuning(const PendingInstance& pending, bool request_waits) {
  const TuningKey key = tuning_key(pending.kernel, *pending.task);
  // Where a search was made, the next one is more than that.
  const bool was_searched = pending.instance.has_plan() && pending.instance.plan().provenance.rung == Rung::exact &&
                            !pending.instance.plan().provenance.stale;
  const Effort effort = was_searched ? std::max(options_.effort, Effort::normal) : options_.effort;
  pending.instance.set_tuning(true);
  {
    const std::lock_guard lock(mutex_);
    std::vector<Waiting>& waiting = tuning_[key];
    waiting.push_back({&pending.instance, pending.place, pending.task, request_waits});
    if (waiting.size() > 1) return;  // of another context: one answer will do for both
  }
  TuneJob job;
  if (request_waits) {
    job.subject = subject(*pending.task);
    job.timing = timing_;
    job.effort = options_.effort;
    job.limit = options_.tune_limit;
  } else {
    job = background_job({&pending.instance, pending.place, pending.task}, effort);
  }
  job.evaluations = options_.tune_evaluations;
  job.since_unix_ms = pending.since_unix_ms;
  report(Notice::Kind::tuning,
         fmt::format("Tuning `{}` for {}.", pending.kernel.outline->kernel, problem_text(pending.task->problem())));
  send(key, std::move(job));
}

TuneJob RuntimeState::background_job(const Waiting& waiting, Effort effort) const {
  TuneJob job;
  job.subject = subject(*waiting.task);
  job.timing = timing_;
  job.effort = effort;
  job.share = options_.background_share;
  job.compile_workers = options_.background_compile_workers;
  job.serving = waiting.instance->plan().provenance.configuration;
  return job;
}

void RuntimeState::send(const TuningKey& key, TuneJob job) {
  engine().tune(std::move(job), [this, key](const TuneAnswer& answer) { finish_tuning(key, answer); });
}

/// Whether what a quick search found beside the program is only its beginning.
bool RuntimeState::goes_on(const TuneAnswer& answer) const {
  return mode_ == Mode::background && options_.effort == Effort::quick && options_.tune_evaluations == 0 &&
         answer.result == TuneAnswer::Result::decided && answer.decision.effort == Effort::quick &&
         !answer.database.empty();
}

/// Mode::tune. True if the instance has what was found.
bool RuntimeState::tune_and_wait(PendingInstance& pending) {
  const TuningKey key = tuning_key(pending.kernel, *pending.task);
  start_tuning(pending, true);
  std::unique_lock lock(mutex_);
  const bool answered =
      changed_.wait_until(lock, after(options_.tune_limit) + kGrace, [&] { return !pending.instance.tuning(); });
  if (answered) return pending.instance.has_plan();
  // What comes later is taken as in the background.
  for (Waiting& waiting : tuning_[key]) {
    if (waiting.instance == &pending.instance) waiting.request_waits = false;
  }
  lock.unlock();
  report(Notice::Kind::tuning,
         fmt::format("Tuning `{}` has not finished within {}; it continues alongside the program.",
                     pending.kernel.outline->kernel,
                     duration_text(static_cast<double>(options_.tune_limit.count()) / 1000)));
  return false;
}

void RuntimeState::serve_answer(const Waiting& waiting, const TuneAnswer& answer) try {
  if (answer.result == TuneAnswer::Result::decided) {
    take_over(waiting, answer);
  } else {
    report(Notice::Kind::tuning, fmt::format("`{}` was not tuned for {}: {}", waiting.task->description().kernel,
                                             problem_text(waiting.task->problem()), answer.message));
  }
} catch (const std::exception& error) {
  report(Notice::Kind::tuning,
         fmt::format("The result of tuning `{}` cannot be used: {}", waiting.task->description().kernel, error.what()));
}

/// Called from the engine client's thread.
void RuntimeState::finish_tuning(const TuningKey& key, const TuneAnswer& answer) noexcept try {
  // More may begin to wait while those before them are served; who comes after the last look tunes anew.
  std::optional<TuneJob> longer;
  for (std::size_t served = 0;;) {
    std::vector<Waiting> next;
    {
      const std::lock_guard lock(mutex_);
      const std::vector<Waiting>& all = tuning_[key];
      if (served == all.size() && goes_on(answer)) {
        longer = background_job(all.front(), Effort::normal);
        longer->since_unix_ms = answer.decision.created_unix_ms;
        break;
      }
      if (served == all.size()) {
        for (const Waiting& waiting : all) waiting.instance->set_tuning(false);
        tuning_.erase(key);
        changed_.notify_all();
        return;
      }
      next.assign(all.begin() + static_cast<std::ptrdiff_t>(served), all.end());
      served = all.size();
    }
    for (const Waiting& waiting : next) serve_answer(waiting, answer);
  }
  send(key, std::move(*longer));
} catch (...) {
  report(Notice::Kind::tuning, "The result of tuning could not be used for lack of memory.");
  const std::lock_guard lock(mutex_);
  if (const auto found = tuning_.find(key); found != tuning_.end()) {
    for (const Waiting& waiting : found->second) waiting.instance->set_tuning(false);
    tuning_.erase(found);
  }
  changed_.notify_all();
}

/// Puts the winner in the place of what is served, if it is better by as much as was asked for.
void RuntimeState::take_over(const Waiting& waiting, const TuneAnswer& answer) {
  const Task& task = *waiting.task;
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
  if (!answer.message.empty()) report(Notice::Kind::tuning, answer.message);

  const LaunchPlan* const served = waiting.instance->has_plan() ? &waiting.instance->plan() : nullptr;
  const bool in_use = served != nullptr && served->has_kernel();
  if (in_use && served->provenance.configuration == decision.configuration) {
    LaunchPlan confirmed = *served;
    confirmed.provenance = offer.provenance;
    waiting.instance->publish(std::move(confirmed));
    report(Notice::Kind::tuning,
           fmt::format("Tuning `{}` for {} confirmed the configuration in use.", kernel, problem));
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
      waiting.instance->publish(std::move(kept));
      report(Notice::Kind::tuning,
             fmt::format("Tuning `{}` for {} found no configuration that is faster by enough.", kernel, problem));
      return;
    }
  }
  const LaunchFacts facts = launch_facts(task, offer.configuration);
  waiting.instance->publish(load(waiting.place, facts, offer.provenance, answer.cubin));
  report(Notice::Kind::tuning,
         decision.configuration == decision.baseline
             ? fmt::format("Tuned `{}` for {}: the baseline is the fastest.", kernel, problem)
             : fmt::format("Tuned `{}` for {}: {} is now in use, {} times as fast as the baseline.", kernel, problem,
                           decision.configuration, four_digits(decision.speedup.value_or(1))));
}

bool RuntimeState::wait_for_tuning(milliseconds limit) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, after(limit), [&] { return tuning_.empty(); });
}

}  // namespace tuner::detail
