#include "tuner/engine/lanes/call.hpp"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace tuner::engine {
namespace {

/// Doubles numbers; an answer to somebody else comes before each. Answers only at the poll that is due.
struct Doubler final : Lane<int, int> {
  void submit(TicketId ticket, int request) override { asked.emplace_back(ticket, request); }
  std::vector<Completion> poll() override {
    if (asked.empty() || ++polls < answers_at) return {};
    const auto [ticket, request] = asked.back();
    return {{ticket - 1, -1}, {ticket, 2 * request}};
  }
  void cancel(TicketId ticket) override { cancelled.push_back(ticket); }
  std::size_t room() const override { return 1; }
  std::vector<int> wait_fds() const override { return {}; }
  std::chrono::steady_clock::time_point next_deadline() const override {
    return std::chrono::steady_clock::time_point::min();
  }

  int polls = 0, answers_at = 1;
  std::vector<std::pair<TicketId, int>> asked;
  std::vector<TicketId> cancelled;
};

TEST_CASE("a call returns the answer to its own request, however many polls that takes") {
  Doubler lane;
  lane.answers_at = 5;
  CHECK(call(lane, 21) == 42);
  CHECK(lane.polls == 5);
  CHECK(lane.cancelled.empty());
}

TEST_CASE("a call that is stopped takes what is there already, else cancels its request") {
  const std::atomic<bool> stop = true;
  Doubler prompt;
  CHECK(call(prompt, 1, stop) == 2);
  Doubler late;
  late.answers_at = 2;
  CHECK_FALSE(call(late, 1, stop));
  REQUIRE(late.cancelled.size() == 1);
  CHECK(late.cancelled.front() == late.asked.front().first);
}

TEST_CASE("between polls a call does what it was given to do") {
  Doubler lane;
  lane.answers_at = 4;
  int pauses = 0;
  call_until(lane, 1, [&] {
    ++pauses;
    return std::optional(std::chrono::steady_clock::now());
  });
  CHECK(pauses == 3);
}

}  // namespace
}  // namespace tuner::engine
