// A machine without a GPU, or without a driver: TUNER_DRIVER and FAKE_DRIVER say which.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tuner/tuner.hpp"

using namespace tuner;

namespace {

const char* const kText = R"(
#pragma tuner kernel(scale)
#pragma tuner problem(n: size)
#pragma tuner param(BLOCK, 64, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
extern "C" __global__ void scale(const float* x, float* y, int n) {}
)";

LaunchStatus launch(const Instance& instance) {
  const float* const x = nullptr;
  float* const y = nullptr;
  return instance.launch(nullptr, x, y, 1000);
}

}  // namespace

TEST_CASE("a program starts, asks in any mode, and is told why nothing can be launched") {
  for (const Mode mode : {Mode::off, Mode::cache, Mode::background, Mode::tune}) {
    std::vector<std::string> notices;
    Runtime runtime({.mode = mode, .observer = [&](const Notice& notice) { notices.push_back(notice.sentence); }});
    const Kernel kernel = runtime.kernel(Description::from_text(kText));
    const Instance& instance = kernel.request({1000});
    const Provenance provenance = instance.provenance();
    CHECK(provenance.rung == Rung::unrunnable);
    CHECK_FALSE(instance.runnable());
    INFO(provenance.why);
    CHECK(provenance.why.find("driver") != std::string::npos);
    CHECK(provenance.why.find(std::getenv("EXPECTED_WORD")) != std::string::npos);
    const LaunchStatus status = launch(instance);
    CHECK(status.code == -1);
    CHECK(status.message == provenance.why);
    CHECK(instance.shape().function == nullptr);
    CHECK(kernel.request({2000}).rung() == Rung::unrunnable);
    CHECK(&kernel.request({1000}) == &instance);
    CHECK(runtime.wait_for_tuning(std::chrono::milliseconds(0)));
    // The only thing to tell is that the launch did not happen.
    CHECK(notices.size() == 1);
  }
}

TEST_CASE("the caller's fallback is what runs there") {
  Runtime runtime;
  int calls = 0;
  const Kernel kernel = runtime.kernel(Description::from_text(kText), {.fallback = [&](Stream, std::span<void* const>) {
                                         ++calls;
                                         return 0;
                                       }});
  const Instance& instance = kernel.request({1000});
  CHECK(instance.rung() == Rung::fallback);
  CHECK(instance.runnable());
  CHECK(launch(instance));
  CHECK(calls == 1);
}

TEST_CASE("an observer is told one line, whatever stands in a variable") {
  std::vector<std::string> notices;
  setenv("TUNER_MODE", "cache\nok   forged", 1);
  const Runtime runtime({.observer = [&](const Notice& notice) { notices.push_back(notice.sentence); }});
  unsetenv("TUNER_MODE");
  REQUIRE_FALSE(notices.empty());
  CHECK(notices.front().find("cache\\x0aok   forged") != std::string::npos);
  CHECK(notices.front().find('\n') == std::string::npos);
}
