#include "tests/engine/device/lane/lane_support.hpp"

#include <doctest/doctest.h>
#include <poll.h>

#include <algorithm>
#include <stdexcept>

namespace tuner::engine {

void TestLane::wait_until(const std::function<bool()>& is_so) {
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + std::chrono::minutes(5);
  while (!is_so()) {
    if (Clock::now() >= give_up) throw std::runtime_error("the lane did not get there within a minute");
    std::vector<pollfd> entries;
    for (const int fd : lane.wait_fds()) entries.push_back({fd, POLLIN, 0});
    // Exactly as long as the lane says: a lane that forgets a deadline must fail here.
    const auto until = std::min(lane.next_deadline(), give_up);
    if (const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::max(until, Clock::now()) - Clock::now());
        left.count() > 0) {
      ::poll(entries.data(), entries.size(), static_cast<int>(left.count()));
    }
    for (auto& completion : lane.poll()) {
      order.push_back(completion.ticket);
      kept_.push_back(std::move(completion));
    }
  }
}

DeviceReply TestLane::wait_for(TicketId ticket) {
  const auto find = [&] {
    return std::find_if(kept_.begin(), kept_.end(), [&](const auto& kept) { return kept.ticket == ticket; });
  };
  wait_until([&] { return find() != kept_.end(); });
  const auto found = find();
  DeviceReply reply = std::move(found->reply);
  kept_.erase(found);
  return reply;
}

void TestLane::prepare(std::chrono::milliseconds launch_timeout) {
  const DeviceReply prepared = ask(problem(launch_timeout));
  INFO(prepared.message);
  REQUIRE(prepared.outcome == Outcome::ok);
  const DeviceReply baseline = ask(reference());
  INFO(baseline.message);
  REQUIRE(baseline.outcome == Outcome::ok);
}

}  // namespace tuner::engine
