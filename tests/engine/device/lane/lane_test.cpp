#include <doctest/doctest.h>

#include <limits>

#include "cache/file/hash.hpp"
#include "tests/core/task/npy_file.hpp"
#include "tests/engine/device/lane/lane_support.hpp"

using namespace tuner;
using namespace tuner::engine;

TEST_CASE("a lane says what its device is before anything is submitted") {
  DeviceProcessLane lane({.ordinal = 2});
  const DeviceInfo& info = lane.info();
  CHECK(info.name == "Fake GPU");
  CHECK(info.mig_profile == "1g.1gb");
  CHECK(info.uuid == "MIG-00112233-4455-6677-8899-aabbccddeeff");
  CHECK(info.ordinal == 2);
  CHECK(info.architecture() == "sm_90");
  CHECK(info.max_shared_per_block == 232448);
  CHECK(lane.support_sources().at(0).find("tuner_fill") != std::string::npos);
}

TEST_CASE("a right candidate is timed with the samples its policy asks for") {
  PreparedLane test;
  ScreenCandidate request = screen("right time=123000 registers=32");
  request.policy.samples = 5;
  const DeviceReply reply = test.expect(request, Outcome::ok);
  CHECK(reply.message.empty());
  REQUIRE(reply.timed_run().samples_ns.size() == 5);
  for (const double sample : reply.timed_run().samples_ns) CHECK(sample == doctest::Approx(123000).epsilon(1e-4));
  CHECK_FALSE(reply.timed_run().censored);
  CHECK(reply.timed_run().occupancy == doctest::Approx(1.0));
  CHECK(reply.timed_run().occupancy_limiter == "warps");
  CHECK(reply.timed_run().local_bytes == 16);
  CHECK(reply.launches == 7);  // two to verify
}

TEST_CASE("a slow candidate is killed early") {
  PreparedLane test;
  ScreenCandidate request = screen("right time=500000");
  request.best_ns = 200000;
  const DeviceReply reply = test.expect(request, Outcome::ok);
  CHECK(reply.timed_run().censored);
  CHECK(reply.timed_run().samples_ns.size() == 1);
}

TEST_CASE("a warm sample is led in by launches of the same kernel") {
  PrepareProblem request = problem();
  request.mode = Timing::warm;
  TestLane test(request);
  const DeviceReply reply = test.expect(reference("right time=90000"), Outcome::ok);
  for (const double sample : reply.timed_run().samples_ns) CHECK(sample == doctest::Approx(90000).epsilon(1e-4));
  CHECK(reply.launches == 3 + 2 * 3);  // the first that a worker runs is checked once more
}

TEST_CASE("every kind of wrong candidate is named, and the next one is judged as before") {
  struct Expected {
    const char* behaviour;
    Outcome outcome;
    const char* words;
  };
  const Expected expected[] = {
      {"wrong", Outcome::wrong_result,
       "1 of 1000 elements of 'doubled' differ from the reference: first at 'doubled'[999], found "},
      {"miscounts", Outcome::wrong_result, "first at 'counts'[2], found 4, expected 3"},
      {"accumulates", Outcome::wrong_result, "'doubled'[0]"},
      {"unwritten", Outcome::unwritten_output,
       "1 of 1000 elements of 'doubled' unwritten that the reference writes, the first at 'doubled'[999]"},
      {"input", Outcome::input_modified, "changes its input 'values'"},
      {"past_end", Outcome::guard_violation,
       "8 bytes of the guard around 'doubled' (8000 bytes long) changed, the first 0 bytes past its end"},
      {"before_start", Outcome::guard_violation,
       "guard around 'counts' (4000 bytes long) changed, the first 4 bytes before its start"},
      {"flaky", Outcome::nondeterministic,
       "'doubled' is correct in the first of two runs and wrong in the other, in 1 of 1000"},
      {"refused", Outcome::launch_refused, "The driver refuses the launch"},
      {"not_a_binary", Outcome::launch_refused, "does not load the binary"},
      {"far_away", Outcome::guard_violation, "far from every argument"},
  };
  PreparedLane test;
  const pid_t first_worker = test.lane.worker_pid();
  for (const Expected& one : expected) {
    const std::string behaviour = one.behaviour;
    CAPTURE(behaviour);
    CHECK(test.expect(screen(behaviour), one.outcome, one.words).timed_run().samples_ns.empty());
    if (behaviour == "wrong") CHECK(test.lane.worker_pid() == first_worker);
    test.expect(screen("right"), Outcome::ok);
  }
  // Only the candidate that reached into the copies cost a worker.
  CHECK(test.lane.worker_pid() != first_worker);
}

