// What the device is given to run, and what it answers.
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "tuner/engine/session/gpu_time.hpp"
#include "tuner/engine/session/pipeline.hpp"

namespace tuner::engine {

void Pipeline::feed_device() {
  if (!prepared_ || !probes_.empty() || gives_up()) return;
  if (!reference_done_) {
    if (reference_ticket_) return;
    if (task_.description().reference.is_named()) {
      if (reference_kernel_) submit_reference(*reference());
    } else if (ready_.take(*baseline_)) {
      submit_reference(candidates_.candidate(*baseline_));
    }
    return;
  }
  while (!ready_.empty() && parts_.device.room() > 0) submit_screen(ready_.pop());
}

void Pipeline::submit_reference(Candidate candidate) {
  reference_ticket_ = new_ticket();
  submit_to_device(*reference_ticket_, RunReference{std::move(candidate), reference_policy()});
}

ScreenPolicy Pipeline::reference_policy() const {
  return options_.contended ? noise_.interrupted_policy(options_.early_kill, std::nullopt)
                            : Noise::reference_policy(options_.early_kill);
}

void Pipeline::submit_screen(std::size_t entry) {
  const TicketId ticket = new_ticket();
  running_[ticket] = entry;
  const std::optional<double> best = time_to_beat();
  const ScreenPolicy policy = options_.contended ? noise_.interrupted_policy(options_.early_kill, best)
                                                 : noise_.screen_policy(options_.early_kill, best);
  submit_to_device(ticket, ScreenCandidate{candidates_.candidate(entry), policy, best});
}

/// What ends the screening of slower ones. Not the best time: a single sample that is wrong must not end them all, and
/// whoever comes after the best is needed should that fail in the end.
std::optional<double> Pipeline::time_to_beat() const {
  constexpr std::size_t kSpared = FinalistPolicy{}.at_least;
  if (contenders_.size() < kSpared) return std::nullopt;
  return std::next(contenders_.begin(), kSpared - 1)->first;
}

void Pipeline::submit_to_device(TicketId ticket, DeviceRequest request) {
  // From the device's being ready to its next work it waited for candidates.
  if (on_device_ == 0 && prepared_) {
    time_.waiting_s += std::chrono::duration<double>(Clock::now() - idle_since_).count();
  }
  ++on_device_;
  parts_.device.submit(ticket, std::move(request));
}

bool Pipeline::take_run() {
  const std::vector<DeviceLane::Completion> completions = parts_.device.poll();
  for (const auto& [ticket, reply] : completions) take_run(ticket, reply);
  record_finished();
  return !completions.empty();
}

void Pipeline::take_run(TicketId ticket, const DeviceReply& reply) {
  const auto running = running_.find(ticket);
  // The lane may still answer what a session before this one asked.
  if (ticket != prepare_ticket_ && ticket != reference_ticket_ && running == running_.end()) return;
  last_answer_ = Clock::now();
  if (--on_device_ == 0) idle_since_ = last_answer_;
  time_.loading_s += reply.load_ms / 1000;
  time_.verifying_s += reply.verify_ms / 1000;
  time_.timing_s += reply.timing_ms / 1000;
  note_samples(reply);
  if (ticket == prepare_ticket_) {
    if (reply.outcome != Outcome::ok) {
      throw Error(reply.outcome == Outcome::out_of_memory ? Errc::bad_problem : Errc::device_lost,
                  fmt::format("The problem {} cannot be set up on {}: {}", problem_text(task_.problem()),
                              task_.device().name, reply.message));
    }
    prepared_ = true;
    note_neighbours(reply);
  } else if (ticket == reference_ticket_) {
    take_reference(reply);
  } else {
    take_screened(running->second, reply);
    running_.erase(running);
  }
}

void Pipeline::take_screened(std::size_t entry, const DeviceReply& reply) {
  candidates_.ran(entry, reply);
  quarantine_if_confirmed(entry, reply);
  // A reference that left out what the kernel computes, for want of a launch of its own, would refuse every candidate.
  if (entry == baseline_ && reference_kernel_ && reply.outcome == Outcome::wrong_result && !not_compared_.empty()) {
    fail_baseline(candidates_[entry].trial);
  }
  // The baseline is run in any case. If an earlier session has the same to say of it, one row is enough.
  const cache::Trial* known = entry == baseline_ && ready_to_ask() ? earlier_.trial_of(candidates_[entry]) : nullptr;
  if (known == nullptr || known->outcome != reply.outcome) return;
  if (known->facts.binary_hash == candidates_[entry].trial.facts.binary_hash) candidates_.mark_reused(entry);
}

void Pipeline::note_samples(const DeviceReply& reply) {
  const std::vector<double>& samples = reply.timed_run().samples_ns;
  noise_.add(samples);
  const double lead_in = lead_in_ns(task_.device(), options_.mode);
  for (const double sample : samples) time_.screening_gpu_s += (sample + lead_in) / 1e9;
}

void Pipeline::take_reference(const DeviceReply& reply) {
  reference_done_ = true;
  not_compared_ = reply.result_of<RunReference>().not_compared;
  if (reference_kernel_) {
    if (reply.outcome == Outcome::ok) return;
    throw Error(Errc::baseline_failed,
                fmt::format("The reference kernel {} fails with {}: {} Nothing can be compared with it.",
                            task_.description().reference.kernel, to_string(reply.outcome), reply.message));
  }
  take_screened(*baseline_, reply);
  if (reply.outcome != Outcome::ok) fail_baseline(candidates_[*baseline_].trial);
}

}  // namespace tuner::engine
