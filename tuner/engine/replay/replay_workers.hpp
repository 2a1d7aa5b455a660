#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// The lane to a worker that leaves so many bytes of its addresses alone before its context is made.
using MakeReplayLane = std::function<std::unique_ptr<DeviceLane>(std::uint64_t address_padding)>;

/// The GPU's worker for replays, which their faults and hangs end and which then is replaced.
class ReplayWorkers {
 public:
  /// Starts one. `stop` outlives this.
  ReplayWorkers(MakeReplayLane make_lane, const std::atomic<bool>& stop);

  /// Nothing if `stop` was set meanwhile. Throws Error if the lane as a whole cannot go on.
  std::optional<DeviceReply> ask(const ReplayLaunch& request);
  /// Starts another one that leaves so many bytes alone; launches of one program need the same.
  void pad_addresses(std::uint64_t padding);
  std::uint64_t padding() const { return padding_; }

 private:
  const MakeReplayLane make_lane_;
  const std::atomic<bool>& stop_;
  std::uint64_t padding_ = 0;
  std::unique_ptr<DeviceLane> lane_;
};

/// How many bytes of addresses a worker has to leave alone so that the driver gives these, where it gave
/// `first_address` to one that left none: it chooses its addresses below what a process has mapped when it starts. The
/// most likely first.
std::vector<std::uint64_t> possible_paddings(std::uint64_t first_address, const std::vector<std::uint64_t>& missing);

}  // namespace tuner::engine
