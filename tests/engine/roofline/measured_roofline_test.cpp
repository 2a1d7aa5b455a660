#include "tuner/engine/roofline/measured_roofline.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/engine/session/laboratory.hpp"
#include "tests/support/errors.hpp"

namespace tuner::engine {
namespace {

/// Everything takes 1 ms, but for one launch shape that takes half of it.
Behaviour one_is_best(const std::string& configuration) {
  const bool best = configuration.find("BLOCKDIMX=1024") != std::string::npos;
  return {.time_ns = best ? 5e5 : 1e6};
}

const std::string kMemory = "bytes = 12 * n", kFloats = kMemory + ", flops = 2 * n, type = float",
                  kDoubles = kMemory + ", flops = 2 * n, type = double";

struct RatesBench {
  explicit RatesBench(BehaviourOf behaviour = one_is_best)
      : compile(behaviour), device(known_device("H200"), behaviour) {}

  Roofline measure(const std::string& work, bool reuse = true) {
    device.screened.clear();
    const Task task = make_task({}, kernel_with("bytes = 12 * n", work));
    return measured_roofline(task, reuse, {compile, device, store, nullptr, observer, stop});
  }

  FakeCompileLane compile;
  FakeDeviceLane device;
  cache::MemoryStore store;
  RecordingObserver observer;
  std::atomic<bool> stop = false;
};

TEST_CASE("rates are the work of the fastest launch over its time, of what is asked for") {
  RatesBench bench;
  const Roofline memory = bench.measure(kMemory);
  REQUIRE(memory.bytes_per_s);
  const double bytes = 32.0 * (60 << 20);
  CHECK(*memory.bytes_per_s == doctest::Approx(bytes / 5e-4).epsilon(0.01));
  CHECK_FALSE(memory.flops_per_s);
  const Roofline both = bench.measure(kDoubles);
  REQUIRE(both.flops_per_s);
  CHECK(*both.flops_per_s == doctest::Approx(2.0 * 16 * 1024 * 4 * 132 * 2048 / 5e-4).epsilon(0.01));
  CHECK(both.bytes_per_s == memory.bytes_per_s);
  const Roofline arithmetic = bench.measure("flops = 2 * n, type = double");
  CHECK_FALSE(arithmetic.bytes_per_s);
  CHECK(arithmetic.flops_per_s == both.flops_per_s);
  CHECK(bench.observer.trials.empty());
}

TEST_CASE("rates that are stored are not measured again, until the driver changes") {
  RatesBench bench;
  const Roofline first = bench.measure(kFloats);
  CHECK_FALSE(bench.device.screened.empty());
  const Roofline second = bench.measure(kFloats);
  CHECK(bench.device.screened.empty());
  CHECK(first.bytes_per_s == second.bytes_per_s);
  CHECK(first.flops_per_s == second.flops_per_s);
  CHECK(bench.measure(kDoubles).flops_per_s);
  CHECK_FALSE(bench.device.screened.empty());
  bench.measure(kDoubles, false);
  CHECK_FALSE(bench.device.screened.empty());
}

TEST_CASE("rates that were measured while somebody disturbed the GPU are measured again") {
  RatesBench bench;
  bench.device.other_processes = {"4711 (train)"};
  bench.measure(kMemory);
  bench.measure(kMemory);
  CHECK_FALSE(bench.device.screened.empty());
  bench.device.other_processes.clear();
  bench.measure(kMemory);
  bench.measure(kMemory);
  CHECK(bench.device.screened.empty());
}

TEST_CASE("a user who stops the measurement has no rates, and a GPU that runs none of the kernels is said") {
  RatesBench stopped;
  stopped.stop = true;
  CHECK_FALSE(stopped.measure(kMemory).bytes_per_s);
  RatesBench broken([](const std::string&) { return Behaviour{.run = Outcome::wrong_result}; });
  const std::string said = test::error_of(Errc::device_lost, [&] { broken.measure(kMemory); });
  INFO(said);
  CHECK(said.find("could not be measured with the tuner's kernel roofline_") != std::string::npos);
}

}  // namespace
}  // namespace tuner::engine
