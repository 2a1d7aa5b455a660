#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

/// Closed until so many have arrived, whatever became of them, or for ever once one refuses. Any thread.
class Gate {
 public:
  explicit Gate(std::size_t awaited) : awaited_(awaited) {}

  void arrive() {
    const std::lock_guard lock(mutex_);
    --awaited_;
  }
  void refuse() {
    const std::lock_guard lock(mutex_);
    is_refused_ = true;
  }
  /// Throws Error{no_driver} if one refused, which tells why to others.
  bool is_open() const {
    const std::lock_guard lock(mutex_);
    if (is_refused_) throw Error(Errc::no_driver, "Another GPU of this command cannot be used.");
    return awaited_ == 0;
  }

 private:
  mutable std::mutex mutex_;
  std::size_t awaited_;
  bool is_refused_ = false;
};

/// A device lane that answers nothing before the gate opens: its session gets no further than to compile, and its
/// device than to have the problem set up.
class GatedLane final : public DeviceLane {
 public:
  /// Both outlive this.
  GatedLane(DeviceLane& lane, const Gate& gate) : lane_(lane), gate_(gate) {}

  const DeviceInfo& info() override { return lane_.info(); }
  std::vector<std::string> support_sources() const override { return lane_.support_sources(); }
  std::size_t gpus() const override { return lane_.gpus(); }
  double disagreement() const override { return lane_.disagreement(); }

  void submit(TicketId ticket, DeviceRequest request) override { lane_.submit(ticket, std::move(request)); }
  /// Throws Error also where the gate does.
  std::vector<Completion> poll() override {
    is_open_ = is_open_ || gate_.is_open();
    return is_open_ ? lane_.poll() : std::vector<Completion>();
  }
  void cancel(TicketId ticket) override { lane_.cancel(ticket); }
  std::size_t room() const override { return lane_.room(); }
  std::vector<int> wait_fds() const override { return is_open_ ? lane_.wait_fds() : std::vector<int>(); }
  std::chrono::steady_clock::time_point next_deadline() const override {
    constexpr std::chrono::milliseconds kLookUp{5};
    return is_open_ ? lane_.next_deadline() : std::chrono::steady_clock::now() + kLookUp;
  }

 private:
  DeviceLane& lane_;
  const Gate& gate_;
  bool is_open_ = false;
};

}  // namespace tuner::engine
