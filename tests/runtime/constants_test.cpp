// Kernels with arrays in constant memory: a launch takes a device pointer for each, and fills it first.
#include "tests/runtime/cubin_builder.hpp"
#include "tests/runtime/machine.hpp"
#include "tuner/core/task/describe.hpp"
#include "tuner/description_builder.hpp"
#include "tuner/runtime/description_content.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kBlur = R"(
#pragma tuner kernel(blur)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 100000)
#pragma tuner param(BLOCK, 64, 128, 256; default 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) constant(weights, float, 8) out(y, float, n)
#pragma tuner constant(offsets, double, 2) scalar(n, int32)
__constant__ float weights[8];
__constant__ double offsets[2];
extern "C" __global__ void blur(const float* x, float* y, int n) {}
)";

const float* const kImage = reinterpret_cast<const float*>(0x1000);
float* const kBlurred = reinterpret_cast<float*>(0x2000);
const float* const kWeights = reinterpret_cast<const float*>(0x3000);
const double* const kOffsets = reinterpret_cast<const double*>(0x4000);

const Stored kStored{.configuration = "BLOCK=256", .problem = "n=1000", .text = kBlur};

using Edit = std::function<void(CubinText&)>;

struct TunedMachine : Machine {
  explicit TunedMachine(const Edit& edit) {
    decide(kStored);
    compile(kStored, edit);
  }
};

struct Blurring {
  explicit Blurring(const Edit& edit = [](CubinText&) {}) : machine(edit) {}
  TunedMachine machine;
  Runtime runtime{machine.options()};
  Kernel kernel = runtime.kernel(Description::from_text(kBlur, {.name = "blur.cu"}));
  const Instance& instance = kernel.request({1000});

  LaunchStatus launch(CUstream stream = nullptr) const {
    return instance.launch(stream, kImage, kWeights, kBlurred, kOffsets, 1000);
  }
};

std::vector<std::string> names(const std::vector<fake::Launch>& launches) {
  std::vector<std::string> result;
  for (const fake::Launch& launch : launches) result.push_back(launch.kernel);
  return result;
}

const std::vector<std::string> kCopiesAndLaunch{"copy to weights", "copy to offsets", "blur"};

}  // namespace

TEST_CASE("constant memory is filled on the stream of the launch, and is no parameter of the kernel") {
  Blurring fixture;
  INFO(fixture.instance.provenance().why);
  REQUIRE(fixture.instance.rung() == Rung::exact);
  OwnStream stream;
  inspector().take_launches();
  CHECK(fixture.launch(stream.get()));
  const auto launches = inspector().take_launches();
  REQUIRE(names(launches) == kCopiesAndLaunch);
  for (const fake::Launch& launch : launches) CHECK(launch.stream == stream.get());
  CHECK(argument<const float*>(launches[0], 0) == kWeights);
  CHECK(argument<std::size_t>(launches[0], 1) == 32);
  CHECK(argument<const double*>(launches[1], 0) == kOffsets);
  CHECK(argument<std::size_t>(launches[1], 1) == 16);
  REQUIRE(launches[2].arguments.size() == 3);
  CHECK(argument<const float*>(launches[2], 0) == kImage);
  CHECK(argument<float*>(launches[2], 1) == kBlurred);
  CHECK(argument<int>(launches[2], 2) == 1000);
  CHECK(launches[2].grid == std::array<unsigned, 3>{4, 1, 1});
}

TEST_CASE("arguments of a kernel with constants are checked like any others") {
  const Blurring fixture;
  inspector().take_launches();
  const auto refused = [](const LaunchStatus& status) {
    CHECK_FALSE(status);
    CHECK(inspector().take_launches().empty());
    return std::string(status.message);
  };
  const Instance& instance = fixture.instance;
  CHECK(refused(instance.launch(nullptr, kImage, kBlurred, 1000)) ==
        "The kernel `blur` takes 5 arguments (x, weights, y, offsets, n), but the call passes 3.");
  CHECK(contains(refused(instance.launch(nullptr, kImage, 2.0f, kBlurred, kOffsets, 1000)),
                 "Argument 2 of the kernel `blur`"));
  CHECK(contains(refused(instance.launch(nullptr, kImage, kOffsets, kBlurred, kOffsets, 1000)),
                 "`weights`, is a buffer of"));
  CHECK(contains(refused(instance.launch(nullptr, kImage, kWeights, kBlurred, kOffsets, 999)), "`n`, must be 1000"));
  const LaunchStatus nothing = instance.launch(nullptr, kImage, nullptr, kBlurred, kOffsets, 1000);
  CHECK(nothing.code == CUDA_ERROR_INVALID_VALUE);
  CHECK(contains(refused(nothing),
                 "Argument 2 of the kernel `blur`, `weights`, could not be copied to constant memory: "
                 "32 bytes from the device pointer 0x0"));
  CHECK(fixture.launch());
}

