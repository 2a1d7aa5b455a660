// Kernels that take a structure by value: a launch takes the program's object.
#include "tests/runtime/cubin_builder.hpp"
#include "tests/runtime/machine.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/description_builder.hpp"
#include "tuner/runtime/description_content.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kDrift = R"(
#pragma tuner kernel(drift)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 100000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner constant(weights, float, 8) value(by, Drift, 1, {n, 3}) out(y, float, n) scalar(n, int32)
struct Drift {
  float first, others[2];
};
__constant__ float weights[8];
extern "C" __global__ void drift(Drift by, float* y, int n) {}
)";

struct Drift {
  float first, others[2];
};

const float* const kDriftWeights = reinterpret_cast<const float*>(0x3000);
float* const kDrifted = reinterpret_cast<float*>(0x2000);

struct DriftMachine : Machine {
  DriftMachine() {
    const Stored stored{.configuration = "BLOCK=256", .problem = "n=1000", .text = kDrift};
    decide(stored);
    compile(stored, [](CubinText& text) { text.parameter_sizes[0] = sizeof(Drift); });
  }
};

struct Drifting {
  DriftMachine machine;
  Runtime runtime{machine.options()};
  const Instance& instance = runtime.kernel(Description::from_text(kDrift, {.name = "drift.cu"})).request({1000});
};

}  // namespace

TEST_CASE_FIXTURE(Drifting, "a structure arrives as the program made it, whatever is described for tuning") {
  INFO(instance.provenance().why);
  REQUIRE(instance.rung() == Rung::exact);
  inspector().take_launches();
  const LaunchStatus status = instance.launch(nullptr, kDriftWeights, Drift{4, {5, 6}}, kDrifted, 1000);
  CHECK_MESSAGE(status, status.message);
  const auto launches = inspector().take_launches();
  REQUIRE(!launches.empty());
  CHECK(launches.back().kernel == "drift");
  CHECK(argument<Drift>(launches.back(), 0).others[1] == 6);
}

TEST_CASE_FIXTURE(Drifting, "an object of another size than the compiled kernel takes was launched") {
  inspector().take_launches();
  const LaunchStatus wrong = instance.launch(nullptr, kDriftWeights, 1.0, kDrifted, 1000);
  CHECK_FALSE(wrong);
  CHECK(wrong.message ==
        "Argument 2 of the kernel `drift`, `by`, has 12 bytes in the compiled kernel, but the call passes an object of "
        "8: pass the type that the kernel's source declares.");
  const LaunchStatus pointer = instance.launch(nullptr, kDriftWeights, kDrifted, kDrifted, 1000);
  CHECK_FALSE(pointer);
  CHECK(contains(std::string(pointer.message), "`by`, is a value, but the call passes a pointer: pass the object"));
  CHECK(inspector().take_launches().empty());
}

TEST_CASE("a value that is described in code is what the directive says") {
  const Description built = DescriptionBuilder("k",
                                               "struct Drift { float first, others[2]; };\n"
                                               "__global__ void k(Drift by, float* y, bool on) {}\n")
                                .size("n")
                                .grid("n")
                                .block("32")
                                .value("by", "Drift", "1, {n, 3}")
                                .out("y", "float", "n")
                                .value("on", "bool")
                                .build();
  CHECK(contains(to_text(built.content()->parsed()), "value(by, Drift, 1, {n, 3})"));
}
