#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/turns/turn.hpp"
#include "tuner/engine_protocol/jobs.hpp"

namespace tuner::engine {

/// Tunes for a program, one job at a time. What goes wrong is an answer. Used from one thread.
class TuneService {
 public:
  /// `stop`: nobody waits for an answer any more.
  explicit TuneService(const std::atomic<bool>& stop) : stop_(stop) {}

  /// Waits until nobody else tunes the same in the same database, and holds nothing of the GPU meanwhile; what another
  /// has decided by then is the answer. Else tunes as soon as nobody else measures on the GPU.
  TuneAnswer tune(const TuneJob& job);

  /// Compilers live on for the next job, and go when none comes.
  std::chrono::steady_clock::time_point next_deadline() const;
  void tend();

 private:
  class Work;
  CompilePool& compilers(const TuneJob& job);

  const std::atomic<bool>& stop_;
  Overdue overdue_;
  std::optional<CompilePool> pool_;
  int workers_ = 0;
  bool background_ = false;
  std::chrono::steady_clock::time_point idle_since_{};
};

}  // namespace tuner::engine
