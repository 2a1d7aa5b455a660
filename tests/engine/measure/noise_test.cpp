#include "tuner/engine/measure/noise.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "tests/engine/measure/noise_model.hpp"

namespace tuner::engine {
namespace {

Noise noise_of(double spread, int candidates = 100) {
  SimulatedGpu gpu({.spread = spread, .drift = 0, .throttle = 0}, 7);
  Noise noise;
  for (int i = 0; i < candidates; ++i) {
    const double time_ns = 1000 * (1 + gpu.uniform());
    noise.add(std::vector{gpu.sample(time_ns), gpu.sample(time_ns)});
  }
  return noise;
}

TEST_CASE("while little is known a session reckons with much noise") {
  Noise noise;
  CHECK(noise.spread() == 0.1);
  noise.add(std::vector{100.0, 100.1, 100.0});
  noise.add(std::vector{100.0});  // says nothing
  CHECK(noise.spread() == 0.1);
}

TEST_CASE("the reference's samples alone make a start") {
  Noise noise;
  noise.add(std::vector{103.0, 100.1, 100.0, 100.2, 100.1, 100.2, 100.0});
  CHECK(noise.spread() < 0.002);
  CHECK(Noise::reference_policy(true).samples == 7);
}

TEST_CASE("the spread of single samples is found, whatever their candidates take, outliers among them") {
  CHECK(noise_of(0.002).spread() == doctest::Approx(0.002).epsilon(0.25));
  CHECK(noise_of(0.1).spread() == doctest::Approx(0.1).epsilon(0.25));
}

TEST_CASE("first samples that are longer than the others by a per cent or two are no noise") {
  SimulatedGpu gpu({.spread = 0.002, .drift = 0, .throttle = 0}, 7);
  Noise noise;
  for (int i = 0; i < 100; ++i) noise.add(std::vector{gpu.sample(1020), gpu.sample(1000), gpu.sample(1000)});
  CHECK(noise.spread() == doctest::Approx(0.002).epsilon(0.25));
}

TEST_CASE("a fast first sample is believed, a doubtful one gets a second, a hopeless one none") {
  for (const double spread : {0.002, 0.03}) {
    const Noise noise = noise_of(spread);
    const ScreenPolicy policy = noise.screen_policy(true, 200e3);
    CHECK(policy.samples == 2);
    CHECK(policy.enough_after_first > 1.02);
    CHECK(policy.enough_after_first < policy.kill_after_second);
    CHECK(policy.kill_after_second < policy.kill_after_first);
  }
}

TEST_CASE("a disturbance of some microseconds is much to a short kernel, and nothing to a long one") {
  const Noise noise = noise_of(0.002);
  CHECK(noise.screen_policy(true, 8e3).kill_after_first > 1.25);
  CHECK(noise.screen_policy(true, 5e6).kill_after_first < 1.08);
}

TEST_CASE("the more noise, the more enter the race") {
  CHECK(noise_of(0.1).finalist_policy().within > 0.2);
  CHECK(noise_of(0.002).finalist_policy().within < 0.06);
}

TEST_CASE("what GPUs disagree on widens the band of who enters the race, and of who is not killed") {
  Noise noise = noise_of(0.002);
  const double alone = noise.finalist_policy().within;
  noise.set_disagreement(0.04);
  CHECK(noise.finalist_policy().within == doctest::Approx(alone + 0.04));
  CHECK(noise.screen_policy(true, 5e6).kill_after_second == doctest::Approx(1 + alone + 0.04));
}

TEST_CASE("nobody is killed who would have entered the race") {
  for (const double spread : {0.001, 0.01, 0.03, 0.1}) {
    const Noise noise = noise_of(spread);
    CHECK(noise.screen_policy(true, 200e3).kill_after_second >= 1 + noise.finalist_policy().within);
    CHECK(noise.screen_policy(true, 200e3).kill_after_first >= noise.screen_policy(true, 200e3).kill_after_second);
  }
}

TEST_CASE("without early kill everybody gets the same samples, as recordings want") {
  const ScreenPolicy policy = noise_of(0.002).screen_policy(false, 200e3);
  CHECK(policy.samples == ScreenPolicy{}.samples);
  CHECK_FALSE(policy.early_kill);
  CHECK(Noise::reference_policy(false).samples == ScreenPolicy{}.samples);
}

TEST_CASE("short kernels are launched several times a sample, longer ones once") {
  CHECK(launches_per_sample(1e3) == 16);
  CHECK(launches_per_sample(4e3) == 5);
  CHECK(launches_per_sample(8e3) == 1);
  CHECK(launches_per_sample(5e6) == 1);
}

}  // namespace
}  // namespace tuner::engine
