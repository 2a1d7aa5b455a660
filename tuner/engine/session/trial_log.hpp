#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "cache/store/store.hpp"
#include "tuner/engine/session/session.hpp"

namespace tuner::engine {

/// Carries finished trials to the store in batches, at most a quarter of a second late: a commit costs a disk flush, a
/// trial is milliseconds. A store that fails three times in a row costs one warning; from then on nothing is
/// written, and tuning goes on.
class TrialLog {
 public:
  TrialLog(cache::Store& store, Observer& observer) : store_(store), observer_(observer) {}
  /// Writes what is left; errors were warned about.
  ~TrialLog() { flush(); }
  TrialLog(const TrialLog&) = delete;
  TrialLog& operator=(const TrialLog&) = delete;

  void add(cache::Trial trial);
  /// Writes when the oldest waiting trial has waited long enough.
  void flush_if_due();
  void flush() noexcept;
  /// False if it could not be stored.
  bool record(const cache::Decision& decision) noexcept;
  void record(const cache::Quarantined& quarantined) noexcept;

  /// When flush_if_due has something to do.
  std::chrono::steady_clock::time_point next_deadline() const { return due_; }
  std::int64_t stored() const { return stored_; }
  std::int64_t added() const { return added_; }
  bool works() const { return works_; }
  double seconds() const { return seconds_; }

 private:
  void write_waiting() noexcept;
  template <typename Write>
  bool insist(Write write) noexcept;
  template <typename Write>
  void guarded(Write write) noexcept;

  cache::Store& store_;
  Observer& observer_;
  std::vector<cache::Trial> waiting_;
  std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::time_point::max();
  std::int64_t stored_ = 0;
  std::int64_t added_ = 0;
  double seconds_ = 0;
  bool works_ = true;
  int failures_ = 0;  ///< in a row
};

}  // namespace tuner::engine
