#include "tuner/engine/trial_log.hpp"

#include <fmt/format.h>

#include <utility>

namespace tuner::engine {

namespace {
constexpr std::chrono::milliseconds kLatest{250};
}

void TrialLog::add(cache::Trial trial) {
  if (waiting_.empty()) due_ = std::chrono::steady_clock::now() + kLatest;
  waiting_.push_back(std::move(trial));
}

void TrialLog::flush_if_due() {
  if (std::chrono::steady_clock::now() >= due_) flush();
}

void TrialLog::flush() noexcept {
  due_ = std::chrono::steady_clock::time_point::max();
  const std::vector<cache::Trial> batch = std::exchange(waiting_, {});
  if (batch.empty()) return;
  guarded([&] {
    store_.record_trials(batch);
    stored_ += static_cast<std::int64_t>(batch.size());
  });
}

void TrialLog::record(const cache::Decision& decision) noexcept {
  guarded([&] { store_.record_decision(decision); });
}

template <typename Write>
void TrialLog::guarded(Write write) noexcept {
  if (!works_) return;
  const auto start = std::chrono::steady_clock::now();
  try {
    write();
  } catch (const std::exception& error) {
    works_ = false;
    observer_.warning(fmt::format("{} Tuning goes on; results from here on are printed but not stored.", error.what()));
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace tuner::engine
