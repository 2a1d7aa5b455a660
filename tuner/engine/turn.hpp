#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "cache/file_lock.hpp"
#include "tuner/core/task.hpp"

namespace tuner::engine {

/// What a session holds while it works: the lease on its key and the GPU. Taken in this order, so that two processes
/// never wait for each other.
using Turn = std::vector<cache::FileLock>;

/// How to wait for what one process at a time may have.
struct TurnWait {
  std::chrono::milliseconds look{100};  ///< between two attempts. Lower: the turn comes sooner after its end
  std::function<bool()> gives_up;       ///< looked at before each further attempt
  /// Called once when the wait begins, with a sentence without its full stop that says for whom. May throw.
  std::function<void(const std::string& busy)> waits;
  /// There are no locks here: a sentence. Then there is nothing to wait for, and nothing is added to the turn.
  std::function<void(const std::string& sentence)> warning;
};

/// Waits until nobody else tunes the task in this database; false if that was given up. `database` is empty where
/// nothing is stored: then there is nothing to wait for.
bool take_lease(const Task& task, const std::string& mode, const std::string& database, const TurnWait& wait,
                Turn& turn);

/// Waits until nobody else measures on the task's GPU, whoever's process it is; false if that was given up.
bool take_gpu(const Task& task, const TurnWait& wait, Turn& turn);

}  // namespace tuner::engine
