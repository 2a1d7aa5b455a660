// A session whose description says in a way of its own what is right.
#include "tests/core/task/npy_file.hpp"
#include "tests/engine/session/laboratory.hpp"
#include "tuner/core/description/parse_descriptions.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

/// The kernel with more directives, and a kernel `plain` that takes `parameters`.
std::string text_with(const std::string& directives,
                      const std::string& parameters = "const float* x, float* y, int n") {
  return kernel_with_line(directives) + "__global__ void plain(" + parameters + ") {}\n";
}

}  // namespace

TEST_CASE("a reference with a launch of its own is not run with the baseline's") {
  Laboratory laboratory(make_task({}, text_with("reference(plain; grid(n) block(32) shared(64) args(y, n, x))",
                                                "float* y, int n, const float* x")),
                        ordinary);
  const TuneReport report = laboratory.tune();
  CHECK(laboratory.device.reference.geometry.text() == "grid=1000x1x1 block=32x1x1 shared=64");
  CHECK(laboratory.device.reference.takes == std::vector<std::size_t>{1, 2, 0});
  CHECK(report.decision.configuration == kFastest);
}

TEST_CASE("what is not compared stands in the report and in the stored decision") {
  std::string text = text_with("out(z, float, 2 * n)");
  text.replace(text.find("saxpy(const"), 6, "saxpy(float* z, ");
  Laboratory laboratory(make_task({}, text), ordinary);
  laboratory.device.not_compared = {{"z", 1000, 1000, 2000}, {"a b", 1, 0, 5}};
  CHECK(laboratory.tune().not_compared == laboratory.device.not_compared);
  const auto stored = laboratory.decided();
  REQUIRE(stored);
  CHECK(not_compared_in(stored->counters) == std::vector<NotCompared>{{"a b", 1, 0, 5}, {"z", 1000, 1000, 2000}});
  // The end that nothing writes tells of a length that is too large.
  REQUIRE(laboratory.observer.warnings.size() == 1);  // `a b` is no argument
  CHECK(laboratory.observer.warnings[0].find("1,000 of 2,000 elements of `z` (the first is 1,000)") !=
        std::string::npos);
}

TEST_CASE("what proves little stands in the report and in the stored decision, with a warning") {
  Laboratory laboratory(make_task({}, text_with("deterministic")), ordinary);
  const Unproven nan{"y", Unproven::Why::not_a_number, 7, 1000}, same{"y", Unproven::Why::same_for_seeds, 1000, 1000};
  laboratory.device.unproven = {nan};
  laboratory.device.unproven_on_others = {same};
  CHECK(laboratory.tune().unproven == std::vector<Unproven>{nan, same});
  const auto stored = laboratory.decided();
  REQUIRE(stored);
  CHECK(unproven_in(stored->counters) == std::vector<Unproven>{nan, same});
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings[0].starts_with(
      "Little is proven where 7 of 1,000 elements of `y` are not numbers; `y` is the same for two seeds of the "
      "inputs: "));
}

TEST_CASE("a kernel that waits for other blocks is named in a warning, for no run proves it right") {
  Laboratory laboratory(
      make_task({}, kernel_with_line("deterministic") +
                        "__device__ void wait_for_all(volatile int* arrived) { while (*arrived < gridDim.x) {} }\n"),
      ordinary);
  CHECK(laboratory.tune().decision.configuration == kFastest);
  REQUIRE(laboratory.observer.warnings.size() == 1);
  CHECK(laboratory.observer.warnings[0].find(" waits in a loop for other threads. ") != std::string::npos);
}

TEST_CASE("an output of one value needs no second seed to be doubted") {
  Laboratory laboratory(make_task({}, text_with("deterministic")), ordinary);
  laboratory.device.unproven = {{"y", Unproven::Why::one_value, 1000, 1000}};
  laboratory.device.unproven_on_others = {{"y", Unproven::Why::same_for_seeds, 1000, 1000}};
  CHECK(laboratory.tune().unproven == laboratory.device.unproven);
}

TEST_CASE("a reference that leaves out what the baseline writes is refused before anything else is run") {
  Laboratory laboratory(make_task({}, text_with("reference(plain)")),
                        except(kBaseline, [](Behaviour& behaviour) { behaviour.run = Outcome::wrong_result; }));
  laboratory.device.not_compared = {{"y", 900, 100, 1000}};
  CHECK_THROWS_WITH_AS(laboratory.tune(), doctest::Contains("The baseline BLOCK=64,UNROLL=1 fails with wrong_result"),
                       Error);
  CHECK_FALSE(laboratory.decided());
}

TEST_CASE("where files alone say what is right, the winner serves its size only, and the report says why") {
  const test::TemporaryFolder folder;
  folder.write("y.npy", test::npy("<f4", "(1000,)", std::string(4000, '\0')));
  for (const bool has_reference : {false, true}) {
    CAPTURE(has_reference);
    std::string text = text_with("deterministic");
    const auto replace = [&](const std::string& what, const std::string& by) {
      text.replace(text.find(what), what.size(), by);
    };
    replace("in(x, float, n) inout(y, float, n)", "in(x, float, n, iota()) out(y, float, n, expect file(\"y.npy\"))");
    replace("#pragma tuner param", "#pragma tuner problem_constraint(n >= 1)\n#pragma tuner param");
    if (has_reference) replace("kernel(saxpy)", "kernel(saxpy) reference(plain)");
    Laboratory laboratory(
        Task(parse_descriptions(text, folder.path() / "saxpy.cu").front(), {{"n", 1000}}, known_device("H200")),
        ordinary);
    const TuneReport report = laboratory.tune();
    CHECK(report.decision.configuration == kFastest);
    CHECK_FALSE(report.has_fresh_inputs);
    CHECK(report.decision.counters.contains(kSameInputsCounter));
    REQUIRE(report.data.size() == 1);
    CHECK(report.data[0].is_expected);
    CHECK((report.decision.awkward_sizes > 0) == has_reference);
    // At other sizes the file is of no use.
    REQUIRE_FALSE(laboratory.device.has_expected.empty());
    for (std::size_t i = 0; i < laboratory.device.has_expected.size(); ++i) {
      CHECK(laboratory.device.has_expected[i] == (laboratory.device.lengths[i] == 1000));
    }
    if (!has_reference) CHECK(report.awkward_note.find("y.npy contains the correct output for this size only") == 0);
  }
}
