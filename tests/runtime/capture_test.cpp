// Requests and launches while a stream is captured into a graph.
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("a binary that is stored is loaded without spoiling a capture, and the launch goes into the graph") {
  for (const CUstreamCaptureMode mode : kCaptureModes) {
    Program program;
    program.tuned();
    OwnContext own;
    OwnStream stream;
    inspector().take_launches();
    stream.begin_capture(mode);
    const Instance& instance = program.request({100, 1000}, {.stream = stream.get()});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::exact);
    CHECK(launch(instance, 1000, stream.get()));
    const CUgraph graph = stream.end_capture();
    REQUIRE(graph != nullptr);
    CHECK(inspector().take_launches().empty());
    CHECK(inspector().replay(graph) == CUDA_SUCCESS);
    const fake::Launch launched = only_launch();
    CHECK(launched.captured);
    CHECK(contains(launched.instructions, Stored{}.configuration));
  }
}

TEST_CASE("while a graph is captured nothing is compiled, and later requests are not bound by that") {
  for (const unsigned flags : {unsigned{CU_STREAM_NON_BLOCKING}, unsigned{CU_STREAM_DEFAULT}}) {
    Program program;
    program.decide({});
    OwnContext own;
    OwnStream stream(flags);
    stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
    // What is captured on a blocking stream is noticed without being named.
    const bool named = flags == CU_STREAM_NON_BLOCKING;
    const Instance& instance = program.request({100, 1000}, {.stream = named ? stream.get() : nullptr});
    CHECK(instance.rung() == Rung::unrunnable);
    CHECK(contains(instance.provenance().why, "captured"));
    // Nobody tried to start an engine.
    CHECK(program.heard(Notice::Kind::engine).empty());
    CHECK(stream.end_capture() != nullptr);
    program.compile({});
    const Instance& later = program.request({100, 1000}, {.stream = stream.get()});
    CHECK(&later == &instance);  // who holds it has it, too
    CHECK(later.rung() == Rung::exact);
  }
}

TEST_CASE("a lower rung whose binary is there serves while a graph is captured, and stays no longer than that") {
  Program program;
  program.decide({});
  program.compile({.configuration = kBaseline});
  OwnContext own;
  OwnStream stream;
  stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  const Instance& captured = program.request({100, 1000}, {.stream = stream.get()});
  CHECK(captured.rung() == Rung::baseline);
  CHECK(launch(captured, 1000, stream.get()));
  const CUgraph graph = stream.end_capture();
  REQUIRE(graph != nullptr);
  program.compile({});
  CHECK(program.request().rung() == Rung::exact);
  CHECK(inspector().replay(graph) == CUDA_SUCCESS);
}

TEST_CASE("an instance that is there is found while a graph is captured") {
  Program program({.mode = Mode::background});
  program.tuned();
  OwnContext own;
  OwnStream stream;
  const Instance& before = program.request();
  stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
  CHECK(&program.request({100, 1000}, {.stream = stream.get()}) == &before);
  CHECK(launch(before, 1000, stream.get()));
  CHECK(stream.end_capture() != nullptr);
}

TEST_CASE("nothing is tuned for a request that comes while a graph is captured") {
  for (const Mode mode : {Mode::background, Mode::tune}) {
    Program program({.mode = mode});
    program.compile({.configuration = kBaseline});
    OwnContext own;
    OwnStream stream;
    stream.begin_capture(CU_STREAM_CAPTURE_MODE_GLOBAL);
    const Instance& instance = program.request({100, 1000}, {.stream = stream.get()});
    CHECK(instance.rung() == Rung::baseline);
    CHECK_FALSE(instance.provenance().tuning);
    CHECK(program.notices().empty());
    CHECK(stream.end_capture() != nullptr);
  }
}
