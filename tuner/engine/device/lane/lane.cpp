#include "tuner/engine/device/lane/lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "tuner/core/support/support.hpp"
#include "tuner/engine/device/lane/visible_device.hpp"
#include "tuner/engine/lanes/wait.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::engine {
namespace {

constexpr std::size_t kRoom = 4;
/// One for a reference, and for candidates, which often have one mistake in common.
constexpr int kMostSearches = 4;

SpawnOptions worker_program(const DeviceLaneOptions& options) {
  SpawnOptions result;
  result.program = options.program.empty() ? find_worker_program() : options.program;
  result.arguments = {"device", std::to_string(options.address_padding)};
  result.environment = visible_device(options.ordinal, options.uuid, std::getenv("CUDA_VISIBLE_DEVICES"),
                                      std::getenv("CUDA_DEVICE_ORDER"));
  // Code is loaded with its module and not inside the first sample; launches return before kernels end.
  result.environment.push_back("CUDA_MODULE_LOADING=EAGER");
  result.environment.push_back("CUDA_LAUNCH_BLOCKING=0");
  result.environment.insert(result.environment.end(), options.environment.begin(), options.environment.end());
  return result;
}

DeviceReply lost_worker(std::string message) {
  return {.outcome = Outcome::worker_lost, .message = std::move(message)};
}

}  // namespace

DeviceProcessLane::DeviceProcessLane(DeviceLaneOptions options)
    : options_(std::move(options)), workers_(worker_program(options_), options_.start_limit, options_.fixed_addresses) {
  limits_.slack = options_.slack;
  workers_.take_over();
}

DeviceProcessLane::~DeviceProcessLane() = default;

std::vector<std::string> DeviceProcessLane::support_sources() const {
  return tuner::support_sources();
}

pid_t DeviceProcessLane::worker_pid() const {
  return workers_.active() ? workers_.active()->process.pid() : -1;
}

// ---- What the worker says ----

void DeviceProcessLane::receive() {
  while (workers_.active()) {
    const pid_t pid = worker_pid();
    const std::optional<Message> message = workers_.active()->process.channel().receive();
    if (!message) break;
    handle(*message);
    if (worker_pid() != pid) return;
  }
  if (workers_.active() && workers_.active()->process.channel().closed()) lose({LossCause::ended, lost_worker({})});
}

void DeviceProcessLane::handle(const Message& message) {
  DeviceWorker& worker = *workers_.active();
  if (message.type == kContextReady) {
    worker.has_context = true;
  } else if (message.type == kHello) {
    worker.greeted = true;
    if (info_) return;
    info_ = from_message<DeviceInfo>(message);
    info_->ordinal = options_.ordinal;
  } else if (message.type == kErrorMessage) {
    const Error error = error_from(message);
    // A machine without a GPU is not asked three times; one that had a GPU may have lost it for a moment.
    if (!info_ && error.code() == Errc::no_driver) {
      workers_.retire();
      hopeless_ = error;
      return;
    }
    lose({LossCause::ended, lost_worker(error.what())});
  } else if (message.type == kReply) {
    handle_reply(decode_reply(message));
  } else {
    lose({LossCause::fault,
          lost_worker(fmt::format("The device worker sent a '{}' message, which this program does not support.",
                                  message.type))});
  }
}

void DeviceProcessLane::handle_reply(WorkerReply answered) {
  DeviceReply& reply = answered.reply;
  const LossCause cause = reply.outcome == Outcome::run_timeout ? LossCause::hang : LossCause::fault;
  if (!running_) return lose({cause, lost_worker("The device worker answered a request that it was not sent.")});
  if (!answered.ends && lacks_memory(reply)) return give_again_with_all_memory();
  if (running_->repeated) {
    if (reply.outcome == Outcome::ok && !answered.ends) {
      if (repeat_.empty()) failures_ = 0;
      return running_.reset();
    }
    return lose({cause, lost_worker(fmt::format("A new device worker could not restore the state of the old one: {}",
                                                reply.message))});
  }
  // Preparing runs no code of a candidate's: that the context died then is the device's doing, and it is tried again.
  if (!std::holds_alternative<PrepareProblem>(running_->pending.request) || !answered.ends) failures_ = 0;
  if (answered.ends) return lose({cause, std::move(reply)});
  finish(std::move(reply));
}

