// How exactly the reference computes decides what is rounding.
#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "tests/engine/device/lane/lane_support.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

// A reference whose PTX, rounded at random, does this instead.
RunReference rounded(const std::string& behaviour, const std::string& exactly = "right time=200000") {
  RunReference request = reference(exactly);
  request.candidate.ptx = behaviour + " array=tuner_rounding_seed:8 .address_size 64\nadd.f64 %fd1, %fd2, %fd3;\n";
  return request;
}

// Results from 200 to 600, one of which a candidate that is wrong has 1 too large.
PrepareProblem large_problem(std::chrono::milliseconds launch_timeout = std::chrono::milliseconds(2000)) {
  PrepareProblem request = problem(launch_timeout);
  request.arguments[0].generators = {{Generator::Kind::uniform, {100, 300}}};
  return request;
}

const auto& rejected(const DeviceReply& reply) {
  return reply.result_of<ScreenCandidate>().like_rounding;
}

}  // namespace

TEST_CASE("a candidate that is off by the reference's own rounding is right") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  test.expect(screen("right"), Outcome::ok);
  const DeviceReply reply = test.expect(screen("wrong"), Outcome::ok);  // by 1 in one element
  CHECK_FALSE(rejected(reply));
  CHECK(reply.timed_run().samples_ns.size() > 1);
  CHECK(test.lane.statistics().losses.empty());
}

TEST_CASE(
    "an element passed that is off by more than elements differ from each other, because that is less than 24 "
    "spreads") {
  PrepareProblem alike = large_problem();
  alike.arguments[0].generators = {{Generator::Kind::uniform, {100, 101}}};
  TestLane test(alike);
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  test.expect(screen("right"), Outcome::ok);
  test.expect(screen("wrong"), Outcome::wrong_result, "It looks like rounding.");
}

TEST_CASE("what is off by more, and may be rounding, is rejected and timed") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.02"), Outcome::ok);
  const DeviceReply reply = test.expect(screen("wrong time=50000"), Outcome::wrong_result, "It looks like rounding.");
  REQUIRE(rejected(reply));
  CHECK(rejected(reply)->buffer == "doubled");
  CHECK(rejected(reply)->atol == 1.1);
  CHECK(rejected(reply)->time_ns == doctest::Approx(50000).epsilon(0.2));
  CHECK(reply.timed_run().samples_ns.empty());
}

TEST_CASE(
    "a candidate that is wrong in its first launches alone is judged by these, though rounding was unknown then") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.000001"), Outcome::ok);
  test.expect(screen("wrong_first"), Outcome::wrong_result);
}

TEST_CASE("what is off by far more than rounding is wrong, and takes no time") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.001"), Outcome::ok);
  const DeviceReply reply = test.expect(screen("wrong"), Outcome::wrong_result);
  CHECK_FALSE(says(reply, "looks like rounding"));
  CHECK_FALSE(rejected(reply));
}

TEST_CASE(
    "a reference that moves by as much as its results has an index or a branch that changes, and nothing is known") {
  TestLane test(problem());  // results up to 2
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  CHECK_FALSE(rejected(test.expect(screen("wrong"), Outcome::wrong_result)));
}

TEST_CASE("a tolerance that somebody chose is meant") {
  PrepareProblem request = large_problem();
  request.arguments[1].chosen_tolerance = true;
  TestLane test(request);
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  CHECK(rejected(test.expect(screen("wrong"), Outcome::wrong_result, "It looks like rounding.")));
}

TEST_CASE("a kernel that does nothing passed, because it changes its data by less than 24 spreads of the reference") {
  const std::string proves_nothing = "not rounding, within which a kernel that computes nothing would pass)";
  // 400, 400.002, ... after the launch, and so much less before it.
  const auto changed_by = [](double difference) {
    PrepareProblem request = problem();
    request.arguments[0].generators = {{Generator::Kind::iota, {200, 0.001}}};
    request.arguments[1].role = Argument::Role::inout;
    request.arguments[1].generators = {{Generator::Kind::iota, {400 - difference, 0.002}}};
    return request;
  };
  TestLane test(changed_by(0.01));
  test.expect(rounded("trembles by=0.002"), Outcome::ok);
  test.expect(screen("nothing"), Outcome::wrong_result, proves_nothing);
  test.expect(screen("wrong"), Outcome::wrong_result, proves_nothing);
  test.expect(screen("right"), Outcome::ok);
  // Where it is no longer within the spread, this is accepted again.
  TestLane other(changed_by(100));
  other.expect(rounded("trembles by=0.3"), Outcome::ok);
  other.expect(screen("nothing"), Outcome::wrong_result, "or rounding)");
  other.expect(screen("wrong"), Outcome::ok);
}

