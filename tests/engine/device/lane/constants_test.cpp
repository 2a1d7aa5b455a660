// Arrays in constant memory and data files, from the request to the device and back.
#include <doctest/doctest.h>

#include <cstring>
#include <span>

#include "cache/file/hash.hpp"
#include "tests/core/task/npy_file.hpp"
#include "tests/engine/device/lane/lane_support.hpp"
#include "tuner/core/support/element_text.hpp"
#include "tuner/core/support/generators.hpp"

using namespace tuner;
using namespace tuner::engine;
using test::TemporaryFolder;

namespace {

/// The usual problem with `offsets` in constant memory, which candidates add to what they double.
PrepareProblem problem_with_offsets(std::uint64_t length = 4) {
  PrepareProblem request = problem();
  BoundArgument offsets;
  offsets.name = "offsets";
  offsets.role = Argument::Role::constant;
  offsets.type = ElementType::float64;
  offsets.length = length;
  // In the middle: where arguments of the kernel follow.
  request.arguments.insert(request.arguments.begin() + 1, offsets);
  return request;
}

DataFile data_at(const std::filesystem::path& path, std::uint64_t bytes) {
  const std::string all = test::read_bytes(path);
  return {path, 128, bytes, cache::content_hash(std::string_view(all).substr(128, bytes))};
}

}  // namespace

TEST_CASE("a kernel's constant memory is filled before it runs, and is no parameter of it") {
  TestLane test(problem_with_offsets());
  CHECK(test.expect(reference("right array=offsets:32"), Outcome::ok).message.empty());
  test.expect(screen("right time=90000 array=offsets:32"), Outcome::ok);
}

TEST_CASE("constant memory holds other numbers when a winner is confirmed on other inputs") {
  TestLane test(problem_with_offsets());
  test.expect(reference("right array=offsets:32"), Outcome::ok);
  const Candidate same = candidate("right time=90000 array=offsets:32");
  CHECK(test.expect(ConfirmCandidate{same, same, 7}, Outcome::ok).message.empty());
  // What is expected then follows from the other seed, in constant memory too.
  const auto last = [](const BoundArgument& argument, std::uint64_t position) {
    double number = 0;
    const std::vector<std::byte> all = generate(argument, position, 7);
    std::memcpy(&number, all.data() + all.size() - sizeof number, sizeof number);
    return number;
  };
  const std::vector<BoundArgument> arguments = problem_with_offsets().arguments;
  const double expected = 2 * last(arguments[0], 0) + last(arguments[1], 1);
  const auto text = element_text(ElementType::float64, std::as_bytes(std::span(&expected, 1)));
  test.expect(ConfirmCandidate{same, candidate("wrong array=offsets:32"), 7}, Outcome::wrong_result,
              "expected " + text);
  // Back on the inputs of before.
  test.expect(screen("right array=offsets:32"), Outcome::ok);
  test.expect(screen("wrong array=offsets:32"), Outcome::wrong_result);
}

TEST_CASE("a binary whose constant memory is not as described is not launched") {
  TestLane test(problem_with_offsets());
  test.expect(reference("right"), Outcome::launch_refused,
              "The binary has no array 'offsets', which is described as constant(…); declare it with __constant__ "
              "outside functions, for all values of the parameters (");
  const DeviceReply shorter = test.expect(reference("right array=offsets:24"), Outcome::launch_refused);
  CHECK(shorter.message ==
        "The array 'offsets' in constant memory has only 24 bytes, but 32 are described for it; correct its type or "
        "length.");
  Candidate one_more = candidate("right array=offsets:32");
  one_more.parameters.push_back({40, 8});
  CHECK(says(test.ask(RunReference{one_more, {}}), "takes 6 parameters, but 5 arguments are described"));
}

TEST_CASE("of an array that is longer than described the rest keeps what the module has there") {
  // Four are described. The driver's arrays begin with zeros, which is what the fifth must add.
  TestLane test(problem_with_offsets());
  test.expect(reference("right array=offsets:40"), Outcome::ok);
  test.expect(screen("right time=90000 array=offsets:40"), Outcome::ok);
  // Without a fifth, other elements get other offsets.
  test.expect(screen("right array=offsets:32"), Outcome::wrong_result);
}

TEST_CASE(
    "inputs and constant memory are what their files hold, whatever the seed, also for a worker that comes later") {
  const TemporaryFolder folder;
  const auto values = folder.write("the \"values\".npy", test::npy_from<double>("<f8", kLength, 5));
  const auto offsets = folder.write("offsets.npy", test::npy_from<double>("<f8", 4, 100));
  PrepareProblem request = problem_with_offsets();
  request.arguments[0].generators = request.arguments[1].generators = {{Generator::Kind::file, {0, 0}}};
  request.arguments[0].file = data_at(values, kLength * sizeof(double));
  request.arguments[1].file = data_at(offsets, 4 * sizeof(double));
  TestLane test(request);
  test.expect(reference("right array=offsets:32"), Outcome::ok);
  // What it found and expected says what was there: 2 * (5 + 999) + 100 + 3.
  CHECK(says(test.ask(screen("wrong array=offsets:32")), "first at 'doubled'[999], found 2112, expected 2111"));
  const Candidate same = candidate("right array=offsets:32");
  test.expect(ConfirmCandidate{same, same, 7}, Outcome::ok);
  // An input that was changed is read again.
  CHECK(test.ask(screen("input array=offsets:32")).outcome != Outcome::ok);
  test.expect(screen("faults array=offsets:32"), Outcome::illegal_access);
  CHECK(says(test.ask(screen("wrong array=offsets:32")), "found 2112, expected 2111"));
}

TEST_CASE("data that is not what it was when the session began is refused by name") {
  const TemporaryFolder folder;
  const auto values = folder.write("values.npy", test::npy_from<double>("<f8", kLength, 5));
  PrepareProblem request = problem();
  request.arguments[0].generators = {{Generator::Kind::file, {0, 0}}};
  request.arguments[0].file = data_at(values, kLength * sizeof(double));
  TestLane test(request);
  folder.write("values.npy", test::npy_from<double>("<f8", kLength, 6));
  const DeviceReply changed = test.expect(request, Outcome::worker_lost);
  CHECK(changed.message ==
        values.string() + " was changed while it was in use; start again, and do not change it until the end.");
  std::filesystem::remove(values);
  CHECK(says(test.ask(request), values.string() + " does not exist"));
  CHECK(test.lane.statistics().losses.empty());
}
