#include "tuner/engine/device/lane.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "tuner/engine/device/lead_in.hpp"
#include "tuner/engine/device/support.hpp"
#include "tuner/engine/device/visible_device.hpp"
#include "tuner/engine/process/worker_program.hpp"

namespace tuner::engine {
namespace {

constexpr std::size_t kRoom = 4;
constexpr int kMaxFailures = 3;

std::vector<std::string> environment_of(const DeviceLaneOptions& options) {
  std::vector<std::string> environment = visible_device(
      options.ordinal, options.uuid, std::getenv("CUDA_VISIBLE_DEVICES"), std::getenv("CUDA_DEVICE_ORDER"));
  // Code is loaded with its module and not inside the first sample; launches return before kernels end.
  environment.push_back("CUDA_MODULE_LOADING=EAGER");
  environment.push_back("CUDA_LAUNCH_BLOCKING=0");
  environment.insert(environment.end(), options.environment.begin(), options.environment.end());
  return environment;
}

DeviceReply failure(Outcome outcome, std::string reason) {
  DeviceReply reply;
  reply.outcome = outcome;
  reply.message = std::move(reason);
  return reply;
}

// How the worker ended, with its last words if it had any.
std::string obituary(const ChildProcess& worker, const std::optional<ExitStatus>& status) {
  const std::string words = worker.stderr_tail(1000);
  const std::string end = fmt::format("The device worker {}", status ? status->text() : "closed its channel");
  return words.empty() ? end + "." : fmt::format("{}; its last words: \"{}\".", end, words);
}

// Whether a request over which a worker was lost is worth a second worker. What a block lost is known to the race
// alone, and preparing is tried again in any case.
bool worth_another(const DeviceRequest& request, Outcome outcome, bool by_signal) {
  if (outcome != Outcome::worker_lost) return false;
  if (std::holds_alternative<LoadFinalists>(request)) return true;  // it runs nothing: hardly a finalist's doing
  return by_signal && !std::holds_alternative<RunBlock>(request);
}

}  // namespace

DeviceProcessLane::DeviceProcessLane(DeviceLaneOptions options) : options_(std::move(options)) {
  if (options_.program.empty()) options_.program = find_worker_program();
  start();
}

DeviceProcessLane::~DeviceProcessLane() = default;

std::string_view DeviceProcessLane::support_source() const {
  return engine::support_source();
}

pid_t DeviceProcessLane::worker_pid() const {
  return worker_ ? worker_->pid() : -1;
}

// ---- The life of a worker
// ----------------------------------------------------------------------------------------------

void DeviceProcessLane::start() {
  worker_.reset();  // the old one first: both would hold memory of the GPU
  worker_.emplace(
      SpawnOptions{.program = options_.program, .arguments = {"device"}, .environment = environment_of(options_)});
  ready_ = false;
  start_deadline_ = Clock::now() + options_.start_limit;
  repeat_.clear();
  if (problem_) repeat_.push_back(*problem_);
  if (reference_) repeat_.push_back(*reference_);
  if (finalists_) repeat_.push_back(*finalists_);
  note_channel();
}

// Ends the worker that lives and starts another. What it was busy with decides whose fault that was: a candidate's,
// which is answered, or nobody's, which counts against the device.
void DeviceProcessLane::replace(DeviceReply reply, bool by_signal) {
  const std::string reason = reply.message;
  std::optional<Running> running = std::exchange(running_, std::nullopt);
  const bool candidate =
      running && !running->repeated && !std::holds_alternative<PrepareProblem>(running->pending.request);
  if (candidate && !running->pending.tried_before &&
      worth_another(running->pending.request, reply.outcome, by_signal)) {
    running->pending.tried_before = true;
    waiting_.push_front(std::move(running->pending));
  } else if (candidate) {
    note_failure(running->pending.request, reply);
    answer(running->pending.ticket, std::move(reply));
  } else {
    ++failures_;
    if (running && !running->repeated) waiting_.push_front(std::move(running->pending));
  }
  if (failures_ >= kMaxFailures) {
    worker_.reset();
    ready_ = false;
    hopeless_ = Error(Errc::device_lost,
                      fmt::format("GPU {} was given up: {} device workers in a row could not be started or prepared. "
                                  "The last: {} Check `nvidia-smi` and the system log (dmesg) for Xid errors.",
                                  options_.ordinal, kMaxFailures, reason));
    return;
  }
  start();
}

void DeviceProcessLane::give_up_if_hopeless() {
  if (hopeless_) throw Error(*hopeless_);
}

void DeviceProcessLane::receive() {
  while (worker_) {
    const pid_t pid = worker_->pid();
    const std::optional<Message> message = worker_->channel().receive();
    if (!message) break;
    handle(*message);
    if (!worker_ || worker_->pid() != pid) return;
  }
  if (!worker_ || !worker_->channel().closed()) return;
  constexpr std::chrono::seconds kPatience{10};
  const std::optional<ExitStatus> status = worker_->wait_until(Clock::now() + kPatience);
  replace(failure(Outcome::worker_lost, obituary(*worker_, status)), status && status->signal);
}

void DeviceProcessLane::handle(const Message& message) {
  if (message.type == "hello") {
    ready_ = true;
    if (!info_) {
      info_ = decode_hello(message);
      info_->ordinal = options_.ordinal;
    }
    return;
  }
  if (message.type == "ready") return;
  if (message.type == "error") {
    const Error error = decode_error(message);
    // A machine without a GPU is not asked three times; one that had a GPU may have lost it for a moment.
    if (!info_ && error.code() == Errc::no_driver) {
      worker_.reset();
      hopeless_ = error;
      return;
    }
    replace(failure(Outcome::worker_lost, error.what()));
    return;
  }
  if (message.type == "reply") {
    handle_reply(decode_reply(message));
    return;
  }
  replace(
      failure(Outcome::worker_lost,
              fmt::format("The device worker sent a '{}' message, which this program does not know.", message.type)));
}

void DeviceProcessLane::handle_reply(WorkerReply answered) {
  if (!running_)
    return replace(failure(Outcome::worker_lost, "The device worker answered a request that it was not sent."));
  if (running_->repeated) {
    if (answered.reply.outcome == Outcome::ok && !answered.ends) {
      running_.reset();
    } else {
      replace(failure(
          Outcome::worker_lost,
          fmt::format("A new device worker could not repeat what the old one had done: {}", answered.reply.message)));
    }
    return;
  }
  // Preparing runs no code of a candidate's: that the context died then is the device's doing, and it is tried again.
  if (!std::holds_alternative<PrepareProblem>(running_->pending.request) || !answered.ends) failures_ = 0;
  if (answered.ends) return replace(std::move(answered.reply));
  if (answered.reply.outcome == Outcome::ok) {
    remember(running_->pending.request);
  } else {
    note_failure(running_->pending.request, answered.reply);
  }
  answer(running_->pending.ticket, std::move(answered.reply));
  running_.reset();
}

void DeviceProcessLane::remember(const DeviceRequest& request) {
  if (const auto* reference = std::get_if<RunReference>(&request)) reference_ = *reference;
  if (const auto* finalists = std::get_if<LoadFinalists>(&request)) finalists_ = *finalists;
  if (const auto* problem = std::get_if<PrepareProblem>(&request)) problem_ = *problem;
}

// ---- Requests
// ----------------------------------------------------------------------------------------------------------

std::chrono::milliseconds DeviceProcessLane::limit_of(const DeviceRequest& request) const {
  // Two launches to verify, one sample thrown away before the others. With a warm cache each sample is led in by
  // untimed launches, and the worker, which names a launch that hangs, grants all of them its timeout.
  constexpr int kVerifying = 2;
  const int per_sample = mode_ == CacheMode::warm ? kMaxLeadIn + 1 : 1;
  const auto launches = [&](int count) { return launch_timeout_ * count + options_.slack; };
  return std::visit(
      [&](const auto& typed) -> std::chrono::milliseconds {
        using Request = std::decay_t<decltype(typed)>;
        if constexpr (std::is_same_v<Request, PrepareProblem>) return options_.prepare_limit;
        if constexpr (std::is_same_v<Request, RunReference> || std::is_same_v<Request, ScreenCandidate>) {
          return launches(kVerifying + 2 * per_sample * (1 + typed.policy.samples));
        }
        if constexpr (std::is_same_v<Request, LoadFinalists>) return options_.slack;
        if constexpr (std::is_same_v<Request, RunBlock>)
          return launches(2 * per_sample * (1 + static_cast<int>(typed.order.size())));
        if constexpr (std::is_same_v<Request, ConfirmCandidate>) return launches(3 * kVerifying);
      },
      request);
}

void DeviceProcessLane::submit(TicketId ticket, DeviceRequest request) {
  waiting_.push_back({ticket, std::move(request)});
  if (hopeless_) return;
  send_next();
  note_channel();
}

void DeviceProcessLane::send_next() {
  if (!worker_ || !ready_ || running_) return;
  if (!repeat_.empty()) {
    DeviceRequest request = std::move(repeat_.front());
    repeat_.pop_front();
    give({0, std::move(request)}, true);
    return;
  }
  while (!waiting_.empty() && !running_) {
    Pending pending = std::move(waiting_.front());
    waiting_.pop_front();
    if (std::holds_alternative<RunBlock>(pending.request) && !finalists_) {
      // The worker would not know what is meant, and end.
      answer(pending.ticket,
             failure(Outcome::worker_lost,
                     fmt::format("There are no finalists to race: {} Load them first.", no_finalists_)));
    } else {
      give(std::move(pending), false);
    }
  }
}

void DeviceProcessLane::give(Pending pending, bool repeated) {
  if (const auto* problem = std::get_if<PrepareProblem>(&pending.request); problem && !repeated) {
    launch_timeout_ = problem->launch_timeout;
    mode_ = problem->mode;
    // From now on the old problem is gone, whether or not this one can be prepared.
    problem_.reset();
    reference_.reset();
    finalists_.reset();
    no_finalists_ = "none were loaded since the problem was prepared.";
  }
  // Likewise the finalists that were resident before.
  if (std::holds_alternative<LoadFinalists>(pending.request) && !repeated) finalists_.reset();
  const Message message = encode_request(pending.request);
  const auto deadline = Clock::now() + limit_of(pending.request);
  running_ = Running{std::move(pending), repeated, deadline};
  // A worker that is gone is noticed when its channel is read.
  worker_->channel().send(message);
}

void DeviceProcessLane::note_failure(const DeviceRequest& request, const DeviceReply& reply) {
  if (std::holds_alternative<LoadFinalists>(request)) no_finalists_ = reply.message;
}

void DeviceProcessLane::answer(TicketId ticket, DeviceReply reply) {
  answered_.push_back({ticket, std::move(reply)});
}

void DeviceProcessLane::cancel(TicketId ticket) {
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Pending& pending) { return pending.ticket == ticket; });
  if (found == waiting_.end()) return;
  waiting_.erase(found);
  answer(ticket, failure(Outcome::worker_lost, "It was cancelled before it reached the device."));
}

