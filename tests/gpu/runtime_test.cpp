// The library in a program on a real GPU: what every rung launches computes what it should, in graphs, in several
// contexts and from several threads. Where there is no GPU this is skipped.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "bench/runtime/bare_driver.hpp"
#include "tests/gpu/graphs.hpp"
#include "tests/gpu/run_on_gpu.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/tuner.hpp"

namespace tuner {
namespace {

using bench::bare_driver;
using bench::require;
using namespace test;

// The baseline takes sixty times as many steps as it needs, so that whatever is found is faster by enough. What ran
// writes its number of steps into `mark`, which is scratch and not compared.
constexpr const char* kSource = R"cuda(
extern "C" __global__ void twice(const double* values, double* doubled, int* counts, float* mark, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i == 0) mark[0] = STEPS;
  if (i >= n) return;
  const volatile double* fetched = values + i;
  double value = *fetched;
  for (int step = 1; step < STEPS; ++step) value = (value + *fetched) / 2;
  doubled[i] = 2 * value;
  counts[i] += 1;
}
)cuda";

Description describe() {
  return DescriptionBuilder("twice", kSource)
      .size("n")
      .problem_constraint("1 <= n <= 100000000")
      .parameter("BLOCK", {64, 128, 256, 512}, 128)
      .parameter("STEPS", {1, 60}, 60)
      .grid("ceil_div(n, BLOCK)")
      .block("BLOCK")
      .in("values", "double", "n", "uniform(0, 1)")
      .out("doubled", "double", "n")
      .inout("counts", "int32", "n")
      .scratch("mark", "float", "1")
      .scalar("n", "int32")
      .build();
}

/// What a program has in one context to launch the kernel with.
class Workload {
 public:
  explicit Workload(int n)
      : n_(n),
        values_(bytes<double>()),
        doubled_(bytes<double>()),
        counts_(bytes<int>()),
        mark_(sizeof(float)),
        input_(values_.read<double>(stream_)) {}

  CUstream stream() const { return stream_; }
  LaunchStatus launch(const Instance& instance) const {
    return instance.launch(stream_, values_.as<const double>(), doubled_.as<double>(), counts_.as<int>(),
                           mark_.as<float>(), n_);
  }
  void spoil() const { doubled_.fill(0xff, stream_); }
  bool right() const {
    const auto found = doubled_.read<double>(stream_);
    return std::equal(found.begin(), found.end(), input_.begin(), [](double y, double x) { return y == 2 * x; });
  }
  bool launches_right(const Instance& instance) const {
    spoil();
    const LaunchStatus status = launch(instance);
    INFO(status.message);
    return status && right();
  }
  int steps_taken() const { return static_cast<int>(mark_.read<float>(stream_).front()); }

 private:
  template <class T>
  std::size_t bytes() const {
    return static_cast<std::size_t>(n_) * sizeof(T);
  }

  int n_;
  CUstream stream_ = bench::make_stream();
  bench::Buffer values_, doubled_, counts_, mark_;
  std::vector<double> input_;
};

/// A context of its own beside the primary one, current while it lives.
class OwnContext {
 public:
  OwnContext() {
    CUdevice device = 0;
    require(bare_driver().device(&device, 0), "cuDeviceGet");
    require(find<PFN_cuCtxCreate_v3020>("cuCtxCreate", 3020)(&context_, 0, device), "cuCtxCreate");
  }
  ~OwnContext() { find<PFN_cuCtxDestroy_v4000>("cuCtxDestroy", 4000)(context_); }
  CUcontext get() const { return context_; }

 private:
  CUcontext context_ = nullptr;
};

constexpr std::chrono::minutes kPatience(3);

/// A program with a database of its own, which begins with the primary context of the first GPU.
struct Program {
  TemporaryFolder folder;
  CUcontext primary = bench::use_primary_context();
};

TEST_CASE_FIXTURE(Program, "what nobody has tuned runs with its defaults") {
  const Workload workload(100003);
  Runtime runtime({.database = folder.path()});
  const Instance& instance = runtime.kernel(describe()).request({100003});
  INFO(instance.provenance().why);
  REQUIRE(instance.rung() == Rung::baseline);
  CHECK(workload.launches_right(instance));
  CHECK(workload.steps_taken() == 60);
}

TEST_CASE_FIXTURE(Program, "what was tuned is served to later programs, for its own size and for sizes near by") {
  const Workload workload(100003), nearby(60001), far(1000);
  std::string winner;
  {
    Runtime runtime({.mode = Mode::tune, .database = folder.path(), .tune_limit = kPatience});
    const Instance& instance = runtime.kernel(describe()).request({100003});
    INFO(instance.provenance().why);
    REQUIRE(instance.rung() == Rung::exact);
    CHECK(workload.launches_right(instance));
    CHECK(workload.steps_taken() == 1);
    winner = instance.provenance().configuration;
  }
  Runtime runtime({.database = folder.path()});
  const Kernel kernel = runtime.kernel(describe());
  const Instance& exact = kernel.request({100003});
  CHECK(exact.rung() == Rung::exact);
  CHECK(exact.provenance().configuration == winner);
  CHECK(exact.provenance().decision_id > 0);
  CHECK(workload.launches_right(exact));

  const Instance& near_size = kernel.request({60001});
  INFO(near_size.provenance().why);
  CHECK(near_size.rung() == Rung::near_size);
  CHECK(nearby.launches_right(near_size));
  CHECK(nearby.steps_taken() == 1);

  const Instance& too_far = kernel.request({1000});
  CHECK(too_far.rung() == Rung::baseline);
  CHECK(far.launches_right(too_far));
}

