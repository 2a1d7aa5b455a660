#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "tuner/error.hpp"

namespace tuner::engine {

/// Works off lists of pieces on several seats at the same time; a seat is what one piece at a time needs, such as a
/// GPU. A single seat works in the thread of the caller. Each of several has a thread of its own, which lives as long
/// as the crew, because the processes that it starts end with it; signals do not reach it.
class Crew {
 public:
  /// What is to be done on the seat with this number, counted from 0. False: no other piece is to begin after it.
  using Piece = std::function<bool(std::size_t seat)>;
  /// Called in the thread of each of several seats.
  struct Calls {
    /// Before its first piece. What it throws the next `work_off` throws, and no other piece begins.
    std::function<void(std::size_t seat)> begin = {};
    /// After `begin` threw, when that is settled: pieces that have begun may be ended.
    std::function<void()> refused = {};
    /// The seat leaves, because its GPU was lost.
    std::function<void(std::size_t seat, const Error& error)> left = {};
  };

  explicit Crew(std::size_t seats);
  Crew(std::size_t seats, Calls calls);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Begins the pieces in their order, each as soon as a seat is free, and waits until those that began have ended.
  /// False if one said that no other is to begin. What a piece throws is thrown then, and no other begins; but where a
  /// piece throws Error{device_lost} and there are other seats, the seat leaves, and another begins the piece anew,
  /// once.
  bool work_off(std::deque<Piece> pieces);

 private:
  struct Waiting {
    Piece piece;
    bool lost_a_seat = false;
  };

  void end();
  void run(std::size_t seat);
  void begin(std::size_t seat);
  void end_with(std::exception_ptr error);
  bool work(std::size_t seat, const Waiting& waiting);

  const Calls calls_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Waiting> waiting_;
  std::size_t in_service_;    ///< seats that have not left
  std::size_t working_ = 0;   ///< of them, or beginning
  bool goes_on_ = true;       ///< other pieces may begin
  std::exception_ptr error_;  ///< the first that a piece threw
  bool ending_ = false;
  std::vector<std::thread> threads_;  ///< the last: they use all of this
};

}  // namespace tuner::engine
