// What a launch passes is checked, and arrives.
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const float* const kX = reinterpret_cast<const float*>(0x1000);
float* const kY = reinterpret_cast<float*>(0x2000);

struct Fixture : Program {
  const Instance& instance = tuned_instance();

  /// The launch is refused, nothing reaches the driver, and the observer hears the sentence, once.
  template <class... Arguments>
  std::string refused(const Arguments&... arguments) {
    inspector().take_launches();
    const std::size_t before = heard(Notice::Kind::launch).size();
    const LaunchStatus status = instance.launch(nullptr, arguments...);
    const LaunchStatus again = instance.launch(nullptr, arguments...);
    CHECK_FALSE(status);
    CHECK(status.code == -1);
    CHECK(again.message == status.message);
    CHECK(inspector().take_launches().empty());
    const auto said = heard(Notice::Kind::launch);
    REQUIRE(said.size() == before + 1);
    CHECK(said.back() == status.message);
    CHECK(contains(said.back(), "wave"));
    CHECK(said.back().ends_with('.'));
    return said.back();
  }
};

struct Pair {
  float a, b;
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "a launch passes its arguments, its geometry and its stream as they are") {
  OwnStream stream;
  inspector().take_launches();
  CHECK(instance.launch(stream.get(), kX, kY, 2.5f, 1000));
  const fake::Launch launch = only_launch();
  CHECK(launch.kernel == "wave");
  CHECK(launch.stream == stream.get());
  CHECK(launch.context == current_context());
  CHECK(launch.grid == std::array<unsigned, 3>{2, 100, 1});
  CHECK(launch.block == std::array<unsigned, 3>{256, 1, 1});
  CHECK(launch.shared_bytes == 1024);
  REQUIRE(launch.arguments.size() == 4);
  CHECK(argument<const float*>(launch, 0) == kX);
  CHECK(argument<float*>(launch, 1) == kY);
  CHECK(argument<float>(launch, 2) == 2.5f);
  CHECK(argument<int>(launch, 3) == 1000);
  CHECK_FALSE(launch.captured);
}

TEST_CASE_FIXTURE(Fixture, "buffers are passed as typed pointers, void pointers or addresses") {
  const void* const x = kX;
  void* const y = kY;
  const CUdeviceptr address = 0x3000;
  CHECK(instance.launch(nullptr, x, y, 2.f, 1000));
  CHECK(instance.launch(nullptr, address, kY, 2.f, 1000));
  CHECK(instance.launch(nullptr, nullptr, nullptr, 2.f, 1000));
  CHECK(instance.launch(nullptr, kX, kY, 2.f, 1000u));
  const auto launches = inspector().take_launches();
  REQUIRE(launches.size() == 4);
  CHECK(argument<CUdeviceptr>(launches[1], 0) == address);
  CHECK(argument<void*>(launches[2], 0) == nullptr);
}

TEST_CASE_FIXTURE(Fixture, "a wrong number of arguments is refused") {
  CHECK(contains(refused(kX, kY, 2.f), "4 arguments (x, y, factor, columns)"));
  CHECK(contains(refused(kX, kY, 2.f, 1000, 1), "passes 5"));
  CHECK(contains(refused(), "passes 0"));
}

TEST_CASE_FIXTURE(Fixture, "an argument of the wrong kind or size is refused by its name") {
  CHECK(contains(refused(2.f, kY, 2.f, 1000), "`x`"));
  CHECK(contains(refused(kX, 7, 2.f, 1000), "`y`"));
  CHECK(contains(refused(kX, kY, 2.0, 1000), "`factor`"));
  CHECK(contains(refused(kX, kY, 2, 1000), "`factor`"));
  CHECK(contains(refused(kX, kY, kX, 1000), "`factor`"));
  CHECK(contains(refused(kX, kY, 2.f, 1000l), "`columns`"));
  CHECK(contains(refused(kX, kY, 2.f, short{1000}), "`columns`"));
  CHECK(contains(refused(kX, kY, 2.f, 1000.f), "`columns`"));
  CHECK(contains(refused(kX, kY, 2.f, Pair{}), "`columns`"));
}