// ---- Driving it
// --------------------------------------------------------------------------------------------------------

void DeviceProcessLane::step() {
  receive();
  const auto now = Clock::now();
  if (worker_ && !ready_ && now >= start_deadline_) {
    worker_->kill();
    replace(failure(Outcome::worker_lost,
                    fmt::format("The device worker did not say hello within {} ms.", options_.start_limit.count())));
  } else if (worker_ && running_ && now >= running_->deadline) {
    worker_->kill();
    replace(failure(Outcome::run_timeout, fmt::format("The device worker did not answer within {} ms and was stopped.",
                                                      limit_of(running_->pending.request).count())));
  }
  send_next();
  note_channel();
}

void DeviceProcessLane::note_channel() {
  channel_fd_ = worker_ ? worker_->channel().fd() : -1;
}

std::vector<DeviceProcessLane::Completion> DeviceProcessLane::poll() {
  if (!hopeless_) step();
  // What was answered before is still handed out; the next call throws.
  if (answered_.empty()) give_up_if_hopeless();
  return std::exchange(answered_, {});
}

const DeviceInfo& DeviceProcessLane::info() {
  while (!info_) {
    give_up_if_hopeless();
    pollfd entry{channel_fd_, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(start_deadline_ - Clock::now()).count();
    ::poll(&entry, 1, static_cast<int>(std::clamp<std::int64_t>(left, 0, 60000)));
    step();
  }
  return *info_;
}

std::size_t DeviceProcessLane::room() const {
  const std::size_t held = waiting_.size() + (running_ && !running_->repeated ? 1 : 0);
  return kRoom - std::min(kRoom, held);
}

std::vector<int> DeviceProcessLane::wait_fds() const {
  if (channel_fd_ < 0) return {};
  return {channel_fd_};
}

std::chrono::steady_clock::time_point DeviceProcessLane::next_deadline() const {
  if (!answered_.empty() || hopeless_ || channel_fd_ < 0) return Clock::time_point::min();
  if (!ready_) return start_deadline_;
  return running_ ? running_->deadline : Clock::time_point::max();
}

}  // namespace tuner::engine