TEST_CASE("a kernel that only fills its output passed, because its elements differ by less than 24 spreads") {
  PrepareProblem request = large_problem();
  request.arguments[0].generators = {{Generator::Kind::uniform, {200, 200.01}}};
  TestLane test(request);
  test.expect(rounded("trembles by=0.02"), Outcome::ok);
  test.expect(screen("fills"), Outcome::wrong_result,
              "not rounding, within which a kernel that computes nothing would pass)");
  request.arguments[1].is_trivial = true;
  TestLane trivial(request);
  trivial.expect(rounded("trembles by=0.02"), Outcome::ok);
  trivial.expect(screen("fills"), Outcome::ok);
}

TEST_CASE("a reference that is not the same twice is refused, whatever its rounding: it may have a race") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.1", "flaky"), Outcome::nondeterministic);
}

TEST_CASE("a worker that is lost over something else forgets how the reference rounds, and finds out again") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  test.expect(screen("wrong"), Outcome::ok);
  test.expect(screen("faults"), Outcome::illegal_access);
  test.expect(screen("wrong"), Outcome::ok);
}

TEST_CASE("what a candidate does to what is kept is found although the reference runs in between") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  test.expect(screen("far_away"), Outcome::guard_violation);
}

TEST_CASE("the rounding is that of the inputs that are compared") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  test.expect(screen("wrong"), Outcome::ok);
  const auto confirm = [](const char* by) {
    return ConfirmCandidate{rounded(std::string("trembles by=") + by).candidate, candidate("wrong"), 77};
  };
  test.expect(confirm("0.1"), Outcome::ok);
  test.expect(confirm("0.001"), Outcome::wrong_result, "On other inputs (seed 77), the candidate: ");
}

TEST_CASE("a reference that faults or hangs when it is rounded at random costs one worker, and nobody is blamed") {
  for (const char* behaviour : {"faults", "hangs", "dies"}) {
    CAPTURE(behaviour);
    TestLane test(large_problem(std::chrono::milliseconds(200)));
    test.expect(rounded(behaviour), Outcome::ok);
    test.expect(screen("wrong"), Outcome::wrong_result);
    test.expect(screen("wrong"), Outcome::wrong_result);
    test.expect(screen("right"), Outcome::ok);
    CHECK(test.lane.statistics().losses.size() == 1);
  }
}

TEST_CASE("a kernel that uses a texture is not launched, whatever type its handle is declared to have") {
  TestLane test(problem());
  RunReference request = reference();
  request.candidate.ptx =
      ".address_size 64\n.entry kernel()\n{\n\ttex.2d.v4.f32.f32 \t{%f1, %f2, %f3, %f4}, [%rd1, {%f5, %f6}];\n}\n";
  test.expect(request, Outcome::launch_refused, "It uses a texture, a surface or a tensor map (tex.2d.v4.f32.f32), ");
}

TEST_CASE("a texture in a function of its own is the kernel's, and one in another kernel is not") {
  const std::string fetch = "{\n\tcp.async.bulk.tensor.1d.shared::cluster.global [%r1], [%rd1, {%r2}], [%r3];\n}\n";
  RunReference request = reference();
  request.candidate.ptx = ".address_size 64\n.func fetch()\n" + fetch + ".visible .entry kernel()\n{\n}\n";
  TestLane(problem()).expect(request, Outcome::launch_refused, "(cp.async.bulk.tensor.1d.shared::cluster.global)");
  request.candidate.ptx =
      ".address_size 64\n.visible .entry other()\n" + fetch + ".visible .entry kernel()\n{\n\t// tex.1d\n}\n";
  TestLane(problem()).expect(request, Outcome::ok);
}

TEST_CASE("PTX that the driver does not translate leaves the tolerance as it is") {
  TestLane test(large_problem());
  RunReference request = reference();
  request.candidate.ptx = ".address_size 64\nadd.f64 %fd1, %fd2, %fd3;\n";  // has no seed
  test.expect(request, Outcome::ok);
  test.expect(screen("wrong"), Outcome::wrong_result, "rounding not measured)");
}

TEST_CASE("the candidate that asks for the spread keeps its scratch, which is longer than the reference's") {
  TestLane test(large_problem());
  test.expect(rounded("trembles by=0.1"), Outcome::ok);
  ScreenCandidate longer = screen("wrong room=5000");
  longer.candidate.scratch_lengths = {5000};
  test.expect(longer, Outcome::ok);
  // One that writes beyond what it has is still found.
  TestLane greedy(large_problem());
  greedy.expect(rounded("trembles by=0.1"), Outcome::ok);
  longer.candidate.scratch_lengths = {4999};
  greedy.expect(longer, Outcome::guard_violation);
}
