#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tuner/engine/candidates/session_observer.hpp"

namespace tuner::cli {

/// One observer for several sessions at the same time, each in a thread of its own: progress is that of all together,
/// and warnings are passed on at once and kept for the report of their session.
class SeatObservers {
 public:
  /// `shared` hears one call after the other, and outlives this.
  SeatObservers(engine::Observer& shared, std::size_t seats);
  ~SeatObservers();
  SeatObservers(const SeatObservers&) = delete;
  SeatObservers& operator=(const SeatObservers&) = delete;

  /// Of the sessions on one seat, one after the other.
  engine::Observer& seat(std::size_t number);
  /// The seat's warnings since the last call, each once.
  std::vector<std::string> take_warnings(std::size_t number);
  /// While it is held, `shared` hears nothing.
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

 private:
  class Seat;
  void show_progress();

  engine::Observer& shared_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::vector<std::unique_ptr<Seat>> seats_;
};

}  // namespace tuner::cli
