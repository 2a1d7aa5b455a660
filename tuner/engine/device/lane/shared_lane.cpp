#include "tuner/engine/device/lane/shared_lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tuner/error.hpp"

namespace tuner::engine {

SharedLane::SharedLane(DeviceLane& lane, double share, std::function<Clock::time_point()> now)
    : lane_(lane), share_(share), now_(std::move(now)) {
  if (!(share > 0 && share <= 1)) {
    throw Error(
        Errc::bad_usage,
        fmt::format("A share of {:g} of the GPU's time is not possible; give one above 0 and at most 1, such as 0.05.",
                    share));
  }
}

void SharedLane::submit(TicketId ticket, DeviceRequest request) {
  held_.emplace_back(ticket, std::move(request));
  give_next();
}

void SharedLane::give_next() {
  if (running_ || held_.empty() || resting()) return;
  auto [ticket, request] = std::move(held_.front());
  held_.pop_front();
  running_ = Running{ticket, now_()};
  lane_.submit(ticket, std::move(request));
}

std::vector<SharedLane::Completion> SharedLane::poll() {
  std::vector<Completion> completions = std::exchange(answered_, {});
  std::vector<Completion> more = lane_.poll();
  std::move(more.begin(), more.end(), std::back_inserter(completions));
  const bool answered =
      running_ && std::any_of(completions.begin(), completions.end(),
                              [&](const Completion& completion) { return completion.ticket == running_->ticket; });
  if (answered) {
    const std::chrono::duration<double> took = now_() - running_->since;
    rests_until_ = running_->since + std::chrono::ceil<Clock::duration>(took / share_);
    running_.reset();
  }
  give_next();
  return completions;
}

void SharedLane::cancel(TicketId ticket) {
  const auto found = std::find_if(held_.begin(), held_.end(), [&](const auto& held) { return held.first == ticket; });
  if (found == held_.end()) return lane_.cancel(ticket);
  held_.erase(found);
  answered_.push_back(
      {ticket, {.outcome = Outcome::worker_lost, .message = "It was cancelled before it reached the device."}});
}

std::size_t SharedLane::room() const {
  return running_ || !held_.empty() || resting() ? 0 : std::min<std::size_t>(lane_.room(), 1);
}

std::chrono::steady_clock::time_point SharedLane::next_deadline() const {
  if (!answered_.empty()) return Clock::time_point::min();
  const Clock::time_point next = lane_.next_deadline();
  return !running_ && resting() ? std::min(next, rests_until_) : next;
}

}  // namespace tuner::engine
