#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// A device lane that leaves most of the time to the program whose GPU it is: the worker is busy for at most `share` of
/// all time. After each answer it rests until what the request took is no more than that share of the time since it was
/// given; meanwhile there is no room, and what is submitted all the same waits. So long requests are followed by long
/// rests. Busy is what the worker is, not the GPU: what it does on the host counts too, and so does waiting for the
/// program's kernels, of which the GPU has at least as much time as of ours.
class SharedLane final : public DeviceLane {
 public:
  using Clock = std::chrono::steady_clock;

  /// `share`: above 0, at most 1. `now`: the clock. Throws Error{bad_usage} for another share.
  SharedLane(DeviceLane& lane, double share, std::function<Clock::time_point()> now = Clock::now);

  const DeviceInfo& info() override { return lane_.info(); }
  std::vector<std::string> support_sources() const override { return lane_.support_sources(); }

  void submit(TicketId ticket, DeviceRequest request) override;
  std::vector<Completion> poll() override;
  void cancel(TicketId ticket) override;
  std::size_t room() const override;
  std::vector<int> wait_fds() const override { return lane_.wait_fds(); }
  std::chrono::steady_clock::time_point next_deadline() const override;

 private:
  struct Running {
    TicketId ticket = 0;
    Clock::time_point since;
  };

  void give_next();
  bool resting() const { return now_() < rests_until_; }

  DeviceLane& lane_;
  const double share_;
  const std::function<Clock::time_point()> now_;
  std::deque<std::pair<TicketId, DeviceRequest>> held_;
  std::optional<Running> running_;
  Clock::time_point rests_until_ = Clock::time_point::min();
  std::vector<Completion> answered_;
};

}  // namespace tuner::engine
