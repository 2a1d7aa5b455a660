#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/runtime/contexts.hpp"
#include "tuner/runtime/instance_state.hpp"
#include "tuner/runtime/kernel_state.hpp"
#include "tuner/runtime/plan_loader.hpp"
#include "tuner/runtime/program_engine.hpp"
#include "tuner/runtime/runtime_settings.hpp"

namespace tuner::detail {

/// Has the engine tune what a Runtime lacks, and puts what was found in the place of what is served. Safe to use from
/// several threads.
class BackgroundTuner {
 public:
  /// An instance that is to be tuned. It and its kernel live until the engine has ended.
  struct Order {
    const KernelState& kernel;
    ContextPlace place;
    std::shared_ptr<const Task> task;
    InstanceState& instance;
    std::int64_t since_unix_ms = 0;  ///< when the databases were looked into
  };

  /// What is handed over outlives the tuner, but for the engine, which ends before it.
  BackgroundTuner(const RuntimeSettings& settings, PlanLoader& loader, ProgramEngine& engine)
      : settings_(settings), loader_(loader), engine_(engine) {}

  /// Whatever the problem: why nothing may run on this GPU beside the program, as the end of a sentence.
  static std::optional<std::string> forbidden(int device);
  /// Why this task may not be tuned now, likewise.
  std::optional<std::string> why_not(const Task& task, const ContextPlace& place) const;

  /// Returns at once; the instance serves what it has meanwhile, which it must have.
  void tune(const Order& order) { start(order, false); }
  /// Mode::tune: for an instance that has nothing to serve perhaps. True if it has what was found; it waits for that no
  /// longer than RuntimeOptions::tune_limit, and what comes later is taken as with `tune`.
  bool tune_and_wait(const Order& order);

  /// See Runtime::wait_for_tuning.
  bool wait(std::chrono::milliseconds limit);

 private:
  /// What waits for the engine's answer.
  struct Waiting {
    Order order;
    bool request_waits = false;  ///< nothing is in use yet, so whatever wins is taken
  };
  /// Kernel, device and problem.
  using Key = std::string;

  Key key_of(const Order& order) const;
  void start(const Order& order, bool request_waits);
  TuneJob background_job(const Order& order, Effort effort) const;
  void send(const Key& key, TuneJob job);
  bool goes_on(const TuneAnswer& answer) const;
  void finish(const Key& key, const TuneAnswer& answer) noexcept;
  void serve_answer(const Waiting& waiting, const TuneAnswer& answer);
  void take_over(const Waiting& waiting, const TuneAnswer& answer);

  void say(const std::string& sentence) const noexcept { settings_.report(Notice::Kind::tuning, sentence); }

  const RuntimeSettings& settings_;
  const RuntimeOptions& options_ = settings_.options;
  PlanLoader& loader_;
  ProgramEngine& engine_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Key, std::vector<Waiting>> tuning_;
};

}  // namespace tuner::detail
