// Who is believed after one failure, and who is asked again.
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/device/worker/cuda.hpp"
#include "tuner/error.hpp"
#include "tuner/process/worker_program.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

bool says(const DeviceReply& reply, const std::string& words) {
  return reply.message.find(words) != std::string::npos;
}

/// By which the fake driver's processes know what was loaded before.
class Journal {
 public:
  ~Journal() { std::filesystem::remove(file_); }
  DeviceLaneOptions options() const { return {.environment = {"FAKE_DRIVER_JOURNAL=" + file_.string()}}; }

 private:
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("tuner-second-runs-" + std::to_string(getpid()));
};

/// A worker program that can be made one that cannot be started.
class LockedProgram {
 public:
  LockedProgram() {
    std::ofstream(path_) << "#!/bin/sh\nexec " << shell_word(find_worker_program().string()) << " \"$@\"\n";
    unlock();
  }
  ~LockedProgram() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }
  void lock() const { std::filesystem::permissions(path_, std::filesystem::perms::owner_read); }
  void unlock() const { std::filesystem::permissions(path_, std::filesystem::perms::owner_all); }

 private:
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("tuner-locked-worker-" + std::to_string(getpid()));
};

/// Leaves a worker that has run nothing but the reference.
void make_fresh(TestLane& test) {
  REQUIRE(test.ask(screen("faults")).outcome == Outcome::illegal_access);
}

}  // namespace

TEST_CASE("a reference is not blamed for the first worker that is lost over it") {
  const Journal journal;
  TestLane test(journal.options());
  REQUIRE(test.ask(problem()).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(reference("first_error_700"));
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK_FALSE(reply.confirmed);
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().innocent == 1);
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
}

TEST_CASE("an error that may be the GPU's is not held against a candidate after one look, in a fresh worker either") {
  for (const char* error : {"first_error_214", "first_error_220", "first_error_226", "first_error_999",
                            "first_error_46", "first_error_802"}) {
    CAPTURE(error);
    const Journal journal;
    TestLane test(journal.options());
    test.prepare();
    make_fresh(test);
    const DeviceReply reply = test.ask(screen(error));
    CHECK(reply.outcome == Outcome::ok);
    CHECK(test.lane.statistics().innocent == 1);
    CHECK(test.lane.statistics().losses.size() == 3);
  }
}

TEST_CASE("an error that may be the GPU's is reported as that where it comes twice") {
  TestLane test;
  test.prepare();
  make_fresh(test);
  const DeviceReply reply = test.ask(screen("error_214"));
  CHECK(reply.outcome == Outcome::worker_lost);
  CHECK(reply.confirmed);
  CHECK(says(reply, "(214: as the test wanted). The cause may be the GPU rather than the kernel."));
  CHECK(test.lane.statistics().losses.size() == 4);
}

TEST_CASE("an error that only a kernel can cause is believed at once in a fresh worker") {
  TestLane test;
  test.prepare();
  make_fresh(test);
  for (const char* error : {"error_700", "error_710", "error_715", "error_719"}) {
    CAPTURE(error);
    const std::size_t before = test.lane.statistics().losses.size();
    const DeviceReply reply = test.ask(screen(error));
    CHECK(reply.outcome == Outcome::illegal_access);
    CHECK(reply.confirmed);
    CHECK(test.lane.statistics().losses.size() == before + 1);
  }
}

TEST_CASE("a block over which the GPU may have failed is run again") {
  const Journal journal;
  TestLane test(journal.options());
  test.prepare();
  REQUIRE(test.ask(LoadFinalists{{candidate("right"), candidate("first_error_214")}}).outcome == Outcome::ok);
  const DeviceReply reply = test.ask(RunBlock{{0, 1}});
  INFO(reply.message);
  CHECK(reply.outcome == Outcome::ok);
  CHECK(reply.result_of<RunBlock>().samples_ns.size() == 2);
}

TEST_CASE("errors are a kernel's doing or end the context for another reason, and most are neither") {
  for (const int result : {700, 702, 710, 714, 715, 716, 717, 718, 719, 721})
    CHECK((is_a_kernels_doing(static_cast<CUresult>(result)) && is_sticky(static_cast<CUresult>(result))));
  for (const int result : {46, 214, 220, 226, 709, 802, 999})
    CHECK((!is_a_kernels_doing(static_cast<CUresult>(result)) && is_sticky(static_cast<CUresult>(result))));
  for (const int result : {0, 1, 2, 200, 600, 701})
    CHECK((!is_a_kernels_doing(static_cast<CUresult>(result)) && !is_sticky(static_cast<CUresult>(result))));
}

TEST_CASE("a worker that cannot be started for a moment costs no request") {
  const LockedProgram program;
  TestLane test({.spares = 0, .program = program.path()});
  test.prepare();
  program.lock();
  test.lane.submit(1, screen("faults"));
  test.wait_until([&] { return test.lane.statistics().losses.size() == 1; });
  CHECK(test.lane.worker_pid() == -1);
  program.unlock();
  const DeviceReply reply = test.wait_for(1);
  CHECK(reply.outcome == Outcome::illegal_access);
  CHECK(reply.confirmed);
  CHECK(test.ask(screen("right")).outcome == Outcome::ok);
}

TEST_CASE("three workers in a row that cannot even be started lose the device") {
  const LockedProgram program;
  TestLane test({.spares = 0, .program = program.path()});
  test.prepare();
  program.lock();
  try {
    test.ask(screen("faults"));
    FAIL("somebody answered");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::device_lost);
    CHECK(std::string(error.what()).find("could not be started: Permission denied") != std::string::npos);
  }
}
