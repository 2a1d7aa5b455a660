#include "tuner/engine_protocol/compiling_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "tuner/engine_protocol/job_answers.hpp"
#include "tuner/error.hpp"

namespace tuner::service {
namespace {

using Clock = std::chrono::steady_clock;

/// An engine answers a compile that has taken its limit, by itself; one that has not by this much later is taken to
/// hang, whatever it does.
constexpr std::chrono::milliseconds kCompilerGrace{4000};

/// The part of a request's time that the compiler gets: one source on which it hangs must not take up all the time of
/// another request that came after it. Even for a request that hardly waits it is worth to compile: the next one finds
/// the binary.
std::chrono::milliseconds compiler_limit(Clock::time_point deadline) {
  using std::chrono::milliseconds;
  constexpr milliseconds kLeast{3000}, kMost{std::chrono::hours(24)};
  const Clock::time_point now = Clock::now();
  if (deadline <= now) return kLeast;
  if (deadline - now >= kMost) return kMost;
  return std::max(std::chrono::duration_cast<milliseconds>(deadline - now) * 2 / 3, kLeast);
}

}  // namespace

void CompilingEngine::start(PendingCompile compile) {
  try {
    read();  // perhaps it is gone
    if (!process_) process_.emplace("compile");
    const Ticket ticket = ++last_ticket_;
    ++compile.attempts;
    compile.job.limit = compiler_limit(compile.deadline);
    compile.hangs_at = Clock::now() + compile.job.limit + kCompilerGrace;
    process_->send(encode(ticket, compile.job));
    compiling_.emplace(ticket, std::move(compile));
  } catch (const std::exception& error) {
    compile.answer.set_value(not_compiled(Outcome::worker_lost, error.what()));
  }
}

void CompilingEngine::read() {
  if (!process_) return;
  while (const std::optional<Message> message = process_->receive()) {
    try {
      auto [ticket, answer] = decode_compiled(*message);
      const auto found = compiling_.find(ticket);
      if (found == compiling_.end()) continue;
      found->second.answer.set_value(std::move(answer));
      compiling_.erase(found);
    } catch (const Error&) {
      process_->let_go();  // nonsense: as good as lost
    }
  }
  if (!process_->lost()) return;
  const std::string end = compiling_.empty() ? "" : process_->exit_description();
  process_.reset();
  for (auto& [ticket, compile] : std::exchange(compiling_, {})) {
    compile.answer.set_value(
        not_compiled(Outcome::worker_lost,
                     fmt::format("The engine was lost while it compiled {}: it {}", title(compile.job.subject), end)));
  }
}

void CompilingEngine::end_what_hangs() {
  const Clock::time_point now = Clock::now();
  const auto hangs = [&](const auto& entry) { return entry.second.hangs_at <= now; };
  if (std::any_of(compiling_.begin(), compiling_.end(), hangs)) replace(now);
}

// What only waited behind those on which the engine hangs is given to another one, once.
void CompilingEngine::replace(Clock::time_point now) {
  process_.reset();
  for (auto& [ticket, compile] : std::exchange(compiling_, {})) {
    if (compile.hangs_at > now && compile.deadline > now && compile.attempts < kEngineAttempts) {
      start(std::move(compile));
    } else {
      compile.answer.set_value(not_compiled(
          Outcome::compile_timeout,
          fmt::format("The engine did not answer for {:g} s while it was to compile {}, and was terminated.",
                      seconds(compile.job.limit + kCompilerGrace), title(compile.job.subject))));
    }
  }
}

void CompilingEngine::give_up() noexcept {
  process_.reset();
  compiling_.clear();  // a promise that is broken is an answer
}

Clock::time_point CompilingEngine::next_deadline() const {
  Clock::time_point next = Clock::time_point::max();
  for (const auto& [ticket, compile] : compiling_) next = std::min(next, compile.hangs_at);
  return next;
}

}  // namespace tuner::service
