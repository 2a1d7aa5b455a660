#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace tuner::engine {

/// Identifies a piece of work within one lane. Chosen by the caller; never reused.
using TicketId = std::uint64_t;

/// The one seam for work done elsewhere: a pool of compile workers, the process that holds a GPU, a recorded space, a
/// fake. Everything returns at once; the caller waits on `wait_fds` or until `next_deadline`, then calls
/// `poll`. Every submitted ticket is answered exactly once, also when the worker that held it dies, hangs or is
/// cancelled. Used from one thread.
template <typename Request, typename Reply>
class Lane {
 public:
  struct Completion {
    TicketId ticket = 0;
    Reply reply;
  };

  virtual ~Lane() = default;
  virtual void submit(TicketId ticket, Request request) = 0;
  /// What has been answered since the last poll, in order of completion. Also does the lane's housekeeping: time-outs,
  /// respawning. Throws Error only when the lane as a whole cannot go on (no toolkit, device lost).
  virtual std::vector<Completion> poll() = 0;
  /// Gives up on a ticket; its answer still comes, perhaps with the result if it was nearly done.
  virtual void cancel(TicketId ticket) = 0;
  /// How many more requests may be submitted now so that every worker stays busy and look-ahead stays bounded.
  virtual std::size_t room() const = 0;
  /// How many requests are worked on at the same time; of what several share, a fair part.
  virtual double width() const { return 1; }
  /// File descriptors that become readable when poll has something to do. Empty if poll never needs waiting.
  virtual std::vector<int> wait_fds() const = 0;
  /// When poll must be called even if no descriptor is readable.
  virtual std::chrono::steady_clock::time_point next_deadline() const = 0;
};

}  // namespace tuner::engine
