// Who is believed after one failure, and who is asked again.
#include <doctest/doctest.h>
#include <filesystem>
#include <initializer_list>
#include <string>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/engine/device/memory/cuda.hpp"
#include "tuner/process/worker_program.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

/// By which the fake driver's processes know what was loaded before.
struct Journal {
  DeviceLaneOptions options() const {
    return {.environment = {"FAKE_DRIVER_JOURNAL=" + (folder.path() / "journal").string()}};
  }
  test::TemporaryFolder folder;
};

/// A worker program that can be made one that cannot be started.
class LockedProgram {
 public:
  LockedProgram() { unlock(); }
  const std::filesystem::path& path() const { return path_; }
  void lock() const { std::filesystem::permissions(path_, std::filesystem::perms::owner_read); }
  void unlock() const { std::filesystem::permissions(path_, std::filesystem::perms::owner_all); }

 private:
  test::TemporaryFolder folder_;
  std::filesystem::path path_ =
      folder_.write("worker", "#!/bin/sh\nexec " + shell_word(find_worker_program().string()) + " \"$@\"\n");
};

/// Leaves a worker that has run nothing but the reference.
void make_fresh(TestLane& test) {
  test.expect(screen("faults"), Outcome::illegal_access);
}

}  // namespace

TEST_CASE("a reference is not blamed for the first worker that is lost over it") {
  const Journal journal;
  TestLane test(journal.options());
  test.expect(problem(), Outcome::ok);
  CHECK_FALSE(test.expect(reference("first_error_700"), Outcome::ok).confirmed);
  CHECK(test.lane.statistics().second_runs == 1);
  CHECK(test.lane.statistics().innocent == 1);
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("an error that may be the GPU's is not held against a candidate after one look, in a fresh worker either") {
  for (const char* error : {"first_error_214", "first_error_220", "first_error_226", "first_error_999",
                            "first_error_46", "first_error_802"}) {
    CAPTURE(error);
    const Journal journal;
    PreparedLane test(journal.options());
    make_fresh(test);
    test.expect(screen(error), Outcome::ok);
    CHECK(test.lane.statistics().innocent == 1);
    CHECK(test.lane.statistics().losses.size() == 3);
  }
}

TEST_CASE("an error that may be the GPU's is reported as that where it comes twice") {
  PreparedLane test;
  make_fresh(test);
  const DeviceReply reply = test.expect(screen("error_214"), Outcome::worker_lost,
                                        "(214: as the test wanted). The cause may be the GPU rather than the kernel.");
  CHECK(reply.confirmed);
  CHECK(test.lane.statistics().losses.size() == 4);
}

TEST_CASE("an error that only a kernel can cause is believed at once in a fresh worker") {
  PreparedLane test;
  make_fresh(test);
  for (const char* error : {"error_700", "error_710", "error_715", "error_719"}) {
    CAPTURE(error);
    const std::size_t before = test.lane.statistics().losses.size();
    CHECK(test.expect(screen(error), Outcome::illegal_access).confirmed);
    CHECK(test.lane.statistics().losses.size() == before + 1);
  }
}

TEST_CASE("a block over which the GPU may have failed is run again") {
  const Journal journal;
  PreparedLane test(journal.options());
  test.expect(LoadFinalists{{candidate("right"), candidate("first_error_214")}}, Outcome::ok);
  CHECK(test.expect(RunBlock{{0, 1}}, Outcome::ok).result_of<RunBlock>().samples_ns.size() == 2);
}

TEST_CASE("errors are a kernel's doing or end the context for another reason, and most are neither") {
  const auto check = [](std::initializer_list<int> results, bool of_a_kernel, bool sticky) {
    for (const int result : results) {
      CAPTURE(result);
      CHECK(is_a_kernels_doing(static_cast<CUresult>(result)) == of_a_kernel);
      CHECK(is_sticky(static_cast<CUresult>(result)) == sticky);
    }
  };
  check({700, 702, 710, 714, 715, 716, 717, 718, 719, 721}, true, true);
  check({46, 214, 220, 226, 709, 802, 999}, false, true);
  check({0, 1, 2, 200, 600, 701}, false, false);
}

TEST_CASE("a worker that cannot be started for a moment costs no request") {
  const LockedProgram program;
  PreparedLane test({.spares = 0, .program = program.path()});
  program.lock();
  test.lane.submit(1, screen("faults"));
  test.wait_until([&] { return test.lane.statistics().losses.size() == 1; });
  CHECK(test.lane.worker_pid() == -1);
  program.unlock();
  const DeviceReply reply = test.wait_for(1);
  CHECK(reply.outcome == Outcome::illegal_access);
  CHECK(reply.confirmed);
  test.expect(screen("right"), Outcome::ok);
}

TEST_CASE("three workers in a row that cannot even be started lose the device") {
  const LockedProgram program;
  PreparedLane test({.spares = 0, .program = program.path()});
  program.lock();
  const std::string message = test::error_of(Errc::device_lost, [&] { test.ask(screen("faults")); });
  CHECK(message.find("could not be started: Permission denied") != std::string::npos);
}
