#include "tuner/engine/candidates/device_session.hpp"

#include <fmt/format.h>

#include <utility>

#include "tuner/engine/candidates/gpu_time.hpp"
#include "tuner/engine/lanes/call.hpp"

namespace tuner::engine {

void DeviceSession::prepare(std::vector<std::vector<std::byte>> support_cubins, std::vector<std::byte> value_cubin) {
  support_cubins_ = std::move(support_cubins);
  value_cubin_ = std::move(value_cubin);
  submit(problem_of(task_), [this](const DeviceReply& reply) { take_prepared(reply); });
}

PrepareProblem DeviceSession::problem_of(const Task& task) const {
  PrepareProblem request;
  request.arguments = task.arguments();
  // Problems of other sizes are only looked at if the data is the same there.
  const std::vector<BoundArgument>& with_data = task_.arguments_with_data();
  for (std::size_t i = 0; i < request.arguments.size(); ++i) {
    request.arguments[i].file = with_data[i].file;
    // What is expected is known for one size; at others the reference kernel says what is right.
    request.arguments[i].expected = &task == &task_ ? with_data[i].expected : std::nullopt;
  }
  request.seed = options_.seed;
  request.deterministic = task.description().deterministic;
  request.mode = options_.mode;
  request.support_cubins = support_cubins_;
  request.value_cubin = value_cubin_;
  request.launch_timeout = options_.launch_timeout;
  return request;
}

void DeviceSession::take_prepared(const DeviceReply& reply) {
  if (reply.outcome != Outcome::ok) {
    const bool is_problems = reply.outcome == Outcome::out_of_memory || reply.outcome == Outcome::launch_refused;
    throw Error(is_problems ? Errc::bad_problem : Errc::device_lost,
                fmt::format("The problem {} cannot be set up on {}: {}", problem_text(task_.problem()),
                            task_.device().name, reply.message));
  }
  state_ = has_reference_ ? State::prepared : State::screening;
  warn_of_surroundings(reply.result_of<PrepareProblem>());
}

/// Other processes on the GPU disturb every sample, and buffers without fences let some faults pass: each is said once.
void DeviceSession::warn_of_surroundings(const PrepareResult& prepared) {
  if (!prepared.other_processes.empty() && !is_contended_ && !options_.contended) {
    is_contended_ = true;
    observer_.warning(
        fmt::format("Other processes have {} open: {}. If they compute, times are disturbed; the decision is marked, "
                    "so tune again when they have ended.",
                    task_.device().name, fmt::join(prepared.other_processes, ", ")));
  }
  if (!prepared.unfenced.empty() && !warned_of_fences_) {
    warned_of_fences_ = true;
    observer_.warning(
        fmt::format("Reads and writes slightly outside a buffer may go unnoticed, because there are no fences: {}",
                    prepared.unfenced));
  }
}

void DeviceSession::run_reference(Candidate candidate, Take take) {
  state_ = State::reference;
  reference_ = candidate;
  submit(RunReference{std::move(candidate), reference_policy()}, [this, take](const DeviceReply& reply) {
    state_ = State::screening;
    const ReferenceResult result = reply.result_of<RunReference>();
    not_compared_ = result.not_compared;
    unproven_ = result.unproven;
    account_samples(reply);
    take(reply);
  });
}

void DeviceSession::skip_reference() {
  has_reference_ = false;
  if (state_ == State::prepared) state_ = State::screening;
}

ScreenPolicy DeviceSession::reference_policy() const {
  return options_.contended ? noise_.interrupted_policy(options_.early_kill, std::nullopt)
                            : Noise::reference_policy(options_.early_kill);
}

void DeviceSession::screen(Candidate candidate, std::optional<double> time_to_beat, Take take) {
  state_ = State::screening;
  const ScreenPolicy policy = options_.contended ? noise_.interrupted_policy(options_.early_kill, time_to_beat)
                                                 : noise_.screen_policy(options_.early_kill, time_to_beat);
  submit(ScreenCandidate{std::move(candidate), policy, time_to_beat}, [this, take](const DeviceReply& reply) {
    account_samples(reply);
    if (const auto& rejected = reply.result_of<ScreenCandidate>().like_rounding) like_rounding_.add(*rejected);
    take(reply);
  });
}

void DeviceSession::submit(DeviceRequest request, Take take) {
  if (!busy()) begin_work();
  const TicketId ticket = new_ticket();
  waiting_.emplace(ticket, std::move(take));
  lane_.submit(ticket, std::move(request));
}

bool DeviceSession::poll() {
  const std::vector<DeviceLane::Completion> completions = lane_.poll();
  noise_.set_disagreement(lane_.disagreement());
  for (const auto& [ticket, reply] : completions) {
    const auto asked = waiting_.extract(ticket);
    if (asked.empty()) continue;
    last_answer_ = Clock::now();
    account(reply);
    if (!busy()) end_work();
    asked.mapped()(reply);
  }
  return !completions.empty();
}

void DeviceSession::add_waiting(Clock::duration time) {
  if (state_ != State::unprepared) time_.waiting_s += std::chrono::duration<double>(time).count();
}

void DeviceSession::begin_work() {
  busy_since_ = Clock::now();
}

/// What of it the worker does not account for went into the exchange with it.
void DeviceSession::end_work() {
  const auto since = [](Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  if (state_ == State::unprepared) {
    time_.starting_s = since(options_.started);
    return;
  }
  time_.exchanging_s += since(busy_since_);
}

void DeviceSession::account(const DeviceReply& reply) {
  launches_ += reply.launches;
  if (state_ == State::unprepared) return;
  const double accounted_s = (reply.load_ms + reply.verify_ms + reply.timing_ms) / 1000;
  time_.exchanging_s -= accounted_s;
  time_.loading_s += reply.load_ms / 1000;
  time_.verifying_s += reply.verify_ms / 1000;
  time_.timing_s += reply.timing_ms / 1000;
}

void DeviceSession::account_samples(const DeviceReply& reply) {
  const std::vector<double>& samples = reply.timed_run().samples_ns;
  noise_.add(samples);
  const double lead_in = lead_in_ns(task_.device(), options_.mode);
  for (const double sample : samples) time_.screening_gpu_s += (sample + lead_in) / 1e9;
}

DeviceReply DeviceSession::call(DeviceRequest request) {
  const bool loads = std::holds_alternative<LoadFinalists>(request);
  begin_work();
  // Not for the compile lane: nothing polls it now, and its answers can wait.
  DeviceReply reply = *call_until(lane_, std::move(request), [this] {
    journal_.flush_if_due();
    return std::optional(journal_.wake_at());
  });
  account(reply);
  end_work();
  if (loads) state_ = reply.outcome == Outcome::ok ? State::racing : State::screening;
  return reply;
}

DeviceReply DeviceSession::prepare_for(const Task& other) {
  state_ = State::elsewhere;
  DeviceReply reply = call(problem_of(other));
  if (reply.outcome == Outcome::ok) warn_of_surroundings(reply.result_of<PrepareProblem>());
  return reply;
}

void DeviceSession::return_to_task() {
  if (state_ != State::elsewhere) return;
  DeviceReply reply = prepare_for(task_);
  if (reply.outcome == Outcome::ok) reply = call(RunReference{*reference_, reference_policy()});
  if (reply.outcome != Outcome::ok) {
    throw Error(Errc::device_lost, fmt::format("The problem {} cannot be set up on {} again: {} Trials are stored.",
                                               problem_text(task_.problem()), task_.device().name, reply.message));
  }
  state_ = State::screening;
}

std::optional<Candidate> DeviceSession::reference() const {
  return options_.origin == cache::Origin::replay ? std::nullopt : reference_;
}

}  // namespace tuner::engine