// The worker has answered, and lives.
void DeviceProcessLane::finish(DeviceReply reply) {
  Pending pending = std::move(running_->pending);
  running_.reset();
  if (std::holds_alternative<ProbeFences>(pending.request)) return take_probes(reply);
  if (pending.first_failure) {
    if (reply.outcome == Outcome::ok) {
      ++statistics_.innocent;
    } else if (!std::holds_alternative<RunBlock>(pending.request)) {
      reply = settled(pending, std::move(reply));
    }
  }
  remember(pending.request, reply);
  answer(pending.ticket, std::move(reply));
}

void DeviceProcessLane::remember(const DeviceRequest& request, const DeviceReply& reply) {
  if (reply.outcome != Outcome::ok) {
    if (std::holds_alternative<LoadFinalists>(request)) no_finalists_ = reply.message;
    return;
  }
  if (const auto* problem = std::get_if<PrepareProblem>(&request)) problem_ = *problem;
  if (const auto* finalists = std::get_if<LoadFinalists>(&request)) finalists_ = *finalists;
  if (const auto* reference = std::get_if<RunReference>(&request)) {
    reference_ = *reference;
    reference_->isolation = {};
    reference_->policy.samples = 1;  // repeated for its outputs; its time is known
    const std::vector<double>& samples = reply.timed_run().samples_ns;
    if (!samples.empty()) limits_.reference_ns = *std::max_element(samples.begin(), samples.end());
    // Other requests do much the same work. Twenty times that, and something for a busy machine, is long enough.
    const double took_ms = reply.load_ms + reply.verify_ms + reply.timing_ms;
    limits_.slack = std::min(options_.slack, std::chrono::milliseconds(5000 + static_cast<std::int64_t>(20 * took_ms)));
  }
}

// ---- Requests ----

void DeviceProcessLane::submit(TicketId ticket, DeviceRequest request) {
  waiting_.push_back({ticket, std::move(request), {}, false});
  if (hopeless_) return;
  send_next();
  keep_spares();
}

void DeviceProcessLane::send_next() {
  if (!workers_.active() || !workers_.active()->greeted || running_) return;
  if (!repeat_.empty()) {
    DeviceRequest request = std::move(repeat_.front());
    repeat_.pop_front();
    return give({0, std::move(request), {}, false}, true);
  }
  // Nothing is timed beside a kernel that hangs; it ends when its process does.
  if (workers_.any_computing()) return;
  note_recovered();
  if (is_bare_ && !waiting_.empty() && !std::holds_alternative<ProbeFences>(waiting_.front().request)) {
    is_bare_ = false;
    restore_all();
    return send_next();
  }
  while (!waiting_.empty() && !running_) {
    Pending pending = std::move(waiting_.front());
    waiting_.pop_front();
    if (needs_finalists(pending.request) && !finalists_) {
      // The worker would not know what is meant, and end.
      answer(pending.ticket,
             lost_worker(fmt::format("There are no finalists to race: {} Load them first.", no_finalists_)));
    } else {
      forget_what_it_replaces(pending.request);
      give(std::move(pending), false);
    }
  }
}

void DeviceProcessLane::forget_what_it_replaces(const DeviceRequest& request) {
  if (const auto* problem = std::get_if<PrepareProblem>(&request)) {
    limits_.launch_timeout = problem->launch_timeout;
    limits_.mode = problem->mode;
    limits_.slack = options_.slack;
    limits_.reference_ns.reset();
    // From now on the old problem is gone, whether or not this one can be prepared.
    problem_.reset();
    reference_.reset();
    finalists_.reset();
    no_finalists_ = "none were loaded since the problem was prepared.";
    racing_ = spares_in_the_way_ = false;
    spares_failed_ = 0;
    searches_left_ = kMostSearches;
  }
  if (const auto* finalists = std::get_if<LoadFinalists>(&request)) {
    finalists_.reset();
    racing_ = !finalists->beside_screening;
    if (racing_) workers_.dismiss_unready_spares();
  }
  // Nothing may run beside the race, not even the driver that tidies up after the dead.
  if (racing_) workers_.wait_for_leaving();
}

