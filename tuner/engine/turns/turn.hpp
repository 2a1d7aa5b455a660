#pragma once

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cache/file/file_lock.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/timing.hpp"

namespace tuner::engine {

/// What a session holds while it works: the lease on its key and the GPU. Taken in this order, and several GPUs in the
/// order of their UUIDs, so that two processes never wait for each other.
using Turn = std::vector<cache::FileLock>;

constexpr std::chrono::minutes kLongestWait{30};

/// Locks that were not free within the limit. Until one is free again it is not waited for: several sessions would wait
/// as many times as long.
using Overdue = std::set<std::string>;

/// How to wait for what one process at a time may have.
struct TurnWait {
  std::chrono::milliseconds look{100};  ///< between two attempts. Lower: the turn comes sooner after its end
  /// For how long at most, for each that is not overdue. Any user of the machine can hold a GPU's lock, so a wait must
  /// end; a session may take long, so it must not end early.
  std::chrono::milliseconds limit{kLongestWait};
  Overdue* overdue = nullptr;      ///< of a process's sessions; null: there is one session
  std::function<bool()> gives_up;  ///< looked at before each further attempt
  /// Called once when the wait begins, with a sentence without its full stop that says for whom. May throw. Not called
  /// where the limit is 0.
  std::function<void(const std::string& busy)> waits;
  /// There are no locks here, or the limit is over: a sentence. Then nothing is added to the turn, and work goes on.
  std::function<void(const std::string& sentence)> warning;
};

/// Waits until no other process tunes the task in this database, or the limit is over; false if that was given up.
/// `database` is empty where nothing is stored: then there is nothing to wait for.
bool take_lease(const Task& task, Timing timing, const std::string& database, const TurnWait& wait, Turn& turn);

/// Waits until no other process, whoever's it is, measures on the GPU, or the limit is over; false if that was given
/// up.
bool take_gpu(const DeviceInfo& device, const TurnWait& wait, Turn& turn);

}  // namespace tuner::engine
