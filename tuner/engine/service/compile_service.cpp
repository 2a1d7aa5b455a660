#include "tuner/engine/service/compile_service.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cache/file/location.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/service/subject.hpp"
#include "tuner/error.hpp"
#include "tuner/process/usable_cores.hpp"

namespace tuner::engine {

namespace {

/// A warm compiler holds some 100 MB, and a program that has what it needs does not come again.
constexpr std::chrono::seconds kIdle{60};

CompileAnswer failure(Outcome outcome, const std::string& sentence) {
  return {.outcome = outcome, .message = sentence};
}

}  // namespace

CompileService::CompileService() {
  try {
    start_compiler();
  } catch (const Error&) {
    // The first job is told.
  }
}

void CompileService::start_compiler() {
  // The second so that what compiles long holds up nobody; the limits are those of the jobs.
  CompilePoolOptions options{.workers = std::min(2, usable_cores()), .niceness = 0, .warm_up = false};
  options.timeout = std::chrono::hours(24);
  pool_.emplace(std::move(options));
}

void CompileService::add(Ticket ticket, const CompileJob& job) {
  try {
    const Task task(description_of(job.subject), job.subject.problem, job.subject.device, {}, {},
                    search::Listing::when_needed);
    const search::Configuration configuration = task.space().parse(job.configuration);
    CompileRequest request = compile_request(task, configuration);
    Work work{job.subject.database,
              task.device().architecture(),
              binary_key(task, configuration),
              fmt::format("`{}` with {}", job.subject.kernel, job.configuration),
              job.limit,
              Clock::now() + job.limit};
    if (!pool_) start_compiler();
    compiling_.emplace(ticket, std::move(work));
    pool_->submit(ticket, std::move(request));
  } catch (const Error& error) {
    const bool of_the_job =
        error.code() != Errc::no_worker && error.code() != Errc::shortage && error.code() != Errc::internal;
    compiling_.erase(ticket);
    answered_.emplace_back(ticket, failure(of_the_job ? Outcome::compile_error : Outcome::worker_lost, error.what()));
  }
}

std::vector<CompileService::Answer> CompileService::poll() {
  try {
    if (pool_) {
      cancel_those_too_late();
      for (auto& [ticket, reply] : pool_->poll()) {
        const auto found = compiling_.find(ticket);
        if (found == compiling_.end()) continue;
        CompileAnswer answer = failure(reply.outcome, reply.message);
        answer.cubin = reply.cubin;
        const Work& work = found->second;
        if (work.cancelled && reply.outcome == Outcome::compile_timeout) {
          answer.message = fmt::format("{} was not compiled within {:g} s, and compiling it was abandoned.", work.title,
                                       std::chrono::duration<double>(work.limit).count());
        }
        answered_.emplace_back(ticket, std::move(answer));
        if (reply.outcome == Outcome::ok) compiled_.emplace_back(std::move(found->second), std::move(reply));
        compiling_.erase(found);
      }
    }
  } catch (const Error& error) {
    fail_all(error.what());
  }
  if (!compiling_.empty()) idle_since_ = Clock::now();
  if (pool_ && Clock::now() - idle_since_ > kIdle) pool_.reset();
  return std::exchange(answered_, {});
}

void CompileService::cancel_those_too_late() {
  const Clock::time_point now = Clock::now();
  for (auto& [ticket, work] : compiling_) {
    if (work.cancelled || work.deadline > now) continue;
    work.cancelled = true;
    pool_->cancel(ticket);
  }
}

/// The compiler as a whole cannot be used. Perhaps the next job finds one.
void CompileService::fail_all(const std::string& sentence) {
  pool_.reset();
  for (const auto& [ticket, work] : std::exchange(compiling_, {})) {
    answered_.emplace_back(ticket, failure(Outcome::worker_lost, sentence));
  }
}

void CompileService::keep_binaries() {
  for (const auto& [work, reply] : std::exchange(compiled_, {})) {
    try {
      keep(work, reply);
    } catch (const Error&) {
      open_.reset();
    }
  }
}

void CompileService::keep(const Work& work, const CompileReply& reply) {
  const std::filesystem::path path = cache::locate(work.database).binaries;
  if (!open_ || open_path_ != path) {
    constexpr std::chrono::milliseconds kPatience{1000};
    open_ = cache::BinaryStore::open({.path = path, .busy_timeout = kPatience});
    open_path_ = path;
  }
  open_->put(binary_to_keep(reply, work.architecture, work.key), cache::Keep::pinned);
}

std::vector<int> CompileService::wait_fds() const {
  return pool_ ? pool_->wait_fds() : std::vector<int>{};
}

CompileService::Clock::time_point CompileService::next_deadline() const {
  if (!answered_.empty() || !compiled_.empty()) return Clock::time_point::min();
  if (!pool_) return Clock::time_point::max();
  Clock::time_point next = pool_->next_deadline();
  // Without work, what the compiler has to say can wait, except that it is no more.
  if (compiling_.empty()) next = std::min(next, idle_since_ + kIdle);
  for (const auto& [ticket, work] : compiling_) {
    if (!work.cancelled) next = std::min(next, work.deadline);
  }
  return next;
}

}  // namespace tuner::engine
