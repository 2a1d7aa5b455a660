#include "tuner/engine/compile/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "tuner/engine/compile/program.hpp"
#include "tuner/process/usable_cores.hpp"
#include "tuner/process/usable_memory.hpp"
#include "tuner/process/worker_program.hpp"

namespace tuner::engine {
namespace {

constexpr int kRequestsPerWorker = 2;  // one being compiled, one waiting
constexpr int kAttempts = 2;           // a worker may be killed from outside once; twice is the source's doing
constexpr int kHelperStarts = 3;
constexpr std::size_t kPrecompiledLimit = 4;                    // 100 MB each
constexpr std::uint64_t kLeastMemory = std::uint64_t{1} << 30;  // CUB's headers take half of it
constexpr std::uint64_t kMostMemory = std::uint64_t{8} << 30;   // more is no kernel but a mistake
constexpr auto kHelperPatience = std::chrono::seconds(60);
constexpr auto kGoodbye = std::chrono::milliseconds(1000);
constexpr auto kCancelGrace = std::chrono::seconds(1);
constexpr auto kNvccGrace = std::chrono::seconds(5);  // in which a worker ends it, and all that it started

std::string title(const CompileRequest& request) {
  return request.configuration.empty() ? request.file_name
                                       : fmt::format("{} with {}", request.file_name, request.configuration);
}

std::string precompiled_key(std::string_view prefix, const CompileRequest& request) {
  std::string key =
      fmt::format("{}:{}\n{}:{}\n", request.architecture.size(), request.architecture, prefix.size(), prefix);
  for (const std::string& option : request.options) key += fmt::format("{}:{}\n", option.size(), option);
  for (const Header& header : request.headers)
    key += fmt::format("{}:{} {}:{}\n", header.name.size(), header.name, header.text.size(), header.text);
  return key;
}

}  // namespace

std::uint64_t memory_share(std::size_t workers) {
  return std::clamp(usable_memory() / workers, kLeastMemory, kMostMemory);
}

CompilePool::CompilePool(CompilePoolOptions options) : options_(std::move(options)) {
  if (options_.worker_program.empty()) options_.worker_program = find_worker_program();
  if (options_.workers <= 0) options_.workers = std::max(1, usable_cores() - 1);
  slots_.resize(static_cast<std::size_t>(options_.workers));
  if (options_.memory == 0) options_.memory = memory_share(slots_.size());
  most_at_once_ =
      static_cast<std::int64_t>(std::clamp<std::uint64_t>(usable_memory() / options_.memory, 1, slots_.size()));
  start_helper();
}

CompilePool::~CompilePool() {
  if (!helper_) return;
  // Given a moment, the helper collects its workers. Killed at once, it leaves them to the init process, and not every
  // container has one that collects them.
  helper_->channel().close();
  helper_->wait_until(Clock::now() + kGoodbye);
}

// ---- the helper

void CompilePool::start_helper() {
  SpawnOptions helper{options_.worker_program, {"compile"}, {}};
  if (!options_.confined_to.empty()) helper.environment.push_back("TMPDIR=" + options_.confined_to.string());
  helper_.emplace(helper);
  ready_ = false;
  precompiling_ = false;
  helper_deadline_ = Clock::now() + kHelperPatience;
  helper_->channel().send(to_message(
      kStart, HelperStart{options_.architecture, options_.include_folders, options_.builtins, options_.niceness,
                          options_.warm_up, options_.memory, options_.confined_to, options_.timeout}));
}

void CompilePool::restart_helper(std::string how) {
  if (const std::string words = helper_->stderr_tail(500); !words.empty()) how += ": " + words;
  // A header whose precompiling ended the helper is not tried again; others were lost with it and are.
  if (!precompiling_) precompiled_keys_.clear();
  for (Slot& slot : slots_) {
    if (slot.job) pending_.push_front(std::move(*slot.job));
    const double busy = slot.busy_ms;
    slot = Slot{};
    slot.busy_ms = busy;
  }
  helper_.reset();
  if (++failed_starts_ >= kHelperStarts) {
    broken_ = Error(Errc::no_worker,
                    fmt::format("The compile helper {} failed {} times in a row; the last one {}. Check memory and "
                                "limits ('ulimit -a'), or report this.",
                                options_.worker_program.string(), failed_starts_, how));
    return;
  }
  ++statistics_.helper_restarts;
  start_helper();
}

bool CompilePool::waits_for_helper() const {
  return helper_ && (!ready_ || precompiling_ ||
                     std::any_of(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.requested; }));
}

