// Which buffer a kernel reads over, on workers over the fake driver.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/engine/device/lane/lane_support.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

constexpr std::size_t kFifth = 5;
constexpr std::uint64_t kFifthLength = 1000;

/// The usual problem and a fifth buffer.
PrepareProblem five_buffers() {
  PrepareProblem request = problem();
  BoundArgument fifth;
  fifth.name = "fifth";
  fifth.role = Argument::Role::in;
  fifth.length = kFifthLength;
  request.arguments.push_back(fifth);
  return request;
}

Candidate with_five(const std::string& behaviour) {
  Candidate result = candidate(behaviour);
  result.parameters.push_back({40, 8});
  return result;
}

std::string reading(std::size_t argument, long long byte) {
  return " reads=" + std::to_string(argument) + ":" + std::to_string(byte);
}

/// One that reads the last of so many bytes behind or before a buffer.
struct Read {
  std::size_t argument;
  const char* name;
  long long length;  ///< of the buffer, in bytes
  long long bytes;
  bool behind;

  std::string behaviour() const { return "right" + reading(argument, behind ? length + bytes - 1 : -bytes); }
  std::string text() const {
    const std::string number = bytes == 40000 ? "40,000" : std::to_string(bytes);
    return "It reads " + number + " bytes " + (behind ? "behind" : "before") + " `" + name + "`: without fences ";
  }
};

const std::vector<Read> kReads{{kFifth, "fifth", 4000, 4, true}, {2, "counts", 4000, 4, false},
                               {3, "room", 256, 100, true},      {kFifth, "fifth", 4000, 100, false},
                               {0, "values", 8000, 40000, true}, {1, "doubled", 8000, 40000, false}};

TestLane& with_reference(TestLane& test) {
  test.expect(RunReference{with_five("right time=200000"), {}}, Outcome::ok);
  return test;
}

}  // namespace

TEST_CASE("a read over an edge of one of five buffers is named with buffer, side and bytes, and a padding allows it") {
  for (const Read& read : kReads) {
    CAPTURE(read.behaviour());
    TestLane test(five_buffers());
    with_reference(test);
    const DeviceReply reply = test.expect(ScreenCandidate{with_five(read.behaviour()), {}, std::nullopt},
                                          Outcome::illegal_access, read.text());
    CHECK(says(reply, "`pad " + std::to_string(read.bytes) + "` in the directive of `" + read.name + "`"));
    CHECK(reply.confirmed);
    // The lane goes on as if nothing had happened.
    test.expect(ScreenCandidate{with_five("right"), {}, std::nullopt}, Outcome::ok);
    test.expect(ScreenCandidate{with_five("wrong"), {}, std::nullopt}, Outcome::wrong_result);

    PrepareProblem padded = five_buffers();
    padded.arguments[read.argument].padding = static_cast<std::uint64_t>(read.bytes);
    test.expect(padded, Outcome::ok);
    with_reference(test);
    test.expect(ScreenCandidate{with_five(read.behaviour()), {}, std::nullopt}, Outcome::ok);
    // One element more is one too many.
    Read farther = read;
    farther.bytes += 16;
    test.expect(ScreenCandidate{with_five(farther.behaviour()), {}, std::nullopt}, Outcome::illegal_access,
                "` (it has a padding of ");
  }
}

TEST_CASE("a reference that reads over an edge is told where, and its search costs few workers") {
  for (const Read& read : kReads) {
    CAPTURE(read.behaviour());
    TestLane test(five_buffers());
    test.expect(RunReference{with_five(read.behaviour()), {}}, Outcome::illegal_access, read.text());
    CHECK(test.lane.statistics().losses.size() <= 8);
    test.expect(RunReference{with_five("right"), {}}, Outcome::ok);
  }
}

TEST_CASE("reads over several edges are named at once") {
  TestLane test(five_buffers());
  const std::string behaviour = "right" + reading(kFifth, 4099) + reading(2, -4) + reading(2, 4007);
  test.expect(RunReference{with_five(behaviour), {}}, Outcome::illegal_access,
              "It reads 8 bytes behind `counts`, 4 bytes before `counts` and 100 bytes behind `fifth`: without");
}