TEST_CASE("what the reference leaves unwritten is named, and is not written by what passes") {
  TestLane test(problem());
  const DeviceReply baseline = test.expect(reference("sparse"), Outcome::ok);
  CHECK(baseline.result_of<RunReference>().not_compared ==
        std::vector<NotCompared>{{"doubled", kLength / 2, kLength / 2, kLength}});
  test.expect(screen("sparse"), Outcome::ok);
  // Nothing says whether the other half is right.
  for (const char* behaviour : {"right", "wrong"}) {
    const DeviceReply reply =
        test.expect(screen(behaviour), Outcome::wrong_result,
                    "It writes 500 of 1000 elements of 'doubled' that the reference leaves unwritten, the first at "
                    "'doubled'[500]");
    CHECK(says(reply, "reference(NAME; grid(...) block(...))"));
    CHECK(reply.timed_run().samples_ns.empty());
  }
  CHECK(says(test.ask(screen("unwritten")), "It writes 499 of 1000"));
  test.expect(screen("flaky"), Outcome::nondeterministic);
}

TEST_CASE("a reference that writes nothing of an output says nothing, unless the output is partial") {
  for (const bool is_partial : {false, true}) {
    PrepareProblem request = problem();
    request.arguments[1].is_partial = is_partial;
    TestLane test(request);
    // `counts` still tells candidates apart.
    const DeviceReply reply = test.expect(reference("nothing"), (is_partial ? Outcome::ok : Outcome::unwritten_output));
    CHECK(says(reply, "It writes nothing to 'doubled'") != is_partial);
    CHECK(reply.result_of<RunReference>().not_compared == std::vector<NotCompared>{{"doubled", kLength, 0, kLength}});
  }
}

TEST_CASE("a kernel that is never launched does not pass where all outputs are partial and nothing is written") {
  PrepareProblem request = problem();
  request.arguments[1].is_partial = true;
  request.arguments[2].role = Argument::Role::scratch;
  RunReference writes = reference();
  writes.candidate.scratch_lengths = {kLength, 64};
  RunReference writes_nothing = reference("nothing");
  writes_nothing.candidate.scratch_lengths = {kLength, 64};
  TestLane test(request);
  test.expect(writes, Outcome::ok);
  test.expect(writes_nothing, Outcome::unwritten_output,
              "It writes nothing to 'doubled', so there would be nothing to compare with: give its inputs contents");
}

TEST_CASE("one element that is compared does not stand for a thousand beside it that prove nothing") {
  PrepareProblem request = problem();
  request.arguments[4].value = search::Value(2);  // of which "sparse" writes one
  TestLane changed(request);
  changed.expect(reference("sparse"), Outcome::ok);
  request.arguments[2].atol = 2;  // `counts` go up by one
  TestLane unchanged(request);
  unchanged.expect(reference("sparse"), Outcome::wrong_result, "'counts' still holds what it held before");
  // It counts where there is nothing else.
  request.arguments[2].role = Argument::Role::scratch;
  RunReference alone = reference("sparse");
  alone.candidate.scratch_lengths = {kLength, 64};
  TestLane(request).expect(alone, Outcome::ok);
}