TEST_CASE_FIXTURE(Program, "a graph keeps what it captured when a winner takes over between two launches") {
  const Workload workload(1000003);
  Runtime runtime({.mode = Mode::background, .database = folder.path(), .background_share = 1.0});
  const Instance& instance = runtime.kernel(describe()).request({1000003});
  INFO(instance.provenance().why);
  REQUIRE(instance.rung() == Rung::baseline);

  const CUgraphExec graph = capture_executable(workload.stream(), [&] { REQUIRE(workload.launch(instance)); });

  while (!runtime.wait_for_tuning(std::chrono::milliseconds(20))) REQUIRE(workload.launches_right(instance));
  REQUIRE(instance.rung() == Rung::exact);
  CHECK(workload.launches_right(instance));
  CHECK(workload.steps_taken() == 1);

  workload.spoil();
  replay(graph, workload.stream());
  CHECK(workload.right());
  CHECK(workload.steps_taken() == 60);
}

TEST_CASE_FIXTURE(Program, "a request during a capture compiles nothing and leaves the capture whole") {
  const Workload workload(100003);
  Runtime runtime({.database = folder.path()});
  const Kernel kernel = runtime.kernel(describe());
  const CUgraph graph = capture(workload.stream(), [&] {
    CHECK_FALSE(workload.launch(kernel.request({100003}, {.stream = workload.stream()})));
  });
  REQUIRE(graph != nullptr);
  const Instance& afterwards = kernel.request({100003});
  INFO(afterwards.provenance().why);
  CHECK(workload.launches_right(afterwards));
}

TEST_CASE_FIXTURE(Program, "every context has an instance of its own, and a named device needs none to be current") {
  const OwnContext own;  // lives longer than the Runtime
  Runtime runtime({.database = folder.path()});
  const Kernel kernel = runtime.kernel(describe());
  for (const CUcontext context : {primary, own.get(), primary}) {
    require(bare_driver().set_context(context), "cuCtxSetCurrent");
    const Workload workload(5003);
    const Instance& instance = kernel.request({5003});
    INFO(instance.provenance().why);
    CHECK(workload.launches_right(instance));
  }
  require(bare_driver().set_context(primary), "cuCtxSetCurrent");
  const Instance* const in_primary = &kernel.request({5003});
  require(bare_driver().set_context(own.get()), "cuCtxSetCurrent");
  CHECK(&kernel.request({5003}) != in_primary);

  require(bare_driver().set_context(nullptr), "cuCtxSetCurrent");
  Runtime named({.device = 0, .database = folder.path()});
  const Instance& instance = named.kernel(describe()).request({5003});
  bench::use_primary_context();
  const Workload workload(5003);
  CHECK(workload.launches_right(instance));
}

TEST_CASE_FIXTURE(Program, "threads ask and launch at once, each on a stream of its own") {
  Runtime runtime({.database = folder.path()});
  const Kernel kernel = runtime.kernel(describe());
  std::vector<int> wrong(2);
  std::vector<std::thread> threads;
  for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
    threads.emplace_back([&, thread] {
      require(bare_driver().set_context(primary), "cuCtxSetCurrent");
      for (const int n : {1000, 1001, 2003, 4001}) {
        const Workload workload(n);
        for (int i = 0; i < 100; ++i) {
          if (!workload.launches_right(kernel.request({n}))) ++wrong[thread];
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>{0, 0});
}

constexpr const char* kAddingWeights = R"cuda(
namespace inner { __constant__ long long weights[8]; }
extern "C" __global__ void weigh(long long* y, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n) y[i] = inner::weights[i % 8] + i;
}
)cuda";

TEST_CASE_FIXTURE(Program, "constant memory holds what each launch passes for it, in graphs too") {
  constexpr int kLength = 10007;
  const CUstream stream = bench::make_stream();
  const bench::Buffer ones(64), twos(64), y(kLength * sizeof(long long));
  ones.fill(0x11, stream);
  twos.fill(0x22, stream);
  const auto right = [&](long long weight) {
    const auto found = y.read<long long>(stream);
    for (int i = 0; i < kLength; ++i) {
      if (found[static_cast<std::size_t>(i)] != weight + i) return false;
    }
    return true;
  };
  Runtime runtime({.database = folder.path()});
  const Description description = DescriptionBuilder("weigh", kAddingWeights)
                                      .size("n")
                                      .parameter("BLOCK", {64, 128}, 128)
                                      .grid("ceil_div(n, BLOCK)")
                                      .block("BLOCK")
                                      .constant_array("weights", "int64", "8")
                                      .out("y", "int64", "n")
                                      .scalar("n", "int32")
                                      .build();
  const Instance& instance = runtime.kernel(description).request({kLength}, {.stream = stream});
  INFO(instance.provenance().why);
  REQUIRE(instance.rung() == Rung::baseline);
  const auto launch = [&](const bench::Buffer& weights) {
    const LaunchStatus status = instance.launch(stream, weights.as<const long long>(), y.as<long long>(), kLength);
    REQUIRE_MESSAGE(status, status.message);
  };
  launch(ones);
  CHECK(right(0x1111111111111111));
  launch(twos);
  CHECK(right(0x2222222222222222));
  const CUgraphExec graph = capture_executable(stream, [&] { launch(twos); });
  launch(ones);
  CHECK(right(0x1111111111111111));
  replay(graph, stream);
  CHECK(right(0x2222222222222222));
}

}  // namespace
}  // namespace tuner

int main(int argc, char** argv) {
  return tuner::test::run_on_gpu(argc, argv, [] { tuner::bench::bare_driver(); });
}
