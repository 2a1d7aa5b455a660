#include "tuner/engine_protocol/tuning_engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <string>
#include <utility>

#include "tuner/engine_protocol/engine_wire.hpp"
#include "tuner/engine_protocol/job_answers.hpp"
#include "tuner/error.hpp"

namespace tuner::service {
namespace {

using Clock = std::chrono::steady_clock;

/// The race and the winner's binary may take longer than a limit for tuning, and what they end with is worth having.
constexpr std::chrono::milliseconds kTunerGrace{20'000};

void answer(PendingTune tune, TuneAnswer found) noexcept try { tune.done(std::move(found)); } catch (...) {
  // It must not throw; what it throws must not end a program.
}

}  // namespace

void TuningEngine::start() {
  answer_those_too_late();
  while (!tuning_ && !waiting_.empty()) {
    read();  // perhaps it is gone
    tuning_ = std::move(waiting_.front());
    waiting_.pop_front();
    ++tuning_->attempts;
    try {
      if (!process_) process_.emplace("tune");
      TuneJob job = tuning_->job;
      if (job.limit) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(tuning_->time_is_up() - Clock::now());
        job.limit = std::max(left, std::chrono::milliseconds(1));
        tuning_->hangs_at = Clock::now() + *job.limit + *tuning_->job.limit + kTunerGrace;
      }
      process_->send(encode(job));
    } catch (const std::exception& error) {
      finish(not_tuned(error.what()));
    }
  }
}

// A limit counts from when the program asked, whatever was tuned before.
void TuningEngine::answer_those_too_late() {
  const Clock::time_point now = Clock::now();
  for (auto it = waiting_.begin(); it != waiting_.end();) {
    const auto next = std::next(it);
    if (it->waits_until() <= now) {
      std::string sentence =
          fmt::format("{:g} s passed before it was the turn of {}: the engine was tuning something else.",
                      seconds(*it->job.limit), title(it->job.subject));
      std::list<PendingTune> late;
      late.splice(late.end(), waiting_, it);
      answer(std::move(late.front()), not_tuned(std::move(sentence)));
    }
    it = next;
  }
}

void TuningEngine::read() {
  if (!process_) return;
  while (const std::optional<Message> message = process_->receive()) {
    try {
      if (message->type == kTuned && tuning_) finish(decode_tuned(*message));
    } catch (const Error&) {
      process_->let_go();
    }
  }
  if (!process_->lost()) return;
  const std::string end = tuning_ ? process_->exit_description() : "";
  process_.reset();
  if (!tuning_) return;
  if (tuning_->attempts < kEngineAttempts) {
    waiting_.push_front(std::move(*tuning_));
    tuning_.reset();
  } else {
    finish(
        not_tuned(fmt::format("The engine was lost {} times while it tuned {}; the last time it {} What "
                              "was measured is stored.",
                              kEngineAttempts, title(tuning_->job.subject), end)));
  }
}

void TuningEngine::end_what_hangs() {
  if (!tuning_ || tuning_->hangs_at > Clock::now()) return;
  process_.reset();
  finish(
      not_tuned(fmt::format("The engine that tuned {} did not answer within its {:g} s nor long after, and was "
                            "terminated. What was measured is stored.",
                            title(tuning_->job.subject), seconds(*tuning_->job.limit))));
}

void TuningEngine::give_up() noexcept {
  process_.reset();
  if (tuning_) answer(std::move(*tuning_), TuneAnswer{});
  tuning_.reset();
  for (PendingTune& tune : waiting_) answer(std::move(tune), TuneAnswer{});
  waiting_.clear();
}

void TuningEngine::finish(TuneAnswer found) {
  PendingTune tune = std::move(*tuning_);
  tuning_.reset();
  answer(std::move(tune), std::move(found));
}

Clock::time_point TuningEngine::next_deadline() const {
  Clock::time_point next = tuning_ ? tuning_->hangs_at : Clock::time_point::max();
  for (const PendingTune& tune : waiting_) next = std::min(next, tune.waits_until());
  return next;
}

}  // namespace tuner::service
