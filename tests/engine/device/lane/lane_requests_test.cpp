#include "tuner/engine/device/lane/lane_requests.hpp"

#include <doctest/doctest.h>

#include "tests/engine/device/lane/lane_support.hpp"

using namespace tuner;
using namespace tuner::engine;
using namespace std::chrono_literals;

namespace {

DeviceReply failed(Outcome outcome) {
  return {.outcome = outcome, .message = std::string(to_string(outcome))};
}

Isolation second_run(DeviceRequest request, Outcome first, const RequestLimits& limits = {}) {
  isolate(request, failed(first), limits);
  if (const auto* screen = std::get_if<ScreenCandidate>(&request)) return screen->isolation;
  if (const auto* confirm = std::get_if<ConfirmCandidate>(&request)) return confirm->isolation;
  return std::get<RunReference>(request).isolation;
}

}  // namespace

TEST_CASE("a second run looks closely, and only what hung is waited for less long") {
  ScreenCandidate request = screen("right");
  request.best_ns = 10e6;
  CHECK(second_run(request, Outcome::illegal_access).diagnose);
  CHECK_FALSE(second_run(request, Outcome::illegal_access).launch_timeout.has_value());
  CHECK(second_run(request, Outcome::run_timeout).diagnose);
  CHECK(second_run(request, Outcome::run_timeout).launch_timeout == 200ms);
  request.best_ns = 5000;
  CHECK(second_run(request, Outcome::run_timeout).launch_timeout == 50ms);
  request.best_ns = 1e9;
  CHECK(second_run(request, Outcome::run_timeout).launch_timeout == 2000ms);
  CHECK(second_run(request, Outcome::run_timeout, {.launch_timeout = 20ms}).launch_timeout == 20ms);
}

TEST_CASE("nothing is assumed of how long a launch takes that nothing is comparable with") {
  CHECK_FALSE(second_run(screen("right"), Outcome::run_timeout).launch_timeout.has_value());
  CHECK_FALSE(second_run(reference(), Outcome::run_timeout).launch_timeout.has_value());
  // A confirmation runs the reference too, which may be much slower than the best.
  const ConfirmCandidate confirm{candidate("right"), candidate("right"), 1};
  CHECK_FALSE(second_run(confirm, Outcome::run_timeout).launch_timeout.has_value());
  CHECK(second_run(confirm, Outcome::run_timeout, {.reference_ns = 4e6}).launch_timeout == 80ms);
}

TEST_CASE("of two failures the more exact is reported, and else the one that was seen in isolation") {
  const auto reported = [](Outcome first, Outcome second) { return more_exact(failed(first), failed(second)).outcome; };
  CHECK(reported(Outcome::input_modified, Outcome::illegal_access) == Outcome::input_modified);
  CHECK(reported(Outcome::illegal_access, Outcome::guard_violation) == Outcome::guard_violation);
  CHECK(reported(Outcome::illegal_access, Outcome::worker_lost) == Outcome::illegal_access);
  CHECK(reported(Outcome::run_timeout, Outcome::illegal_access) == Outcome::illegal_access);
  CHECK(reported(Outcome::illegal_access, Outcome::run_timeout) == Outcome::illegal_access);
  CHECK(reported(Outcome::illegal_access, Outcome::wrong_result) == Outcome::wrong_result);
  CHECK(reported(Outcome::guard_violation, Outcome::input_modified) == Outcome::input_modified);
}

TEST_CASE("the lane waits a little longer than the worker for a launch that hangs, and not for hundreds of them") {
  const RequestLimits cold{.slack = 5s};
  const RequestLimits warm{.mode = Timing::warm, .slack = 5s};
  CHECK(limit_of(screen("right"), cold) == 21s);
  CHECK(limit_of(screen("right"), warm) == 37s);
  CHECK(limit_of(RunBlock{{0, 1, 2}}, cold) == 13s);
  CHECK(limit_of(RunBlock{{0, 1, 2}, 100}, cold) == 13s);
  CHECK(limit_of(RunBlock{{0, 1, 2}, 11}, {.slack = 5s, .reference_ns = 100e6}) == 16s);  // but for a slow reference's
  CHECK(limit_of(LoadFinalists{}, warm) == 5s);
  CHECK(limit_of(RecheckFinalist{0, 400, true}, cold) == 21s);
  CHECK(limit_of(PrepareProblem{}, {.prepare = 7s}) == 7s);
  ScreenCandidate again = screen("right");
  again.isolation.launch_timeout = 50ms;
  CHECK(limit_of(again, cold) == 5400ms);
}