TEST_CASE("wide accesses are measured as far as they can be placed") {
  TestLane test(five_buffers());
  test.expect(RunReference{with_five("right aligned=16" + reading(kFifth, 4099)), {}}, Outcome::illegal_access,
              "It reads at most 112 bytes behind `fifth` (found in steps of 16, its alignment): without");
}

TEST_CASE("a kernel that needs a larger alignment than declared is told so, and the reply says it") {
  TestLane test(five_buffers());
  with_reference(test);
  const DeviceReply reply = test.expect(ScreenCandidate{with_five("right aligned=64" + reading(kFifth, 0)), {}, {}},
                                        Outcome::illegal_access, "declare it with `align N`");
  CHECK(reply.misaligned);
  CHECK(reply.fence_fault.empty());
}

TEST_CASE("a request that is cancelled while its search waits is answered with what is known of it") {
  PreparedLane test;
  test.lane.submit(1, screen("reads_past"));
  test.wait_until([&] { return test.lane.statistics().losses.size() == 2; });  // it was repeated, and is searched
  test.lane.cancel(1);
  check_reply(test.wait_for(1), Outcome::illegal_access, "reads", TestLine::current());
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("the launches of a search count as the request's") {
  PreparedLane test;
  CHECK(test.expect(screen("reads_past"), Outcome::illegal_access, "8 bytes behind `values`").launches > 20);
}

TEST_CASE("an input that is written with its own content is named") {
  PreparedLane test;
  test.expect(screen("rewrites_input"), Outcome::illegal_access,
              "It writes to its input `values` what is there already: without fences it completes");
}

TEST_CASE("only the first candidates with a read over an edge are searched for it") {
  PreparedLane test;
  for (int i = 0; i < 4; ++i) test.expect(screen("reads_past"), Outcome::illegal_access, "8 bytes behind `values`");
  const std::size_t before = test.lane.statistics().losses.size();
  test.expect(screen("reads_past"), Outcome::illegal_access, "It reads past the end of one of its buffers, or ");
  CHECK(test.lane.statistics().losses.size() <= before + 2);
  test.prepare();
  test.expect(screen("reads_past"), Outcome::illegal_access, "8 bytes behind `values`");
}

TEST_CASE("finalists are resident again after a search") {
  PreparedLane test;
  test.expect(LoadFinalists{{candidate("right time=50000")}}, Outcome::ok);
  test.expect(screen("reads_before"), Outcome::illegal_access, "8 bytes before `values`");
  test.expect(RunBlock{{0}}, Outcome::ok);
}

TEST_CASE("a write to a padding is an error, wherever fences are") {
  for (const char* driver : {"FAKE_DRIVER=noise=0", "FAKE_DRIVER=no_fences"}) {
    TestLane test(DeviceLaneOptions{.environment = {driver}});
    PrepareProblem padded = problem();
    for (BoundArgument& argument : padded.arguments) argument.padding = 200;
    test.expect(padded, Outcome::ok);
    test.expect(reference(), Outcome::ok);
    test.expect(screen("reads_past"), Outcome::ok);
    test.expect(screen("past_end"), Outcome::guard_violation, "the first 0 bytes past its end");
    test.expect(screen("before_start"), Outcome::guard_violation, "the first 4 bytes before its start");
    test.expect(screen("right"), Outcome::ok);
  }
}

TEST_CASE("a padding of more than the usual guards is readable in every layout") {
  PrepareProblem padded = problem();
  padded.arguments[0].padding = 3000000;
  TestLane test(padded);
  const std::string far = reading(0, 8000 + 2999999) + reading(0, -3000000);
  test.expect(reference("right" + far), Outcome::ok);
  test.expect(screen("right" + reading(0, 8000 + 3000031)), Outcome::illegal_access);
}
