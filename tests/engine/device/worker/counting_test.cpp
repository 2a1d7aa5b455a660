// Counting over the fake driver, which CUPTI does not know: what is seen is how the worker does without.
#include <doctest/doctest.h>

#include "tests/engine/device/worker/worker_support.hpp"
#include "tuner/core/counters/counters.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

CountCandidate count(const std::string& behaviour) {
  return {candidate(behaviour), {counter_names().begin(), counter_names().end()}};
}

/// A worker that has no reference, which counting does not need.
class CountingWorker : public TestWorker {
 public:
  explicit CountingWorker(std::vector<std::string> environment = {}) : TestWorker(std::move(environment)) {
    expect(problem(std::chrono::milliseconds(200)), Outcome::ok);
  }
  CountResult count_right() {
    const DeviceReply reply = expect(count("right"), Outcome::ok);
    CHECK(reply.message.empty());
    CHECK_FALSE(ends());
    return reply.result_of<CountCandidate>();
  }
};

}  // namespace

TEST_CASE("where counters cannot be read the reply says why in a sentence, and the worker goes on") {
  CountingWorker worker;
  for (int i = 0; i < 2; ++i) {
    const CountResult result = worker.count_right();
    CHECK(result.refused.starts_with("Hardware counters "));
    CHECK(result.refused.ends_with("."));
    CHECK(result.counters.empty());
    CHECK(result.passes == 0);
  }
  worker.expect(reference(), Outcome::ok);
  worker.expect(screen("right"), Outcome::ok);
}

TEST_CASE("a library that is not there is named, and how to name another") {
  CountingWorker worker({"TUNER_CUPTI=/no/such/libcupti.so"});
  const std::string refused = worker.count_right().refused;
  CHECK(refused.find("TUNER_CUPTI") != std::string::npos);
  if (refused.find("built with a CUDA toolkit without CUPTI") == std::string::npos)
    CHECK(refused.find("(looked for /no/such/libcupti.so)") != std::string::npos);
}

TEST_CASE("what is no CUPTI at all is said to be none") {
  CountingWorker worker({std::string("TUNER_CUPTI=") + std::getenv("TUNER_DRIVER")});
  const std::string refused = worker.count_right().refused;
  const bool is_without = refused.find("built with a CUDA toolkit without CUPTI") != std::string::npos;
  CHECK((is_without || refused.find(" has no function cupti") != std::string::npos));
}

TEST_CASE("a candidate that cannot be counted fails as it does when it is timed") {
  {
    CountingWorker worker;
    const DeviceReply reply = worker.expect(count("faults"), Outcome::illegal_access, "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK(worker.ends());
    CHECK(reply.result_of<CountCandidate>().refused.empty());
  }
  CountingWorker worker;
  CountCandidate mute = count("right");
  mute.candidate.cubin.kernel = "another";
  mute.candidate.parameters.pop_back();
  worker.expect(mute, Outcome::launch_refused, "5 arguments are described");
  worker.expect(count("hangs"), Outcome::run_timeout, "still running after 200 ms");
  CHECK(worker.ends());
}
