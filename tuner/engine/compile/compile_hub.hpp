#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <vector>

#include "tuner/engine/compile/compile.hpp"
#include "tuner/error.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::engine {

/// One compile lane for several sessions at the same time, each in a thread of its own. Every session has a seat, which
/// is a compile lane for its thread alone. While the lane is busy, requests of the seats are given to it in turn, so
/// that a session which asks for much does not keep the others waiting; what one seat does not use, the others have.
class CompileHub {
 public:
  /// `lane` outlives the hub, and is used from the hub's thread alone while that lives. A seat has as much room as the
  /// lane has now, and an equal part of its width.
  CompileHub(CompileLane& lane, std::size_t seats);
  ~CompileHub();  ///< what has no answer yet gets none
  CompileHub(const CompileHub&) = delete;
  CompileHub& operator=(const CompileHub&) = delete;

  /// Lives as long as the hub. What the lane throws, every seat's `poll` throws from then on. Wants to be polled some
  /// times a second in any case: signals wake one thread only, and a session looks at its stop flag when it is woken.
  CompileLane& seat(std::size_t number);

 private:
  class Seat;

  void run();
  void wake() const;
  /// One after the other, from the seat behind the one that was served last.
  Seat* next_with_request();
  void feed();
  void hand_out(std::vector<CompileLane::Completion> completions);

  CompileLane& lane_;
  const UniqueFd wake_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Seat>> seats_;
  std::size_t last_served_ = 0;
  std::vector<TicketId> cancelled_;  ///< of what the lane has
  std::optional<Error> broken_;      ///< what the lane threw
  bool ending_ = false;
  std::thread thread_;  ///< the last: it uses all of this
};

}  // namespace tuner::engine