TEST_CASE("a reference that a kernel passes which computes nothing is refused, unless the outputs are trivial") {
  PrepareProblem request = problem();
  request.arguments[0].generators = {{Generator::Kind::constant, {1, 0}}};
  request.arguments[2].atol = 2;  // `counts` go up by one
  TestLane test(request);
  test.expect(reference(), Outcome::wrong_result,
              "Its results prove nothing: all 1000 elements of 'doubled' are 2, so a kernel that only fills it would "
              "pass. Give its inputs contents");
  // One that is trivial proves nothing of the others.
  request.arguments[1].is_trivial = true;
  TestLane one(request);
  one.expect(reference(), Outcome::wrong_result, "'counts' still holds what it held before");
  request.arguments[2].is_trivial = true;
  TestLane trivial(request);
  CHECK(trivial.expect(reference(), Outcome::ok).result_of<RunReference>().unproven.empty());
}

TEST_CASE("an output of one value is named where another one tells candidates apart") {
  PrepareProblem request = problem();
  request.arguments[0].generators = {{Generator::Kind::constant, {1, 0}}};
  TestLane test(request);
  CHECK(test.expect(reference(), Outcome::ok).result_of<RunReference>().unproven ==
        std::vector<Unproven>{{"doubled", Unproven::Why::one_value, kLength, kLength}});
  // Half of it: the rest is not compared.
  CHECK(test.expect(reference("sparse"), Outcome::ok).result_of<RunReference>().unproven ==
        std::vector<Unproven>{{"doubled", Unproven::Why::one_value, kLength / 2, kLength / 2}});
}

TEST_CASE("a reference of numbers that are none proves nothing, and a share of them is told") {
  PrepareProblem request = problem();
  request.arguments[2].atol = 2;
  request.arguments[0].generators = {{Generator::Kind::constant, {std::numeric_limits<double>::quiet_NaN(), 0}}};
  TestLane all(request);
  const DeviceReply nan =
      all.expect(reference(), Outcome::wrong_result, "all 1000 elements of 'doubled' are nan, so a kernel that only ");
  CHECK_FALSE(says(nan, "tol"));  // which would not help
  const test::TemporaryFolder folder;
  std::vector<double> numbers(kLength, 3);
  numbers[4] = numbers[7] = std::numeric_limits<double>::quiet_NaN();
  numbers[9] = 5;
  const std::string bytes = test::bytes_of(numbers);
  request.arguments[0].file = DataFile{folder.write("x.bin", bytes), 0, bytes.size(), cache::content_hash(bytes)};
  TestLane some(request);
  CHECK(some.expect(reference(), Outcome::ok).result_of<RunReference>().unproven ==
        std::vector<Unproven>{{"doubled", Unproven::Why::not_a_number, 2, kLength},
                              {"counts", Unproven::Why::unchanged, kLength, kLength}});
}

TEST_CASE("candidates may write what the reference leaves unwritten of a partial output") {
  PrepareProblem request = problem();
  request.arguments[1].is_partial = true;
  TestLane test(request);
  CHECK(test.ask(reference("sparse")).result_of<RunReference>().not_compared.size() == 1);
  test.expect(screen("right"), Outcome::ok);
  test.expect(screen("wrong"), Outcome::ok);  // its wrong element is one of those
}

TEST_CASE("a reference takes the arguments that it names, in its order") {
  PrepareProblem request = problem();
  std::swap(request.arguments[0], request.arguments[4]);
  std::swap(request.arguments[1], request.arguments[2]);
  BoundArgument further = request.arguments[4];
  further.name = "further";
  request.arguments.push_back(further);
  TestLane test(request);
  RunReference right = reference();
  right.candidate.takes = {4, 2, 1, 3, 0};
  test.expect(right, Outcome::ok);
  right.candidate.takes = {4, 2, 1, 3};
  CHECK(
      says(test.ask(right), "takes 5 parameters, but 4 arguments are described; make the args(...) of the reference"));
}

