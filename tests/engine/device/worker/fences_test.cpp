#include <doctest/doctest.h>

#include <string>

#include "tests/engine/device/worker/worker_support.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

bool says(const DeviceReply& reply, const std::string& words) {
  return reply.message.find(words) != std::string::npos;
}

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
      const WorkerReply lost = worker.ask(screen(behaviour));
      CHECK(to_string(lost.reply.outcome) == to_string(Outcome::illegal_access));
      CHECK(says(lost.reply, "It ended the GPU's context"));
      CHECK(lost.reply.timed_run().samples_ns.empty());
      CHECK(lost.ends);
    }
    TestWorker worker;
    worker.prepare();
    const WorkerReply found = worker.ask(diagnosed(behaviour));
    CAPTURE(found.reply.message);
    CHECK(to_string(found.reply.outcome) == to_string(one.outcome));
    CHECK(says(found.reply, one.words));
    CHECK(found.ends == (one.outcome == Outcome::illegal_access));
    if (found.ends) continue;
    CHECK(worker.ask(screen("right")).reply.outcome == Outcome::ok);
  }
}

TEST_CASE("a right candidate passes its diagnosis and is timed") {
  TestWorker worker;
  worker.prepare();
  const DeviceReply reply = worker.ask(diagnosed("right room=64")).reply;
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK(reply.timed_run().samples_ns.size() == 3);
}

TEST_CASE("in isolation a launch is given the time that isolation grants") {
  TestWorker worker;
  worker.prepare();
  ScreenCandidate request = screen("hangs");
  request.isolation.launch_timeout = std::chrono::milliseconds(30);
  const WorkerReply reply = worker.ask(request);
  CHECK(reply.ends);
  CHECK(reply.reply.outcome == Outcome::run_timeout);
  CHECK(says(reply.reply, "still running after 30 ms"));
}

TEST_CASE("a write into the gap between data and fence is found without losing the worker") {
  PrepareProblem request = problem();
  request.arguments[1].alignment = 256;  // 8000 bytes leave a gap of 192 behind them
  TestWorker worker;
  worker.prepare(request);
  const WorkerReply behind = worker.ask(screen("past_end"));
  CHECK_FALSE(behind.ends);
  CHECK(behind.reply.outcome == Outcome::guard_violation);
  CHECK(says(behind.reply, "guard around 'doubled' (8000 bytes long) changed, the first 0 bytes past its end"));
  // With its end at the fence, 'counts' has a gap in front of it.
  const WorkerReply before = worker.ask(screen("before_start"));
  CHECK_FALSE(before.ends);
  CHECK(before.reply.outcome == Outcome::guard_violation);
  CHECK(says(before.reply, "guard around 'counts' (4000 bytes long) changed, the first 4 bytes before its start"));
  CHECK(worker.ask(screen("right")).reply.outcome == Outcome::ok);
}

TEST_CASE("a reference that reads past a buffer is no reference, and its diagnosis says why") {
  TestWorker worker;
  REQUIRE(worker.ask(problem()).reply.outcome == Outcome::ok);
  RunReference request = reference("reads_past");
  request.isolation.diagnose = true;
  const WorkerReply lost = worker.ask(request);
  CHECK(lost.ends);
  CHECK(says(lost.reply, "It reads past the end of one of its buffers"));
}

TEST_CASE("a candidate that misbehaves only when it is timed is blamed itself, and its samples are dropped") {
  TestWorker worker;
  worker.prepare();
  const WorkerReply reply = worker.ask(screen("input_timed"));
  CHECK(reply.reply.outcome == Outcome::input_modified);
  CHECK(reply.reply.timed_run().samples_ns.empty());
  CHECK_FALSE(reply.ends);
  CHECK(worker.ask(screen("right")).reply.outcome == Outcome::ok);
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
    CHECK(worker.ask(screen("reads_past")).reply.outcome == Outcome::ok);
    CHECK(worker.ask(screen("input")).reply.outcome == Outcome::input_modified);
    CHECK(worker.ask(screen("past_end")).reply.outcome == Outcome::guard_violation);
    CHECK(worker.ask(diagnosed("before_start")).reply.outcome == Outcome::guard_violation);
    CHECK(worker.ask(screen("wrong")).reply.outcome == Outcome::wrong_result);
    CHECK(worker.ask(screen("right")).reply.outcome == Outcome::ok);
  }
}

TEST_CASE("scratch for which there is no fenced memory is checked by guards, and the next candidate has fences again") {
  // Two granules for the input, one each for the outputs and for a little scratch.
  TestWorker worker({"FAKE_DRIVER=fence_memory=" + std::to_string(5 * 65536)});
  CHECK(worker.prepare().result_of<PrepareProblem>().unfenced.empty());
  ScreenCandidate greedy = screen("reads_past_room room=64");
  greedy.candidate.scratch_lengths = {100000};
  CHECK(worker.ask(greedy).reply.outcome == Outcome::ok);
  CHECK(worker.ask(screen("past_end")).ends);
}

TEST_CASE("a kernel that must be deterministic runs three times, and the third may betray it") {
  for (const bool deterministic : {false, true}) {
    CAPTURE(deterministic);
    PrepareProblem request = problem();
    request.arguments[1].rtol = 1e-6;
    request.deterministic = deterministic;
    TestWorker worker;
    worker.prepare(request);
    CHECK(worker.ask(screen("right")).reply.outcome == Outcome::ok);
    const DeviceReply reply = worker.ask(screen("moves")).reply;
    CHECK(to_string(reply.outcome) == to_string(deterministic ? Outcome::nondeterministic : Outcome::ok));
    if (deterministic) CHECK(says(reply, "write different bits to 'doubled'"));
  }
}