TEST_CASE("an untyped launch takes constants in the same places") {
  const Blurring fixture;
  inspector().take_launches();
  const float* x = kImage;
  const float* weights = kWeights;
  float* y = kBlurred;
  const double* offsets = kOffsets;
  int n = 1000;
  void* const all[] = {&x, &weights, &y, &offsets, &n};
  CHECK(fixture.instance.launch_untyped(nullptr, all));
  CHECK(names(inspector().take_launches()) == kCopiesAndLaunch);
  CHECK_FALSE(fixture.instance.launch_untyped(nullptr, std::span(all).first(3)));
}

TEST_CASE("an array in constant memory is not filled from a buffer that is shorter than it") {
  const Blurring fixture;
  inspector().take_launches();
  const auto launch = [&](std::uint64_t bytes) {
    return fixture.instance.launch(nullptr, kImage, Buffer{kWeights, bytes}, kBlurred, kOffsets, 1000);
  };
  const LaunchStatus status = launch(31);
  CHECK(status.message ==
        "Argument 2 of the kernel `blur`, `weights`, needs 32 bytes, but the call passes a tuner::Buffer of 31: make "
        "it larger.");
  CHECK(inspector().take_launches().empty());
  CHECK(launch(32));
  const auto launches = inspector().take_launches();
  REQUIRE(names(launches) == kCopiesAndLaunch);
  CHECK(argument<const float*>(launches[0], 0) == kWeights);
}

TEST_CASE("a kernel with constants gets scratch of the library at its own place among the parameters") {
  Stored with_scratch = kStored;
  const std::string before = "constant(weights";
  with_scratch.text.replace(with_scratch.text.find(before), before.size(),
                            "scratch(room, float, BLOCK) constant(weights");
  Machine machine;
  machine.decide(with_scratch);
  machine.compile(with_scratch);
  Runtime runtime(machine.options());
  const Instance& instance = runtime.kernel(Description::from_text(with_scratch.text)).request({1000});
  INFO(instance.provenance().why);
  REQUIRE(instance.rung() == Rung::exact);
  inspector().take_launches();
  CHECK(instance.launch(nullptr, kImage, scratch, kWeights, kBlurred, kOffsets, 1000));
  const auto launches = inspector().take_launches();
  REQUIRE(names(launches) == std::vector<std::string>{"allocate", "copy to weights", "copy to offsets", "blur"});
  REQUIRE(launches[3].arguments.size() == 4);
  CHECK(argument<CUdeviceptr>(launches[3], 1) == argument<CUdeviceptr>(launches[0], 0));
  CHECK(argument<std::size_t>(launches[0], 1) == 4 * 256);
  CHECK(argument<float*>(launches[3], 2) == kBlurred);
}

TEST_CASE("a captured launch puts its copies into the graph before it") {
  Blurring fixture;
  OwnContext own;
  OwnStream stream;
  const Instance& instance = fixture.kernel.request({1000}, {.stream = stream.get()});
  REQUIRE(instance.rung() == Rung::exact);
  stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  inspector().take_launches();
  CHECK(instance.launch(stream.get(), kImage, kWeights, kBlurred, kOffsets, 1000));
  const CUgraph graph = stream.end_capture();
  REQUIRE(graph != nullptr);
  CHECK(inspector().take_launches().empty());
  CHECK(inspector().replay(graph) == CUDA_SUCCESS);
  CHECK(names(inspector().take_launches()) == kCopiesAndLaunch);
}

TEST_CASE("a binary whose constant memory is not as described is not used") {
  const Blurring none([](CubinText& text) { text.arrays.pop_back(); });
  CHECK(none.instance.rung() != Rung::exact);
  CHECK(contains(none.instance.provenance().why, "its binary has no array `offsets` in constant memory"));
  const Blurring shorter([](CubinText& text) { text.arrays[0].second = 24; });
  CHECK(shorter.instance.rung() != Rung::exact);
  CHECK(contains(shorter.instance.provenance().why,
                 "the array `weights` of its binary has 24 bytes, but 32 are described"));
}