namespace {

/// `doubled` must be what this file of the folder holds; `values` are 0, 1, 2, ...
PrepareProblem problem_with_expected(const test::TemporaryFolder& folder, std::vector<double> numbers) {
  PrepareProblem request = problem();
  request.arguments[0].generators = {{Generator::Kind::iota, {0, 1}}};
  const std::string bytes = test::bytes_of(numbers);
  request.arguments[1].expected =
      DataFile{folder.write("doubled.bin", bytes), 0, bytes.size(), cache::content_hash(bytes)};
  return request;
}

std::vector<double> doubles() {
  std::vector<double> numbers;
  for (int i = 0; i < kLength; ++i) numbers.push_back(2 * i);
  return numbers;
}

}  // namespace

TEST_CASE("what a file holds is what the baseline and every candidate must compute") {
  const test::TemporaryFolder folder;
  TestLane test(problem_with_expected(folder, doubles()));
  test.expect(reference("sparse"), Outcome::unwritten_output,
              "500 of 1000 elements of 'doubled' unwritten that doubled.bin has, the first at 'doubled'[500]");
  test.expect(reference("wrong"), Outcome::wrong_result,
              "1 of 1000 elements of 'doubled' differ from doubled.bin: first at 'doubled'[999], found 1999");
  test.expect(reference(), Outcome::ok);
  test.expect(screen("right"), Outcome::ok);
  CHECK(says(test.ask(screen("wrong")), "differ from doubled.bin"));
  test.expect(screen("unwritten"), Outcome::unwritten_output);
  const DeviceReply confirmed = test.ask(ConfirmCandidate{candidate("right"), candidate("wrong"), 2});
  CHECK(says(confirmed, "On the same inputs, the candidate: 1 of 1000"));
}

TEST_CASE("a baseline that is right within the tolerance is no nondeterministic one for differing from the file") {
  const test::TemporaryFolder folder;
  std::vector<double> numbers = doubles();
  numbers[10] += 1e-13;
  PrepareProblem request = problem_with_expected(folder, numbers);
  request.deterministic = true;
  request.arguments[1].atol = 1e-12;
  TestLane test(request);
  test.expect(reference(), Outcome::ok);
  test.expect(screen("right"), Outcome::ok);
  test.expect(screen("wavers"), Outcome::nondeterministic);
}

TEST_CASE("what the reference writes behind its count is named, because nothing is compared there") {
  PrepareProblem request = problem();
  request.arguments[1].is_unordered = true;
  request.arguments[1].counted_by = 2;  // of `counts` the first, which is 1
  TestLane test(request);
  const std::vector<Unproven> unproven = test.expect(reference(), Outcome::ok).result_of<RunReference>().unproven;
  REQUIRE(!unproven.empty());
  CHECK(unproven.back() == Unproven{"doubled", Unproven::Why::behind_count, kLength - 1, kLength});
}

TEST_CASE("a candidate need not write what the reference writes behind its count") {
  PrepareProblem request = problem();
  request.arguments[1].is_unordered = true;
  request.arguments[1].counted_by = 2;  // of `counts` the first, which is 1
  TestLane test(request);
  test.expect(reference(), Outcome::ok);
  test.expect(screen("right"), Outcome::ok);
  test.expect(screen("sparse"), Outcome::ok);
  test.expect(screen("nothing"), Outcome::unwritten_output, "1 of 1000 elements of 'doubled' unwritten");
}

TEST_CASE("as many elements as the description allows may be wrong") {
  PrepareProblem request = problem();
  request.arguments[1].may_differ = 1;
  TestLane test(request);
  test.expect(reference(), Outcome::ok);
  test.expect(screen("wrong"), Outcome::ok);
  TestLane contradicts_itself(request);
  contradicts_itself.expect(reference("flaky"), Outcome::ok);
}

