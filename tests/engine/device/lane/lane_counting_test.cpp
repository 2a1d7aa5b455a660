// A lane treats counting like any other request that runs a candidate.
#include <doctest/doctest.h>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tuner/engine/device/lane/lane_requests.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;

namespace {

CountCandidate count_one(const std::string& behaviour) {
  return {candidate(behaviour), {"smsp__inst_executed.sum"}};
}

}  // namespace

TEST_CASE("counting needs a problem and no reference") {
  TestLane test(problem());
  const DeviceReply reply = test.expect(count_one("right"), Outcome::ok);
  CHECK_FALSE(reply.result_of<CountCandidate>().refused.empty());
  CHECK(reply.launches > 0);
}

TEST_CASE("a candidate that costs its worker while it is counted is given another, and the lane goes on") {
  TestLane test(problem(200ms));
  const DeviceReply first = test.expect(count_one("faults"), Outcome::illegal_access);
  CHECK(first.confirmed);
  CHECK(test.expect(count_one("hangs"), Outcome::run_timeout).confirmed);
  test.expect(count_one("right"), Outcome::ok);
}

TEST_CASE("a worker that dies while it counts is replaced, and counting begins again") {
  TestLane test(problem());
  test.submit_and_kill(7, count_one("right"));
  CHECK(test.wait_for(7).outcome == Outcome::ok);
  CHECK(test.lane.statistics().losses.size() == 1);
}

TEST_CASE("the lane waits for every pass of every counter, and for CUPTI to start") {
  const RequestLimits known{.launch_timeout = 100ms, .slack = 5s};
  CountCandidate request = count_one("right");
  const auto one = limit_of(request, known);
  CHECK(one >= 30s + 100ms * 16);
  request.metrics.resize(41, request.metrics.front());
  CHECK(limit_of(request, known) == one + 40 * 100ms);
  request.isolation.launch_timeout = 50ms;
  CHECK(limit_of(request, known) < one + 40 * 100ms);
}