void DeviceProcessLane::give(Pending pending, bool repeated) {
  if (const auto* problem = std::get_if<PrepareProblem>(&pending.request); problem && !fits_twice(*problem))
    workers_.wait_for_leaving();
  const bool runs = runs_a_candidate(pending.request);
  // What fails in a fresh worker may get no second run, so the first must tell as much.
  if (runs && !repeated && fresh_) ask_for_diagnosis(pending.request);
  const Message message = encode_request(pending.request);
  const auto limit = limit_of(pending.request, limits_);
  running_ = Running{std::move(pending), repeated, fresh_, limit, Clock::now() + limit};
  if (runs && !repeated) fresh_ = false;
  // A worker that is gone is noticed when its channel is read.
  workers_.active()->process.channel().send(message);
}

bool DeviceProcessLane::lacks_memory(const DeviceReply& reply) const {
  return reply.outcome == Outcome::out_of_memory && !running_->pending.had_all_memory &&
         (workers_.any_leaving() || workers_.any_spares());
}

// Spares hold memory, and so do processes until they are gone: a candidate is not judged by that.
void DeviceProcessLane::give_again_with_all_memory() {
  spares_in_the_way_ = spares_in_the_way_ || workers_.any_spares();
  workers_.dismiss_spares();
  workers_.wait_for_leaving();
  Running again = std::move(*running_);
  again.pending.had_all_memory = true;
  give(std::move(again.pending), again.repeated);
}

void DeviceProcessLane::answer(TicketId ticket, DeviceReply reply) {
  answered_.push_back({ticket, std::move(reply)});
}

void DeviceProcessLane::cancel(TicketId ticket) {
  const auto found =
      std::find_if(waiting_.begin(), waiting_.end(), [&](const Pending& pending) { return pending.ticket == ticket; });
  if (found == waiting_.end()) return;
  DeviceReply reply = found->first_failure ? std::move(*found->first_failure)
                                           : lost_worker("It was cancelled before it reached the device.");
  if (search_ && search_->ticket == ticket) search_.reset();
  waiting_.erase(found);
  answer(ticket, std::move(reply));
}

// ---- Driving it ----

void DeviceProcessLane::step() {
  receive();
  const int lost = workers_.tend();
  statistics_.spares_lost += lost;
  spares_failed_ += lost;
  const auto now = Clock::now();
  if (!hopeless_ && start_again_at_ && now >= *start_again_at_) start_another();
  DeviceWorker* worker = workers_.active();
  if (worker && !worker->greeted && now >= worker->start_deadline) {
    lose({LossCause::mute, lost_worker(fmt::format("The device worker did not report within {} ms that it had started.",
                                                   options_.start_limit.count()))});
  } else if (worker && running_ && now >= running_->deadline) {
    lose({LossCause::mute,
          DeviceReply{.outcome = Outcome::run_timeout,
                      .message = fmt::format("The device worker did not answer within {} ms and was stopped.",
                                             running_->limit.count())}});
  }
  if (hopeless_) return;
  send_next();
  keep_spares();
}

void DeviceProcessLane::give_up_if_hopeless() {
  if (hopeless_) throw Error(*hopeless_);
}

std::vector<DeviceProcessLane::Completion> DeviceProcessLane::poll() {
  if (!hopeless_) step();
  // What was answered before is still handed out; the next call throws.
  if (answered_.empty()) give_up_if_hopeless();
  return std::exchange(answered_, {});
}

const DeviceInfo& DeviceProcessLane::info() {
  constexpr std::chrono::milliseconds kLookUp{50};
  while (!info_) {
    give_up_if_hopeless();
    if (options_.stop && *options_.stop)
      throw Error(Errc::device_lost,
                  fmt::format("It was stopped while the driver of GPU {} was starting.", options_.ordinal));
    wait_readable(wait_fds(), std::min(next_deadline(), Clock::now() + kLookUp));
    step();
  }
  return *info_;
}

std::size_t DeviceProcessLane::room() const {
  const std::size_t held = waiting_.size() + (running_ && !running_->repeated ? 1 : 0);
  return kRoom - std::min(kRoom, held);
}

std::vector<int> DeviceProcessLane::wait_fds() const {
  return workers_.wait_fds();
}

std::chrono::steady_clock::time_point DeviceProcessLane::next_deadline() const {
  if (!answered_.empty() || hopeless_) return Clock::time_point::min();
  return std::min({workers_.next_deadline(), running_ ? running_->deadline : Clock::time_point::max(),
                   start_again_at_.value_or(Clock::time_point::max())});
}

DeviceLaneStatistics DeviceProcessLane::statistics() const {
  DeviceLaneStatistics result = statistics_;
  result.spares_ready = workers_.spares_ready();
  return result;
}

}  // namespace tuner::engine
