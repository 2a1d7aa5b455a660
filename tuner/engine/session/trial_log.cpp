#include "tuner/engine/session/trial_log.hpp"

#include <fmt/format.h>

#include <utility>

namespace tuner::engine {

namespace {
constexpr std::chrono::milliseconds kLatest{250};
/// Another process may hold the database for a while: one failed write says little.
constexpr int kAttempts = 3;
}  // namespace

void TrialLog::add(cache::Trial trial) {
  if (waiting_.empty()) due_ = std::chrono::steady_clock::now() + kLatest;
  waiting_.push_back(std::move(trial));
  ++added_;
}

void TrialLog::flush_if_due() {
  if (std::chrono::steady_clock::now() >= due_) write_waiting();
}

void TrialLog::flush() noexcept {
  while (!waiting_.empty() && works_) write_waiting();
}

void TrialLog::write_waiting() noexcept {
  due_ = std::chrono::steady_clock::time_point::max();
  if (waiting_.empty() || !works_) return waiting_.clear();
  guarded([&] {
    store_.record_trials(waiting_);
    stored_ += static_cast<std::int64_t>(waiting_.size());
    waiting_.clear();
  });
  if (!waiting_.empty()) due_ = std::chrono::steady_clock::now() + kLatest;
}

bool TrialLog::record(const cache::Decision& decision) noexcept {
  return insist([&] { store_.record_decision(decision); });
}

void TrialLog::record(const cache::Quarantined& quarantined) noexcept {
  insist([&] { store_.record_quarantine(quarantined); });
}

template <typename Write>
bool TrialLog::insist(Write write) noexcept {
  bool recorded = false;
  while (!recorded && works_) {
    guarded([&] {
      write();
      recorded = true;
    });
  }
  return recorded;
}

template <typename Write>
void TrialLog::guarded(Write write) noexcept {
  if (!works_) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    write();
    failures_ = 0;
  } catch (const std::exception& error) {
    if (++failures_ >= kAttempts) {
      works_ = false;
      observer_.warning(fmt::format(
          "{} Tuning goes on; results from here on are printed but not stored: {} of the {} trials so far are.",
          error.what(), stored_, added_));
    }
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tuner::engine