TEST_CASE_FIXTURE(Fixture, "a pointer to elements of another type is refused") {
  const double* const doubles = nullptr;
  const int* const integers = nullptr;
  const char* const bytes = nullptr;
  const std::uint16_t* const halves = nullptr;
  CHECK(contains(refused(doubles, kY, 2.f, 1000), "`x`"));
  CHECK(contains(refused(integers, kY, 2.f, 1000), "`x`"));
  CHECK(contains(refused(bytes, kY, 2.f, 1000), "`x`"));
  CHECK(contains(refused(kX, halves, 2.f, 1000), "`y`"));
}

TEST_CASE_FIXTURE(Fixture, "a scalar that belongs to the problem must be that of the request, at every launch") {
  CHECK(launch(instance, 1000));
  const std::string sentence = refused(kX, kY, 2.f, 1001);
  CHECK(contains(sentence, "`columns`"));
  CHECK(contains(sentence, "1000"));
  CHECK(launch(instance, 1000));
  CHECK(instance.launch(nullptr, kX, kY, 77.f, 1000));
}

TEST_CASE_FIXTURE(Fixture, "call sites that pass different types to one instance are each checked") {
  for (int i = 0; i < 3; ++i) {
    CHECK(instance.launch(nullptr, kX, kY, 2.f, 1000));
    CHECK(instance.launch(nullptr, kX, kY, 2.f, 1000u));
    CHECK(instance.launch(nullptr, kX, kY, 2.f, 1000.f).code == -1);
    CHECK(instance.launch(nullptr, kX, kY).code == -1);
  }
}

TEST_CASE_FIXTURE(Fixture, "addresses of arguments that are known at run time only are passed on, and counted") {
  float factor = 3;
  int columns = 1000;
  CUdeviceptr x = 0x1000, y = 0x2000;
  void* const addresses[] = {&x, &y, &factor, &columns};
  inspector().take_launches();
  CHECK(instance.launch_untyped(nullptr, addresses));
  CHECK(argument<float>(only_launch(), 2) == 3);
  const LaunchStatus status = instance.launch_untyped(nullptr, std::span(addresses).first(3));
  CHECK(status.code == -1);
  CHECK(contains(std::string(status.message), "passes 3"));
  CHECK(inspector().take_launches().empty());
}

TEST_CASE_FIXTURE(Fixture, "what the driver refuses is its number and a sentence") {
  make_current(nullptr);
  const LaunchStatus status = launch(instance);
  CHECK(status.code == CUDA_ERROR_INVALID_CONTEXT);
  CHECK(contains(std::string(status.message), "wave"));
  CHECK(contains(std::string(status.message), "201"));
}

TEST_CASE_FIXTURE(Machine, "scalars of every size are compared with the problem, in their type") {
  const std::string text = R"(
#pragma tuner kernel(many)
#pragma tuner problem(n: size, ratio: exact = 0.5, flag: exact = 1)
#pragma tuner param(BLOCK, 64, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner out(y, float, n)
#pragma tuner scalar(n, int64) scalar(small, uint8, value n % 256) scalar(mid, int16, value -n) scalar(ratio, double)
#pragma tuner scalar(half_ratio, float, value ratio / 2) scalar(yes, bool, value flag == 1)
extern "C" __global__ void many(float* y, long long n, unsigned char small, short mid, double ratio, float half_ratio, bool yes) {}
)";
  compile({.configuration = "BLOCK=64", .problem = "n=1000", .text = text});
  Runtime runtime(options());
  const Instance& instance = runtime.kernel(Description::from_text(text)).request({1000});
  REQUIRE(instance.rung() == Rung::baseline);
  const auto launch = [&](long long n, unsigned char small, short mid, double ratio, float half, bool yes) {
    return std::string(instance.launch(nullptr, kY, n, small, mid, ratio, half, yes).message);
  };
  CHECK(launch(1000, 232, -1000, 0.5, 0.25f, true) == "");
  CHECK(contains(launch(1001, 232, -1000, 0.5, 0.25f, true), "`n`"));
  CHECK(contains(launch(1000 + (1ll << 32), 232, -1000, 0.5, 0.25f, true), "`n`"));
  CHECK(contains(launch(1000, 233, -1000, 0.5, 0.25f, true), "`small`"));
  CHECK(contains(launch(1000, 232, -999, 0.5, 0.25f, true), "`mid`"));
  CHECK(contains(launch(1000, 232, -1000, 0.6, 0.25f, true), "`ratio`"));
  CHECK(contains(launch(1000, 232, -1000, 0.5, 0.26f, true), "`half_ratio`"));
  CHECK(contains(launch(1000, 232, -1000, 0.5, 0.25f, false), "`yes`"));
}