void CompilePool::read_helper() {
  if (!helper_) return;
  try {
    while (helper_) {
      std::optional<Message> message = helper_->channel().receive();
      if (!message) break;
      handle(std::move(*message));
    }
  } catch (const Error& error) {
    if (error.code() != Errc::no_worker && error.code() != Errc::shortage) throw;
    broken_ = error;  // of another build, or there was no room for what it sent
    helper_.reset();
  }
  if (!helper_) return;
  if (helper_->channel().closed()) {
    helper_->kill();
    const std::optional<ExitStatus> status = helper_->wait_until(Clock::now() + std::chrono::seconds(5));
    restart_helper(status ? status->text() : "did not end when killed");
  } else if (waits_for_helper() && Clock::now() >= helper_deadline_) {
    restart_helper(fmt::format("did not answer for {} s", kHelperPatience.count()));
  }
}

void CompilePool::handle(Message message) {
  if (message.type == kReady) {
    ready_ = true;
    statistics_.toolkit = from_message<HelperReady>(message).toolkit;
    // Workers first: they compile without what the helper is busy precompiling then.
    for (Slot& slot : slots_) ask_for_worker(slot);
    for (const Job& job : pending_) precompile_for(job.request);
  } else if (message.type == kPrecompiled) {
    precompiling_ = false;
    for (Slot& slot : slots_) slot.stale = !slot.requested;
  } else if (message.type == kWorker && !message.fds.empty()) {
    const auto worker = from_message<NewWorker>(message);
    if (worker.slot >= 0 && worker.slot < workers())
      welcome(slots_[static_cast<std::size_t>(worker.slot)], worker, std::move(message.fds.back()));
  } else if (message.type == kErrorMessage) {
    const Error error = error_from(message);
    if (error.code() == Errc::no_toolkit) {
      broken_ = error;
      helper_.reset();
    } else {
      restart_helper(std::string("reported: ") + error.what());
    }
  }
}

void CompilePool::precompile_for(const CompileRequest& request) {
  if (!ready_ || !helper_ || request.nvcc || precompiled_keys_.size() >= kPrecompiledLimit) return;
  const std::string_view prefix = toolkit_prefix(request.source, request.headers);
  if (prefix.empty()) return;
  std::string key = precompiled_key(prefix, request);
  if (std::find(precompiled_keys_.begin(), precompiled_keys_.end(), key) != precompiled_keys_.end()) return;
  precompiled_keys_.push_back(std::move(key));
  precompiling_ = true;
  helper_deadline_ = Clock::now() + kHelperPatience;
  helper_->channel().send(to_message(kPrecompile, request));
}

// ---- workers

void CompilePool::ask_for_worker(Slot& slot) {
  slot.channel.close();
  slot.pid = 0;
  slot.requested = true;
  helper_deadline_ = Clock::now() + kHelperPatience;
  helper_->channel().send(to_message(kReplace, ReplaceWorker{static_cast<int>(&slot - slots_.data())}));
}

void CompilePool::welcome(Slot& slot, const NewWorker& worker, UniqueFd channel) {
  slot.channel = Channel(std::move(channel));
  slot.pid = worker.pid;
  slot.requested = false;
  slot.stale = false;
  if (slot.job) give_back(slot, worker.previous_end);
}

// The slot's worker is gone and its job was not answered.
void CompilePool::give_back(Slot& slot, const std::string& end) {
  Job job = std::move(*slot.job);
  slot.job.reset();
  const double elapsed = std::chrono::duration<double, std::milli>(Clock::now() - slot.started).count();
  slot.busy_ms += elapsed;
  if (job.cancelled) {
    fail(job, Outcome::compile_timeout, fmt::format("Compiling {} was abandoned.", title(job.request)), elapsed);
  } else if (std::exchange(slot.timed_out, false)) {
    const double seconds = std::chrono::duration<double>(options_.timeout).count();
    fail(job, Outcome::compile_timeout,
         fmt::format("Compiling {} took longer than {:g} s and was stopped.", title(job.request), seconds), elapsed);
  } else if (++job.attempts < kAttempts) {
    pending_.push_front(std::move(job));
  } else {
    fail(job, Outcome::worker_lost, fmt::format("The compiler {} while it compiled {}.", end, title(job.request)),
         elapsed);
  }
}

