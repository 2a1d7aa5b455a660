#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <vector>

#include "cache/store/memory_store.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/session_parts.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/turns/turn.hpp"

namespace tuner::engine {

/// The compile workers and the GPU's worker for measuring a few configurations, of which nothing is stored.
class Workplace {
 public:
  /// Starts the workers. `observer` and `stop` outlive this. Throws Error{no_toolkit, no_worker}.
  Workplace(int ordinal, const std::vector<std::filesystem::path>& include_folders, Observer& observer,
            const std::atomic<bool>& stop);

  /// Waits for the GPU's worker. Throws Error{no_driver}.
  const DeviceInfo& device();
  /// Waits until nobody else measures on the GPU, with one warning that says for whom; false if it was interrupted.
  bool take_turn(const Task& task);
  SessionParts parts();
  /// Ends the GPU's worker, and with it what it holds of the GPU's memory. Its parts are of no use afterwards.
  void release_device() { device_.reset(); }

 private:
  const int ordinal_;
  Observer& observer_;
  const std::atomic<bool>& stop_;
  CompilePool compile_;
  std::optional<DeviceProcessLane> device_;
  cache::MemoryStore store_;
  Turn turn_;
};

}  // namespace tuner::engine