TEST_CASE("a reference that contradicts itself is nondeterministic") {
  TestLane test(problem());
  test.expect(reference("flaky"), Outcome::nondeterministic,
              "Two runs of the reference disagree in 1 of 1000 elements of 'doubled'");
}

TEST_CASE("runs that differ within the tolerance are right, unless the kernel must be deterministic") {
  for (const bool deterministic : {false, true}) {
    CAPTURE(deterministic);
    const Outcome expected = deterministic ? Outcome::nondeterministic : Outcome::ok;
    PrepareProblem request = problem();
    request.arguments[1].rtol = 1e-6;
    request.arguments[1].is_partial = true;
    request.deterministic = deterministic;
    TestLane test(request);
    test.expect(reference("wavers"), expected);
    // Elements that nobody writes hold another poison in each run, and are no difference.
    test.expect(reference("sparse"), Outcome::ok);
    test.expect(screen("sparse"), Outcome::ok);
    test.expect(screen("right"), Outcome::ok);
    const DeviceReply reply = test.expect(screen("wavers"), expected);
    if (deterministic)
      CHECK(says(
          reply,
          "write different bits to 'doubled', both within the tolerance (rtol 1e-06, atol 0, rounding not measured)"));
    test.expect(ConfirmCandidate{candidate("sparse"), candidate("wavers"), 2}, expected);
  }
}

TEST_CASE("arguments that do not match the kernel's parameters are refused by name") {
  PreparedLane test;
  ScreenCandidate request = screen("right");
  request.candidate.parameters.back().size = 8;
  CHECK(says(test.ask(request),
             "Parameter 5 of the kernel kernel has 8 bytes, but the argument 'n' that is described there has 4"));
  request.candidate.parameters.pop_back();
  CHECK(says(test.ask(request), "takes 4 parameters, but 5 arguments are described"));
}

TEST_CASE("a block or shared memory that is too large is refused with the numbers") {
  PreparedLane test;
  ScreenCandidate request = screen("right registers=200");
  request.candidate.geometry.block = {2048, 1, 1};
  CHECK(says(test.ask(request), "its block has 2048 threads, but the limit is 1024"));
  request.candidate.geometry.block = {512, 1, 1};
  request.candidate.geometry.shared_bytes = 300000;
  test.expect(request, Outcome::launch_refused,
              "its block of 512 threads needs 200 registers each, 102400 in all, but a block may have 65536");
}

TEST_CASE("a scalar that does not fit its type is refused when the problem is prepared") {
  TestLane test;
  PrepareProblem request = problem();
  request.arguments.back().value = search::Value(std::int64_t{5000000000});
  test.expect(request, Outcome::launch_refused, "The scalar 'n' is 5000000000, which does not fit its type int32");
}

