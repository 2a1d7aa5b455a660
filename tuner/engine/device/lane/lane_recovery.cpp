// What the lane does about a worker that is lost.
#include <fmt/format.h>

#include <utility>

#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/device/lane/memory_needed.hpp"

namespace tuner::engine {
namespace {

constexpr int kMaxFailures = 3;

}  // namespace

// What the worker was busy with decides whose fault it was: a candidate's, or none's, which counts against the
// device. The next worker is sent to work before anything is waited for.
void DeviceProcessLane::lose(Loss loss) {
  std::optional<Running> running = std::exchange(running_, std::nullopt);
  // A worker that ends without a word may have been translating or running the rounded reference.
  const bool is_silent = loss.cause == LossCause::ended || loss.cause == LossCause::mute;
  if (problem_ && (loss.reply.rounding_failed || is_silent)) problem_->may_measure_rounding = false;
  const bool is_candidates = running && !running->repeated && !loss.reply.rounding_failed &&
                             !std::holds_alternative<PrepareProblem>(running->pending.request);
  WorkerLoss record{loss.cause, !is_candidates, false, {}};
  if (!lost_at_) {
    lost_at_ = Clock::now();
    unrecovered_ = statistics_.losses.size();
  }
  workers_.retire(loss.cause == LossCause::hang || loss.cause == LossCause::mute);
  // What a replay needs of the GPU's memory is not known here, and may be most of it.
  if (running && std::holds_alternative<ReplayLaunch>(running->pending.request)) workers_.wait_for_leaving();

  bool answers = false;
  if (!is_candidates) {
    ++failures_;
    if (running && !running->repeated) waiting_.push_front(std::move(running->pending));
  } else if (std::holds_alternative<ProbeFences>(running->pending.request)) {
    take_probes(loss.reply);
  } else if (has_second_run(*running, loss)) {
    ++statistics_.second_runs;
    isolate(running->pending.request, loss.reply, limits_);
    if (loss.reply.message.empty()) loss.reply.message = "The device worker closed its channel.";
    running->pending.first_failure = std::move(loss.reply);
    waiting_.push_front(std::move(running->pending));
  } else {
    answers = !begin_search(running->pending, loss.reply);
  }

  if (failures_ >= kMaxFailures) {
    give_up(loss.reply.message.empty() ? workers_.exit_description() : loss.reply.message);
  } else {
    record.spare_ready = start_another();
  }
  statistics_.losses.push_back(record);
  if (!answers) return;

  Pending& pending = running->pending;
  if (loss.reply.message.empty()) loss.reply.message = workers_.exit_description();
  if (!std::holds_alternative<RunBlock>(pending.request)) loss.reply = settled(pending, std::move(loss.reply));
  remember(pending.request, loss.reply);
  answer(pending.ticket, std::move(loss.reply));
}

bool DeviceProcessLane::has_second_run(const Running& running, const Loss& loss) const {
  if (running.pending.first_failure) return false;
  const auto* replay = std::get_if<ReplayLaunch>(&running.pending.request);
  if (replay && replay->may_fault) return false;
  // The cause may be outside: the GPU, or what killed the worker.
  if (loss.cause == LossCause::ended || loss.reply.outcome == Outcome::worker_lost) return true;
  // The reference is always the first that a worker runs, and much is lost with it.
  if (std::holds_alternative<RunReference>(running.pending.request)) return true;
  return !running.fresh && !std::holds_alternative<RunBlock>(running.pending.request);
}

/// What is reported of a request that failed for the last time, and perhaps before.
DeviceReply DeviceProcessLane::settled(Pending& pending, DeviceReply reply) {
  if (pending.first_failure) reply = more_exact(std::move(*pending.first_failure), std::move(reply));
  reply.confirmed = true;
  return reply;
}

bool DeviceProcessLane::start_another() {
  constexpr std::chrono::milliseconds kPause{200};
  start_again_at_.reset();
  if (problem_ && !fits_twice(*problem_)) workers_.wait_for_leaving();
  bool was_ready = false;
  try {
    was_ready = workers_.take_over();
  } catch (const Error& error) {
    // Processes or memory may be short for a moment: that counts like a worker that does not start.
    if (++failures_ >= kMaxFailures) {
      give_up(error.what());
    } else {
      start_again_at_ = Clock::now() + kPause;
    }
    return false;
  }
  fresh_ = true;
  repeat_.clear();
  if (problem_) repeat_.push_back(*problem_);
  is_bare_ = search_.has_value();
  if (!is_bare_) restore_all();
  // Not more than that: what waits may be answered at once, and the request that was lost comes first.
  if (!repeat_.empty()) send_next();
  return was_ready;
}

void DeviceProcessLane::note_recovered() {
  if (!lost_at_) return;
  const double took = std::chrono::duration<double, std::milli>(Clock::now() - *lost_at_).count();
  for (; unrecovered_ < statistics_.losses.size(); ++unrecovered_) statistics_.losses[unrecovered_].recovery_ms = took;
  lost_at_.reset();
  spares_failed_ = 0;
}

// Only when the worker is at work again, so that its start and its preparation are not slowed down.
void DeviceProcessLane::keep_spares() {
  constexpr int kMaxSparesFailed = 3;
  const DeviceWorker* worker = workers_.active();
  const bool at_work = worker && worker->greeted && !lost_at_;
  if (!at_work || statistics_.losses.empty() || racing_ || spares_in_the_way_) return;
  if (spares_failed_ >= kMaxSparesFailed || (problem_ && !fits(*problem_, 1, 1 + options_.spares))) return;
  statistics_.spares_started += workers_.start_spares(options_.spares);
}

// Whether there is room for that many workers with the problem among so many with a context, and each would do as it
// does alone: fences are raised only where memory is left.
bool DeviceProcessLane::fits(const PrepareProblem& problem, int prepared, int contexts) const {
  if (!info_) return true;
  constexpr std::uint64_t kWithFences = 3;
  const std::uint64_t all = info_->memory_bytes;
  const std::uint64_t needed = kWithFences * bytes_needed(problem.arguments);
  return static_cast<std::uint64_t>(prepared) * needed + static_cast<std::uint64_t>(contexts) * (all / 16) + all / 8 <=
         all;
}

// Whether one may be prepared while the one before it is not gone.
bool DeviceProcessLane::fits_twice(const PrepareProblem& problem) const {
  return fits(problem, 2, 2 + workers_.spares_ready());
}

void DeviceProcessLane::give_up(const std::string& reason) {
  workers_.dismiss_spares();
  hopeless_ = Error(Errc::device_lost,
                    fmt::format("GPU {} was abandoned: {} device workers in a row could not be started or prepared. "
                                "The last: {} Check `nvidia-smi` and the system log (dmesg) for Xid errors.",
                                options_.ordinal, kMaxFailures, reason));
}

}  // namespace tuner::engine
