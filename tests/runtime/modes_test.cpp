// What a request may do, as the program and the environment say.
#include <algorithm>

#include "tests/runtime/machine.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("in mode off the baseline serves, whatever is stored") {
  Program program({.mode = Mode::off});
  CHECK(program.runtime.mode() == Mode::off);
  check_baseline_serves(program.tuned_instance(), "off");
}

TEST_CASE_FIXTURE(Machine, "TUNER_MODE replaces what the program says") {
  tuned();
  for (const auto& [text, mode, rung] :
       std::initializer_list<std::tuple<const char*, Mode, Rung>>{{"off", Mode::off, Rung::baseline},
                                                                  {"cache", Mode::cache, Rung::exact},
                                                                  {"background", Mode::background, Rung::exact},
                                                                  {"tune", Mode::tune, Rung::exact},
                                                                  {"", Mode::cache, Rung::exact}}) {
    const Variable told("TUNER_MODE", text);
    Runtime runtime(options());
    INFO(text);
    CHECK(runtime.mode() == mode);
    CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == rung);
  }
  CHECK(notices().empty());
}

TEST_CASE_FIXTURE(Machine, "a TUNER_MODE that does not exist is said and ignored") {
  tuned();
  const Variable told("TUNER_MODE", "fastest");
  Runtime runtime(options());
  CHECK(runtime.mode() == Mode::cache);
  CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::exact);
  const std::vector<Notice> said = notices();
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0].sentence, "fastest"));
  CHECK(contains(said[0].sentence, "background"));
}

TEST_CASE_FIXTURE(Machine, "never_tune is stronger than both") {
  compile({.configuration = kBaseline});
  for (const char* told : {"", "background", "tune"}) {
    const Variable variable("TUNER_MODE", told);
    Runtime runtime(options({.mode = Mode::tune, .never_tune = true}));
    CHECK(runtime.mode() == Mode::cache);
    CHECK(runtime.kernel(wave()).request({100, 1000}).rung() == Rung::baseline);
    CHECK(runtime.wait_for_tuning(std::chrono::milliseconds(0)));
  }
  CHECK(notices().empty());
  const Variable off("TUNER_MODE", "off");
  CHECK(Runtime(options({.mode = Mode::tune, .never_tune = true})).mode() == Mode::off);
}

TEST_CASE("with exact_only nothing but the exact decision or the fallback serves") {
  Program program({.exact_only = true});
  program.compile({.configuration = kBaseline, .problem = "rows=9000,columns=1000"});
  CHECK(program.tuned_instance().rung() == Rung::exact);
  const Instance& near = program.request({101, 1000});
  CHECK(near.rung() == Rung::unrunnable);
  CHECK(contains(near.provenance().why, "rows=101"));
  CHECK(program.request({9000, 1000}).rung() == Rung::unrunnable);
  const auto fallback = [](Stream, std::span<void* const>) { return 0; };
  const Kernel careful = program.runtime.kernel(wave(), {.fallback = fallback});
  CHECK(careful.request({101, 1000}).rung() == Rung::fallback);
  CHECK(careful.request({100, 1000}).rung() == Rung::exact);
}

TEST_CASE("where the engine cannot be started, a mode that tunes serves what there is and says why") {
  for (const Mode mode : {Mode::background, Mode::tune}) {
    Program program({.mode = mode, .tune_limit = std::chrono::milliseconds(2000)});
    program.compile({.configuration = kBaseline});
    const Instance& instance = program.request();
    INFO(instance.provenance().why);
    CHECK(instance.rung() == Rung::baseline);
    CHECK(program.runtime.wait_for_tuning(std::chrono::seconds(30)));
    CHECK_FALSE(instance.provenance().tuning);
    CHECK(launched(instance) == kBaseline);
    CHECK(std::ranges::any_of(program.notices(),
                              [](const Notice& notice) { return contains(notice.sentence, "tuner-engine"); }));
  }
}

TEST_CASE("an exact decision is served without an engine in every mode, and nothing is tuned") {
  for (const Mode mode : {Mode::cache, Mode::background, Mode::tune}) {
    Program program({.mode = mode});
    CHECK(program.tuned_instance().rung() == Rung::exact);
    CHECK(program.runtime.wait_for_tuning(std::chrono::milliseconds(0)));
    CHECK(program.notices().empty());
  }
}

TEST_CASE("background tuning is declined where its buffers are a large part of the memory that is free") {
  Program program({.mode = Mode::background});
  // 64000 * 1125 floats in and out are 549 MiB of the 1 GiB that there is.
  program.compile({.configuration = kBaseline, .problem = "rows=64000,columns=1125"});
  const Instance& instance = program.request({64000, 1125});
  check_baseline_serves(instance, "549 MiB", 1125);
  CHECK_FALSE(instance.provenance().tuning);
  const auto said = program.heard(Notice::Kind::tuning);
  REQUIRE(said.size() == 1);
  CHECK(contains(said[0], "549 MiB"));
}

TEST_CASE_FIXTURE(Machine, "tuning is declined where the GPU is shared through MPS") {
  compile({.configuration = kBaseline});
  cache::test::write_bytes(folder() / "control", "");
  const Variable mps("CUDA_MPS_PIPE_DIRECTORY", folder().string());
  for (const Mode mode : {Mode::background, Mode::tune}) {
    Runtime runtime(options(mode));
    check_baseline_serves(runtime.kernel(wave()).request({100, 1000}), "MPS");
  }
}
