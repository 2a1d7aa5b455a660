#include "tests/engine/device/lane/lane_support.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <stdexcept>

#include "tuner/engine/lanes/wait.hpp"

namespace tuner::engine {

void check_reply(const DeviceReply& reply, Outcome outcome, std::string_view words, const TestLine& asked) {
  INFO("asked in ", asked.file_name(), ":", asked.line(), ", answered \"", reply.message, "\"");
  CHECK(to_string(reply.outcome) == to_string(outcome));
  CHECK(says(reply, words));
}

void TestLane::wait_until(const std::function<bool()>& is_so) {
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + std::chrono::minutes(5);
  while (!is_so()) {
    if (Clock::now() >= give_up) throw std::runtime_error("the lane did not get there within a minute");
    // Exactly as long as the lane says: a lane that forgets a deadline must fail here.
    engine::wait_for(give_up, lane);
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
  expect(problem(launch_timeout), Outcome::ok);
  expect(reference(), Outcome::ok);
}

void TestLane::submit_and_kill(TicketId ticket, DeviceRequest request) {
  const pid_t worker = lane.worker_pid();
  REQUIRE(kill(worker, SIGSTOP) == 0);
  lane.submit(ticket, std::move(request));
  REQUIRE(kill(worker, SIGKILL) == 0);
}

DeviceReply TestLane::repeat_until_failure(const RunBlock& block) {
  DeviceReply reply;
  for (int times = 0; times < 8 && reply.outcome == Outcome::ok; ++times) reply = ask(block);
  return reply;
}

}  // namespace tuner::engine
