// What a request may do, as the program and the environment say.
#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("in mode off the baseline serves, whatever is stored") {
  Machine machine;
  machine.tuned();
  Runtime runtime(machine.options(Mode::off));
  CHECK(runtime.mode() == Mode::off);
  const Instance& instance = runtime.kernel(wave()).request({100, 1000});
  CHECK(instance.rung() == Rung::baseline);
  CHECK(contains(instance.provenance().why, "off"));
  CHECK(launched(instance) == kBaseline);
}

TEST_CASE("TUNER_MODE replaces what the program says") {
  Machine machine;
  machine.tuned();
  for (const auto& [text, mode, rung] :
       std::initializer_list<std::tuple<const char*, Mode, Rung>>{{"off", Mode::off, Rung::baseline},
                                                                  {"cache", Mode::cache, Rung::exact},
                                                                  {"background", Mode::background, Rung::exact},
                                                                  {"tune", Mode::tune, Rung::exact},
                                                                  {"", Mode::cache, Rung::exact}}) {
    const Variable told("TUNER_MODE", text);
    Runtime runtime(machine.options());
    INFO(text);
    CHECK(runtime.mode() == mode);
    CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == rung);
  }
  CHECK(machine.notices().empty());
}

TEST_CASE("a TUNER_MODE that does not exist is said and ignored") {
  Machine machine;
  machine.tuned();
  const Variable told("TUNER_MODE", "fastest");
  Runtime runtime(machine.options());
  CHECK(runtime.mode() == Mode::cache);
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::exact);
  const std::vector<Notice> notices = machine.notices();
  REQUIRE(notices.size() == 1);
  CHECK(contains(notices[0].sentence, "fastest"));
  CHECK(contains(notices[0].sentence, "background"));
}

TEST_CASE("never_tune is stronger than both") {
  Machine machine;
  machine.compile({.configuration = kBaseline});
  for (const char* told : {"", "background", "tune"}) {
    const Variable variable("TUNER_MODE", told);
    RuntimeOptions options = machine.options(Mode::tune);
    options.never_tune = true;
    Runtime runtime(options);
    CHECK(runtime.mode() == Mode::cache);
    CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::baseline);
    CHECK(runtime.wait_for_tuning(std::chrono::milliseconds(0)));
  }
  CHECK(machine.notices().empty());
  const Variable off("TUNER_MODE", "off");
  RuntimeOptions options = machine.options(Mode::tune);
  options.never_tune = true;
  CHECK(Runtime(options).mode() == Mode::off);
}

TEST_CASE("with exact_only nothing but the exact decision or the fallback serves") {
  Machine machine;
  machine.tuned();
  machine.compile({.configuration = kBaseline, .problem = "rows=9000,columns=1000"});
  RuntimeOptions options = machine.options();
  options.exact_only = true;
  Runtime runtime(options);
  const Kernel kernel = runtime.kernel(wave());
  CHECK(kernel.request({100, 1000}).rung() == Rung::exact);
  const Instance& near = kernel.request({101, 1000});
  CHECK(near.rung() == Rung::unrunnable);
  CHECK(contains(near.provenance().why, "rows=101"));
  CHECK(kernel.request({9000, 1000}).rung() == Rung::unrunnable);
  const Kernel careful = runtime.kernel(wave(), {.fallback = [](Stream, std::span<void* const>) { return 0; }});
  CHECK(careful.request({101, 1000}).rung() == Rung::fallback);
  CHECK(careful.request({100, 1000}).rung() == Rung::exact);
}

TEST_CASE("where the engine cannot be started, a mode that tunes serves what there is and says why") {
  for (const Mode mode : {Mode::background, Mode::tune}) {
    Machine machine;
    machine.compile({.configuration = kBaseline});
    RuntimeOptions options = machine.options(mode);
    options.tune_limit = std::chrono::milliseconds(2000);
    Runtime runtime(options);
    const Instance& instance = runtime.kernel(wave()).request({100, 1000});
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::baseline);
    CHECK(runtime.wait_for_tuning(std::chrono::seconds(30)));
    CHECK_FALSE(instance.provenance().tuning);
    CHECK(launched(instance) == kBaseline);
    bool said = false;
    for (const Notice& notice : machine.notices()) said = said || contains(notice.sentence, "tuner-engine");
    CHECK(said);
  }
}

TEST_CASE("an exact decision is served without an engine in every mode, and nothing is tuned") {
  for (const Mode mode : {Mode::cache, Mode::background, Mode::tune}) {
    Machine machine;
    machine.tuned();
    Runtime runtime(machine.options(mode));
    CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::exact);
    CHECK(runtime.wait_for_tuning(std::chrono::milliseconds(0)));
    CHECK(machine.notices().empty());
  }
}

TEST_CASE("background tuning is declined where its buffers are a large part of the memory that is free") {
  Machine machine;
  // 80000 * 900 floats in and out are 549 MiB of the 1 GiB that there is.
  machine.compile({.configuration = kBaseline, .problem = "rows=80000,columns=900"});
  Runtime runtime(machine.options(Mode::background));
  const Instance& instance = runtime.kernel(wave()).request({80000, 900});
  INFO(instance.provenance().why);
  CHECK(instance.rung() == Rung::baseline);
  CHECK(contains(instance.provenance().why, "549 MiB"));
  CHECK_FALSE(instance.provenance().tuning);
  const auto said = machine.heard(Notice::Kind::tuning);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "549 MiB"));
}

TEST_CASE("tuning is declined where the GPU is shared through MPS") {
  Machine machine;
  machine.compile({.configuration = kBaseline});
  cache::test::write_bytes(machine.folder() / "control", "");
  const Variable mps("CUDA_MPS_PIPE_DIRECTORY", machine.folder().string());
  for (const Mode mode : {Mode::background, Mode::tune}) {
    Runtime runtime(machine.options(mode));
    const Instance& instance = runtime.kernel(wave()).request({100, 1000});
    CHECK(instance.rung() == Rung::baseline);
    CHECK(contains(instance.provenance().why, "MPS"));
  }
}
