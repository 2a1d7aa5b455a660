#include "tuner/engine/candidates/trial_journal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tuner::engine {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kHeartbeat{100};
/// Another process may hold the database for a while: one failed write says little.
constexpr int kAttempts = 3;

}  // namespace

void TrialJournal::add(const Entry& finished) {
  if (!finished.reused) add_row(finished.trial);
  count_failure(finished.trial);
}

void TrialJournal::add_row(cache::Trial trial) {
  observer_.trial(trial);
  if (waiting_.empty()) due_ = Clock::now() + options_.row_delay;
  waiting_.push_back(std::move(trial));
  ++added_;
}

void TrialJournal::count_failure(const cache::Trial& trial) {
  if (trial.outcome == Outcome::ok || !trial.duplicate_of.empty()) return;
  FailureReport& failure = failures_[trial.outcome];
  if (failure.count++ > 0) return;
  failure.outcome = trial.outcome;
  failure.example_configuration = trial.configuration;
  failure.example_message = trial.message;
}

void TrialJournal::add_late_failure(const Candidates& candidates, EntryId entry, const CandidateFailure& failure) {
  quarantine_if_confirmed(candidates[entry], failure);
  for (const EntryId twin : candidates.twins(entry)) {
    if (!candidates[twin].finished) continue;
    cache::Trial trial = candidates[twin].trial;
    trial.outcome = failure.outcome;
    trial.message = "after it had been timed: " + failure.message;
    trial.time_ns.reset();
    trial.samples_ns.clear();
    count_failure(trial);
    add_row(std::move(trial));
  }
}

void TrialJournal::quarantine_if_confirmed(const Entry& entry, const CandidateFailure& failure) {
  const cache::Trial& trial = entry.trial;
  const bool ended_worker = failure.outcome == Outcome::illegal_access || failure.outcome == Outcome::run_timeout ||
                            failure.outcome == Outcome::worker_lost;
  if (!failure.confirmed || !ended_worker || failure.by_layout) return;
  if (trial.origin == cache::Origin::replay || trial.facts.binary_hash.empty()) return;
  cache::Quarantined quarantined{.key = trial.key,
                                 .binary_hash = trial.facts.binary_hash,
                                 .launch = entry.launch(),
                                 .driver = trial.conditions.driver,
                                 .configuration = trial.configuration,
                                 .outcome = failure.outcome,
                                 .message = failure.message,
                                 .session = trial.session};
  if (failure.outcome == Outcome::run_timeout) quarantined.launch_timeout_ms = options_.launch_timeout.count();
  insist([&] { store_.record_quarantine(quarantined); });
}

std::optional<std::int64_t> TrialJournal::record(const cache::Decision& decision) noexcept {
  std::int64_t row = 0;
  if (!insist([&] { row = store_.record_decision(decision); })) return std::nullopt;
  return row;
}

void TrialJournal::record_texts(std::int64_t decision, std::span<const cache::DecisionText> texts) noexcept {
  const Clock::time_point start = Clock::now();
  try {
    store_.record_texts(decision, texts);
  } catch (const std::exception& error) {
    observer_.warning(fmt::format(
        "{} The decision is stored, but the kernel's source and the samples of the race are not.", error.what()));
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
}

void TrialJournal::flush_if_due() {
  if (Clock::now() >= due_) write_waiting();
}

void TrialJournal::flush() noexcept {
  while (!waiting_.empty() && store_works_) write_waiting();
}

Clock::time_point TrialJournal::wake_at() const {
  return std::min(due_, Clock::now() + kHeartbeat);
}

void TrialJournal::write_waiting() noexcept {
  due_ = Clock::time_point::max();
  if (waiting_.empty() || !store_works_) return waiting_.clear();
  if (attempt([&] { store_.record_trials(waiting_); })) {
    stored_ += static_cast<std::int64_t>(waiting_.size());
    waiting_.clear();
  } else {
    due_ = Clock::now() + options_.row_delay;
  }
}

template <typename Write>
bool TrialJournal::insist(Write write) noexcept {
  while (store_works_) {
    if (attempt(write)) return true;
  }
  return false;
}

/// One write. The last attempt that fails ends all writing.
template <typename Write>
bool TrialJournal::attempt(Write write) noexcept {
  const Clock::time_point start = Clock::now();
  bool written = false;
  try {
    write();
    written = true;
    failed_writes_ = 0;
  } catch (const std::exception& error) {
    if (++failed_writes_ >= kAttempts) {
      store_works_ = false;
      observer_.warning(fmt::format(
          "{} Tuning continues; results from now on are printed but not stored: {} of the {} trials so far are stored.",
          error.what(), stored_, added_));
    }
  }
  seconds_ += std::chrono::duration<double>(Clock::now() - start).count();
  return written;
}

}  // namespace tuner::engine
