#include "tuner/engine/device/lane/gated_lane.hpp"

#include <doctest/doctest.h>

#include "tests/support/errors.hpp"

namespace tuner::engine {
namespace {

using test::error_of;

/// Answers everything at once.
struct PromptLane final : DeviceLane {
  const DeviceInfo& info() override { return about; }
  void submit(TicketId ticket, DeviceRequest) override { answered.push_back({ticket, {}}); }
  std::vector<Completion> poll() override { return std::exchange(answered, {}); }
  void cancel(TicketId) override {}
  std::size_t room() const override { return 1; }
  std::vector<int> wait_fds() const override { return {7}; }
  std::chrono::steady_clock::time_point next_deadline() const override {
    return std::chrono::steady_clock::time_point::max();
  }

  DeviceInfo about;
  std::vector<Completion> answered;
};

TEST_CASE("a gated lane takes requests and answers none before all have arrived") {
  Gate gate(2);
  PromptLane prompt;
  GatedLane lane(prompt, gate);
  lane.submit(1, PrepareProblem{});
  CHECK(prompt.answered.size() == 1);
  CHECK(lane.poll().empty());
  CHECK(lane.wait_fds().empty());
  CHECK(lane.next_deadline() < std::chrono::steady_clock::now() + std::chrono::seconds(1));
  gate.arrive();
  CHECK(lane.poll().empty());
  gate.arrive();
  REQUIRE(lane.poll().size() == 1);
  CHECK(lane.wait_fds() == std::vector<int>{7});
  CHECK(lane.next_deadline() == std::chrono::steady_clock::time_point::max());
}

TEST_CASE("where one refuses the gate never opens, but who has passed it goes on") {
  Gate gate(1);
  PromptLane prompt;
  GatedLane passed(prompt, gate), waiting(prompt, gate);
  gate.arrive();
  CHECK(passed.poll().empty());
  gate.refuse();
  CHECK(passed.poll().empty());
  CHECK(error_of(Errc::no_driver, [&] { waiting.poll(); }) == "Another GPU of this command cannot be used.");
}

}  // namespace
}  // namespace tuner::engine
