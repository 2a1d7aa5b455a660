#include <doctest/doctest.h>

#include <string>

#include "tests/engine/device/worker/worker_support.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

ScreenCandidate diagnosed(const std::string& behaviour) {
  ScreenCandidate request = screen(behaviour);
  request.isolation.diagnose = true;
  return request;
}

struct Case {
  const char* behaviour;
  Outcome outcome;  ///< once it is diagnosed
  const char* words;
};

}  // namespace

TEST_CASE("what reaches over a fence loses its worker, and the diagnosis in a new one says what it did") {
  const Case cases[] = {
      {"reads_past", Outcome::illegal_access, "It reads past the end of one of its buffers"},
      {"reads_before", Outcome::illegal_access, "It reads before the start of one of its buffers"},
      {"reads_past_room room=64", Outcome::illegal_access, "It reads past the end of one of its buffers"},
      {"rewrites_input", Outcome::illegal_access, "or writes an input's own content back to it"},
      {"input", Outcome::input_modified, "It changes its input 'values'"},
      {"past_end", Outcome::guard_violation,
       "8 bytes of the guard around 'doubled' (8000 bytes long) changed, the first 0 bytes past its end"},
      {"faults", Outcome::illegal_access, "It ended the GPU's context: CUDA_ERROR_ILLEGAL_ADDRESS"},
  };
  for (const Case& one : cases) {
    const std::string behaviour = one.behaviour;
    CAPTURE(behaviour);
    {
      TestWorker worker;
      CHECK(worker.prepare().result_of<PrepareProblem>().unfenced.empty());
      const DeviceReply lost = worker.expect(screen(behaviour), Outcome::illegal_access, "It ended the GPU's context");
      CHECK(lost.timed_run().samples_ns.empty());
      CHECK(worker.ends());
    }
    PreparedWorker worker;
    worker.expect(diagnosed(behaviour), one.outcome, one.words);
    CHECK(worker.ends() == (one.outcome == Outcome::illegal_access));
    if (!worker.ends()) worker.expect(screen("right"), Outcome::ok);
  }
}

TEST_CASE("a right candidate passes its diagnosis and is timed") {
  PreparedWorker worker;
  CHECK(worker.expect(diagnosed("right room=64"), Outcome::ok).timed_run().samples_ns.size() == 3);
}

TEST_CASE("in isolation a launch is given the time that isolation grants") {
  PreparedWorker worker;
  ScreenCandidate request = screen("hangs");
  request.isolation.launch_timeout = std::chrono::milliseconds(30);
  worker.expect(request, Outcome::run_timeout, "still running after 30 ms");
  CHECK(worker.ends());
}

TEST_CASE("a write into the gap between data and fence is found without losing the worker") {
  PrepareProblem request = problem();
  request.arguments[1].alignment = 256;  // 8000 bytes leave a gap of 192 behind them
  PreparedWorker worker(request);
  worker.expect(screen("past_end"), Outcome::guard_violation,
                "guard around 'doubled' (8000 bytes long) changed, the first 0 bytes past its end");
  CHECK_FALSE(worker.ends());
  // With its end at the fence, 'counts' has a gap in front of it.
  worker.expect(screen("before_start"), Outcome::guard_violation,
                "guard around 'counts' (4000 bytes long) changed, the first 4 bytes before its start");
  CHECK_FALSE(worker.ends());
  worker.expect(screen("right"), Outcome::ok);
}

TEST_CASE("a reference that reads past a buffer is no reference, and its diagnosis says why") {
  TestWorker worker;
  worker.expect(problem(), Outcome::ok);
  RunReference request = reference("reads_past");
  request.isolation.diagnose = true;
  CHECK(says(worker.ask(request), "It reads past the end of one of its buffers"));
  CHECK(worker.ends());
}

TEST_CASE("a candidate that misbehaves only when it is timed is blamed itself, and its samples are dropped") {
  PreparedWorker worker;
  CHECK(worker.expect(screen("input_timed"), Outcome::input_modified).timed_run().samples_ns.empty());
  CHECK_FALSE(worker.ends());
  worker.expect(screen("right"), Outcome::ok);
}

TEST_CASE("where memory cannot be mapped, guards do what they can and the preparation says so") {
  const std::pair<const char*, const char*> drivers[] = {
      {"FAKE_DRIVER=no_fences", "The driver has no functions for mapping memory."},
      {"FAKE_DRIVER=fence_memory=200000", "A second set of buffers takes 0.000 GiB, but the device has "},
  };
  for (const auto& [environment, words] : drivers) {
    CAPTURE(environment);
    TestWorker worker({environment});
    const DeviceReply prepared = worker.prepare();
    CAPTURE(prepared.result_of<PrepareProblem>().unfenced);
    CHECK(prepared.result_of<PrepareProblem>().unfenced.find(words) != std::string::npos);
    worker.expect(screen("reads_past"), Outcome::ok);
    worker.expect(screen("input"), Outcome::input_modified);
    worker.expect(screen("past_end"), Outcome::guard_violation);
    worker.expect(diagnosed("before_start"), Outcome::guard_violation);
    worker.expect(screen("wrong"), Outcome::wrong_result);
    worker.expect(screen("right"), Outcome::ok);
  }
}

TEST_CASE("scratch for which there is no fenced memory is checked by guards, and the next candidate has fences again") {
  // Two granules for the input, one each for the outputs and for a little scratch.
  TestWorker worker({"FAKE_DRIVER=fence_memory=" + std::to_string(5 * 65536)});
  CHECK(worker.prepare().result_of<PrepareProblem>().unfenced.empty());
  ScreenCandidate greedy = screen("reads_past_room room=64");
  greedy.candidate.scratch_lengths = {100000};
  worker.expect(greedy, Outcome::ok);
  worker.ask(screen("past_end"));
  CHECK(worker.ends());
}

TEST_CASE("a kernel that must be deterministic runs three times, and the third may betray it") {
  for (const bool deterministic : {false, true}) {
    CAPTURE(deterministic);
    PrepareProblem request = problem();
    request.arguments[1].rtol = 1e-6;
    request.deterministic = deterministic;
    PreparedWorker worker(request);
    worker.expect(screen("right"), Outcome::ok);
    const DeviceReply reply = worker.expect(screen("moves"), deterministic ? Outcome::nondeterministic : Outcome::ok);
    if (deterministic) CHECK(says(reply, "write different bits to 'doubled'"));
  }
}