void CompilePool::read_slot(Slot& slot) {
  try {
    while (std::optional<Message> message = slot.channel.receive()) {
      if (message->type != kCompiled || !slot.job) continue;
      auto reply = from_message<CompileReply>(*message);
      slot.busy_ms += reply.milliseconds;
      ++statistics_.compiled;
      failed_starts_ = 0;
      slot.full = reply.outcome == Outcome::compile_memory;
      if (slot.full) {
        reply.message = fmt::format(
            "Compiling {} took more than {:.3g} GB of memory and was stopped. `--compile-memory` allows more.",
            title(slot.job->request), static_cast<double>(options_.memory) / (std::uint64_t{1} << 30));
        reply.toolkit = statistics_.toolkit;
      }
      answer(*slot.job, std::move(reply));
      slot.job.reset();
    }
  } catch (const Error&) {
    slot.channel.close();  // it sent nonsense: as good as dead
  }
  if (slot.requested || slot.pid == 0) return;
  const bool dead = std::exchange(slot.full, false) || slot.channel.closed();
  slot.timed_out = !dead && slot.job && Clock::now() >= slot.deadline;
  if (!dead && !slot.timed_out) return;
  ++statistics_.workers_replaced;
  ask_for_worker(slot);
}

void CompilePool::dispatch() {
  for (Slot& slot : slots_) {
    if (slot.channel.closed() || slot.job) continue;
    if (slot.stale) {
      ask_for_worker(slot);
      continue;
    }
    if (pending_.empty() || busy() >= most_at_once_) continue;
    slot.job = std::move(pending_.front());
    pending_.pop_front();
    slot.started = Clock::now();
    slot.deadline = slot.started + options_.timeout;
    if (slot.job->request.nvcc) slot.deadline += kNvccGrace;
    slot.channel.send(to_message(kCompile, slot.job->request));  // if it is gone, the next look at the slot finds out
  }
}

// ---- the lane

void CompilePool::submit(TicketId ticket, CompileRequest request) {
  precompile_for(request);
  pending_.push_back({ticket, std::move(request)});
  dispatch();
}

std::vector<CompilePool::Completion> CompilePool::poll() {
  if (!broken_) {
    for (Slot& slot : slots_) read_slot(slot);
    read_helper();
    dispatch();
  }
  if (broken_ && completions_.empty()) throw *broken_;
  return std::exchange(completions_, {});
}

void CompilePool::cancel(TicketId ticket) {
  const auto waiting =
      std::find_if(pending_.begin(), pending_.end(), [&](const Job& job) { return job.ticket == ticket; });
  if (waiting != pending_.end()) {
    const Job job = std::move(*waiting);
    pending_.erase(waiting);
    fail(job, Outcome::compile_timeout, fmt::format("Compiling {} was abandoned.", title(job.request)), 0);
    return;
  }
  for (Slot& slot : slots_) {
    if (!slot.job || slot.job->ticket != ticket) continue;
    slot.job->cancelled = true;
    slot.deadline = std::min(slot.deadline, Clock::now() + kCancelGrace);
  }
}

std::int64_t CompilePool::busy() const {
  return std::count_if(slots_.begin(), slots_.end(), [](const Slot& slot) { return slot.job.has_value(); });
}

std::size_t CompilePool::room() const {
  const std::size_t taken = pending_.size() + static_cast<std::size_t>(busy());
  const std::size_t bound = kRequestsPerWorker * slots_.size();
  return taken < bound ? bound - taken : 0;
}

std::vector<int> CompilePool::wait_fds() const {
  std::vector<int> fds;
  if (helper_ && !helper_->channel().closed()) fds.push_back(helper_->channel().fd());
  for (const Slot& slot : slots_) {
    if (!slot.channel.closed()) fds.push_back(slot.channel.fd());
  }
  return fds;
}

CompilePool::Clock::time_point CompilePool::next_deadline() const {
  if (broken_ || !completions_.empty()) return Clock::now();
  if (helper_ && helper_->channel().closed()) return Clock::now();
  Clock::time_point next = waits_for_helper() ? helper_deadline_ : Clock::time_point::max();
  for (const Slot& slot : slots_) {
    if (slot.job && !slot.requested) next = std::min(next, slot.deadline);
    // A send without a reader closed the channel: nothing will become readable.
    if (slot.channel.closed() && slot.pid != 0) next = Clock::now();
  }
  return next;
}

void CompilePool::answer(const Job& job, CompileReply reply) {
  completions_.push_back({job.ticket, std::move(reply)});
}

void CompilePool::fail(const Job& job, Outcome outcome, std::string sentence, double milliseconds) {
  answer(job, {.outcome = outcome,
               .message = std::move(sentence),
               .toolkit = statistics_.toolkit,
               .milliseconds = milliseconds});
}

CompilePoolStatistics CompilePool::statistics() const {
  CompilePoolStatistics result = statistics_;
  for (const Slot& slot : slots_) result.busy_ms.push_back(slot.busy_ms);
  return result;
}

std::vector<pid_t> CompilePool::worker_pids() const {
  std::vector<pid_t> pids;
  for (const Slot& slot : slots_) pids.push_back(slot.pid);
  return pids;
}

}  // namespace tuner::engine