TEST_CASE("an array that is longer than described is filled as far as it is described, and the observer hears of it") {
  const Blurring longer([](CubinText& text) { text.arrays[0].second = 64; });
  REQUIRE(longer.instance.rung() == Rung::exact);
  const auto notices = longer.machine.heard(Notice::Kind::request);
  REQUIRE(notices.size() == 1);
  CHECK(
      notices[0] ==
      "The array `weights` in constant memory has 64 bytes, of which 32 are described: only these are filled, and the "
      "rest keeps its initial values.");
  inspector().take_launches();
  CHECK(longer.launch());
  const auto launches = inspector().take_launches();
  REQUIRE(names(launches) == kCopiesAndLaunch);
  CHECK(argument<std::size_t>(launches[0], 1) == 32);
}

TEST_CASE("an instance that fills less of an array has one that no other instance has filled") {
  std::string text = kBlur;
  text.replace(text.find("constant(weights, float, 8)"), 27, "constant(weights, float, n // 100)");
  const auto stored = [&](const std::string& problem) {
    return Stored{.configuration = "BLOCK=256", .problem = problem, .text = text};
  };
  Machine machine;
  for (const char* problem : {"n=400", "n=800", "n=1600"}) {
    machine.decide(stored(problem));
    machine.compile(stored(problem), [](CubinText& cubin) { cubin.arrays[0].second = 64; });
  }
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(Description::from_text(text));
  const std::size_t before = inspector().modules_loaded();
  for (const int n : {400, 800, 1600}) {
    const Instance& instance = kernel.request({n});
    INFO(instance.provenance().why);
    REQUIRE(instance.rung() == Rung::exact);
    CHECK(kernel.request({n}).shape().function == instance.shape().function);
  }
  CHECK(inspector().modules_loaded() == before + 3);
  CHECK(machine.heard(Notice::Kind::request).size() ==
        1);  // what is described of it varies; that it is less is said once
}

TEST_CASE("instances that fill different arrays in part by as many bytes do not share them") {
  std::string text = kBlur;
  text.replace(text.find("constant(weights, float, 8)"), 27, "constant(weights, float, n == 400 ? 4 : 8)");
  text.replace(text.find("constant(offsets, double, 2)"), 28, "constant(offsets, double, n == 400 ? 4 : 2)");
  Machine machine;
  for (const char* problem : {"n=400", "n=800"}) {
    const Stored stored{.configuration = "BLOCK=256", .problem = problem, .text = text};
    machine.decide(stored);
    machine.compile(stored, [](CubinText& cubin) { cubin.arrays[0].second = cubin.arrays[1].second = 32; });
  }
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(Description::from_text(text));
  const std::size_t before = inspector().modules_loaded();
  for (const int n : {400, 800}) {
    const Instance& instance = kernel.request({n});
    INFO(instance.provenance().why);
    REQUIRE(instance.rung() == Rung::exact);
  }
  CHECK(inspector().modules_loaded() == before + 2);
}

TEST_CASE("a program needs no data files to launch what was tuned with them") {
  Stored with_file = kStored;
  const std::string generator = "in(x, float, n)";
  with_file.text.replace(with_file.text.find(generator), generator.size(), "in(x, float, n, file(\"not here.npy\"))");
  Machine machine;
  machine.decide(kStored);  // to the databases it is the same kernel
  machine.compile(kStored);
  Runtime runtime(machine.options());
  const Kernel kernel = runtime.kernel(Description::from_text(with_file.text, {.name = "blur.cu"}));
  const Instance& instance = kernel.request({1000});
  CHECK(instance.rung() == Rung::exact);
  CHECK(instance.launch(nullptr, kImage, kWeights, kBlurred, kOffsets, 1000));
}

TEST_CASE("a kernel with constants is described in code like any other") {
  const Description description = DescriptionBuilder("blur", "__constant__ float weights[8];")
                                      .size("n")
                                      .grid("n")
                                      .block("64")
                                      .out("y", "float", "n")
                                      .constant_array("weights", "float", "8", "file(\"weights.npy\")")
                                      .build();
  CHECK(contains(to_text(description.content()->parsed()), "constant(weights, float, 8, file(\"weights.npy\"))"));
}