TEST_CASE("buffers that do not fit are a result, and a smaller problem may follow") {
  TestLane test;
  PrepareProblem request = problem();
  request.arguments[0].length = std::uint64_t{1} << 30;
  test.expect(request, Outcome::out_of_memory, "GiB");
  test.prepare();
  ScreenCandidate big = screen("right");
  big.candidate.scratch_lengths = {std::uint64_t{1} << 30};
  test.expect(big, Outcome::out_of_memory);
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("a block of finalists is timed in its order") {
  PreparedLane test;
  test.expect(
      LoadFinalists{{candidate("right time=100000"), candidate("right time=200000"), candidate("right time=300000")}},
      Outcome::ok);
  const DeviceReply reply = test.ask(RunBlock{{2, 0, 1, 0}});
  CHECK(reply.message.empty());
  const std::vector<double> samples_ns = reply.result_of<RunBlock>().samples_ns;
  REQUIRE(samples_ns.size() == 4);
  for (const auto& [sample, expected_ns] : {std::pair{0, 3e5}, {1, 1e5}, {2, 2e5}, {3, 1e5}}) {
    CAPTURE(sample);
    CHECK(samples_ns[sample] == doctest::Approx(expected_ns).epsilon(1e-4));
  }
}

TEST_CASE("a finalist of a longer scratch does not make the reference look as if it wrote past its own") {
  const auto with_room = [](std::uint64_t length) {
    Candidate result = candidate("right room=" + std::to_string(length));
    result.scratch_lengths = {length};
    return result;
  };
  TestLane test(problem());
  test.expect(RunReference{with_room(64), {}}, Outcome::ok);
  test.expect(LoadFinalists{{with_room(256), with_room(64)}}, Outcome::ok);
  test.expect(RunBlock{{0, 1}}, Outcome::ok);
  test.expect(ConfirmCandidate{with_room(64), with_room(256), 2}, Outcome::ok);
  // The guards are still looked at.
  Candidate greedy = with_room(65);
  greedy.scratch_lengths = {64};
  test.expect(ScreenCandidate{greedy, {}, {}}, Outcome::guard_violation);
}

TEST_CASE("a winner is confirmed on other inputs, and screening goes on with the old ones") {
  PreparedLane test;
  test.expect(ConfirmCandidate{candidate("right"), candidate("right"), 77}, Outcome::ok);
  const DeviceReply reply = test.expect(ConfirmCandidate{candidate("right"), candidate("wrong"), 77},
                                        Outcome::wrong_result, "On other inputs (seed 77), the candidate: ");
  CHECK_FALSE(reply.result_of<ConfirmCandidate>().reference_failed);
  test.expect(screen("right"), Outcome::ok);
  test.expect(screen("wrong"), Outcome::wrong_result);
}

TEST_CASE("where the reference cannot be had back after a confirmation another worker has it, and nobody is blamed") {
  PreparedLane test;
  CHECK(test.ask(ConfirmCandidate{candidate("flaky"), candidate("right"), 77})
            .result_of<ConfirmCandidate>()
            .reference_failed);
  const pid_t worker = test.lane.worker_pid();
  test.expect(screen("right"), Outcome::ok);
  CHECK(test.lane.worker_pid() != worker);
  test.expect(screen("wrong"), Outcome::wrong_result);
}

TEST_CASE("a reference that fails on other inputs is not the candidate's failure") {
  PreparedLane test;
  for (const char* behaviour : {"flaky", "past_end", "not_a_binary", "faults"}) {
    CAPTURE(behaviour);
    const DeviceReply reply = test.ask(ConfirmCandidate{candidate(behaviour), candidate("right"), 77});
    CHECK(reply.outcome != Outcome::ok);
    CHECK(reply.result_of<ConfirmCandidate>().reference_failed);
  }
  const DeviceReply reply =
      test.expect(ConfirmCandidate{candidate("right"), candidate("faults"), 77}, Outcome::illegal_access);
  CHECK_FALSE(reply.result_of<ConfirmCandidate>().reference_failed);
  const DeviceReply both_right = test.ask(ConfirmCandidate{candidate("right"), candidate("right"), 77});
  CHECK_FALSE(both_right.result_of<ConfirmCandidate>().reference_failed);
}

TEST_CASE("requests are answered in the order submitted, and a cancelled one is answered too") {
  TestLane test;
  CHECK(test.lane.room() == 4);
  test.lane.submit(1, problem());
  test.lane.submit(2, reference());
  test.lane.submit(3, screen("right"));
  test.lane.submit(4, screen("wrong"));
  CHECK(test.lane.room() == 0);
  test.lane.submit(5, screen("right"));
  test.lane.cancel(5);
  CHECK(test.wait_for(5).outcome == Outcome::worker_lost);
  CHECK(test.wait_for(4).outcome == Outcome::wrong_result);
  CHECK(test.order == std::vector<TicketId>{5, 1, 2, 3, 4});
  CHECK(test.lane.room() == 4);
}
