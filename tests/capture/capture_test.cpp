#include "tuner/capture/capture.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/error.hpp"

using namespace tuner;
using namespace tuner::capture;
using namespace std::chrono_literals;

namespace {

const std::atomic<bool> not_interrupted = false;

/// However slow this machine is, the program sends everything and ends by itself. Its addresses are left alone, as not
/// every container lets them be fixed.
CaptureOptions running_command(std::vector<std::string> command) {
  return {.command = std::move(command), .randomise = true, .patience = 1h, .grace = 1h};
}

CaptureOptions running(std::vector<std::string> words) {
  words.insert(words.begin(), TUNER_CAPTURED_PROGRAM);
  return running_command(std::move(words));
}

Profile profile_of(std::vector<std::string> words) {
  return profile_program(running(std::move(words)), not_interrupted);
}

/// The shell's "$0" is the program, whose path may have spaces.
CaptureOptions in_a_shell(const char* script) {
  return running_command({"sh", "-c", script, TUNER_CAPTURED_PROGRAM});
}

/// What a program prints while standard error is a file.
std::string printed_by(CaptureOptions options) {
  const test::TemporaryFolder folder;
  const std::string file = folder / "stderr";
  const int before = dup(STDERR_FILENO);
  const int in_place = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(in_place, STDERR_FILENO);
  options.output_to_stderr = true;
  profile_program(options, not_interrupted);
  dup2(before, STDERR_FILENO);
  close(before);
  close(in_place);
  return test::read_bytes(file);
}

/// The kernels of the word "launch".
void check_the_three(const Profile& profile) {
  REQUIRE(profile.kernels.size() == 3);
  const KernelProfile& hottest = profile.kernels[0];
  CHECK(hottest.name == "_Z5scaleIfEvPT_i");
  CHECK(hottest.readable == "void scale<float>(float*, int)");
  CHECK(hottest.sums.launches == 4);
  CHECK(hottest.sums.total == 20000);
  REQUIRE(hottest.shapes.size() == 2);
  CHECK(hottest.shapes[0].sums.total == 18000);
  const LaunchShape& shape = hottest.shapes[0].shape;
  CHECK(shape.grid[0] == 64);
  CHECK(shape.block[0] == 256);
  CHECK(shape.dynamic_shared == 512);
  CHECK(shape.static_shared == 1024);
  CHECK(shape.registers == 40);
  CHECK(profile.kernels[1].name == "plain");
  CHECK(profile.kernels[2].library == "CUB");
  CHECK(profile.sums.total == 32000);
}

}  // namespace

TEST_CASE("the kernels of a program that nobody changed are seen") {
  const Profile profile = profile_of({"launch", "three"});
  check_the_three(profile);
  CHECK(profile.processes == 1);
  CHECK(profile.complete);
  CHECK(profile.troubles.empty());
  CHECK(profile.status.code == 3);
  CHECK(!profile.ended_by_us);
  CHECK(profile.wall_time > 0ns);
}

TEST_CASE("launches of several threads are all counted") {
  const Profile profile = profile_of({"threads"});
  REQUIRE(profile.kernels.size() == 1);
  CHECK(profile.kernels[0].sums.launches == 2000);
}

TEST_CASE("a kernel that only graphs launch is marked, and cannot be captured") {
  const Profile profile = profile_of({"launch", "graph"});
  REQUIRE(profile.kernels.size() == 4);
  for (const KernelProfile& kernel : profile.kernels) {
    CHECK(kernel.in_graphs == (kernel.name == "in_graph" ? 1 : 0));
    CHECK(kernel.why_not_captured() == (kernel.name == "in_graph" ? "launched by graphs only" : ""));
  }
}

TEST_CASE("a program that ends without its exit handlers leaves what it launched before") {
  for (const std::string end : {"_exit", "die"}) {
    const Profile profile = profile_of({"launch", "settle", end});
    check_the_three(profile);
    CHECK(!profile.complete);
    if (end == "die") CHECK(profile.status.signal == 9);
  }
}

TEST_CASE("a forked child ends without holding up the program, and nothing is counted twice") {
  const Profile profile = profile_of({"launch", "fork"});
  check_the_three(profile);
  CHECK(profile.complete);
  CHECK(profile.processes == 1);
}

TEST_CASE("a program that uses CUPTI itself runs on, and is not seen") {
  const Profile profile = profile_of({"subscribe", "launch", "three"});
  CHECK(profile.kernels.empty());
  CHECK(profile.status.code == 3);
  REQUIRE(profile.troubles.size() == 1);
  CHECK(test::contains(profile.troubles[0], "uses CUPTI itself"));
}

TEST_CASE("a program runs on where CUPTI is missing, and the sentence says what to do") {
  const std::string before = std::getenv("TUNER_CUPTI");
  setenv("TUNER_CUPTI", "/nowhere/libcupti.so", 1);
  const Profile profile = profile_of({"launch", "three"});
  setenv("TUNER_CUPTI", before.c_str(), 1);
  CHECK(profile.status.code == 3);
  REQUIRE(profile.troubles.size() == 1);
  CHECK(test::contains(profile.troubles[0], "/nowhere/libcupti.so"));
}

TEST_CASE("a program without CUDA has no processes that use it") {
  const Profile profile = profile_of({"three"});
  CHECK(profile.processes == 0);
  CHECK(profile.kernels.empty());
  CHECK(profile.status.code == 3);
}

TEST_CASE("a program that closes what it inherited runs on, and its files are not written to") {
  const Profile profile = profile_of({"close", "launch", "three"});
  CHECK(profile.processes == 0);
  CHECK(profile.status.code == 3);
  check_the_three(profile_of({"launch", "settle", "close"}));
}

TEST_CASE("a socket of the program's own was written to if it had the number of the tuner's") {
  CHECK(profile_of({"replace", "launch", "read", "three"}).status.code == 3);
  const Profile profile = profile_of({"launch", "settle", "replace", "launch", "settle", "read", "three"});
  CHECK(profile.status.code == 3);
  check_the_three(profile);
}

TEST_CASE("a program that changed its folder was not seen where the tuner was told relative paths") {
  for (const char* const variable : {"TUNER_CUPTI", "TUNER_LIBEXEC"}) {
    const std::string before = std::getenv(variable);
    setenv(variable, ("." / std::filesystem::relative(before)).c_str(), 1);
    const Profile profile = profile_of({"folder", "launch"});
    setenv(variable, before.c_str(), 1);
    check_the_three(profile);
  }
}

TEST_CASE("a program that another replaced in its process was called complete") {
  const Profile profile = profile_of({"launch", "settle", "replaced"});
  CHECK(profile.processes == 2);
  CHECK(profile.sums.launches == 16);
  CHECK(!profile.complete);
}

TEST_CASE("a name of 100 KB is cut, and one that is no text is kept as it is") {
  const Profile profile = profile_of({"names"});
  REQUIRE(profile.kernels.size() == 2);
  CHECK(profile.kernels[0].name == "\x1b[31m\xff");
  CHECK(profile.kernels[1].name == std::string(kLongestKernelName, 'x'));
}

TEST_CASE("a program that cannot be started is an error that names it") {
  const std::string said =
      test::error_of(Errc::bad_usage, [] { profile_program({.command = {"/nowhere/program"}}, not_interrupted); });
  CHECK(test::contains(said, "/nowhere/program could not be started: No such file"));
}

TEST_CASE("nonsense on the socket is one sentence, and the kernels are seen all the same") {
  const Profile profile = profile_of({"nonsense", "launch", "nonsense"});
  check_the_three(profile);
  REQUIRE(profile.troubles.size() == 1);
  CHECK(test::contains(profile.troubles[0], "no message of the injected library"));
}

TEST_CASE("a program is ended once enough launches were seen") {
  CaptureOptions options = running({"launch", "long"});
  options.stop_at_launches = 8;
  const Profile profile = profile_program(options, not_interrupted);
  CHECK(profile.ended_by_us);
  CHECK(profile.status.signal == 15);
  check_the_three(profile);
}

TEST_CASE("a program that sent without end was not ended") {
  CaptureOptions options = running({"flood"});
  options.stop_after = 200ms;
  CHECK(profile_program(options, not_interrupted).ended_by_us);
}

TEST_CASE("a program is ended after a time, with what it has started") {
  CaptureOptions options = in_a_shell("\"$0\" launch long; true");
  options.stop_after = 200ms;
  const Profile profile = profile_program(options, not_interrupted);
  CHECK(profile.ended_by_us);
  CHECK(profile.wall_time < 60s);
}

TEST_CASE("a program that does not end when it is asked to is killed") {
  CaptureOptions options = running({"deaf", "launch", "long"});
  options.stop_at_launches = 1;
  options.grace = 50ms;
  CHECK(profile_program(options, not_interrupted).status.signal == 9);
}

TEST_CASE("a program that had much to say when it was asked to end waited for the tuner, which waited for it") {
  CaptureOptions options = running({"wakes", "launch", "long", "shapes"});
  options.stop_at_launches = 8;
  const Profile profile = profile_program(options, not_interrupted);
  CHECK(profile.complete);
  CHECK(profile.sums.launches == 2008);
}

TEST_CASE("what a program had started outlived it, if it did not end when it was asked to") {
  int ends[2] = {-1, -1};
  REQUIRE(pipe(ends) == 0);
  CaptureOptions options = in_a_shell("\"$0\" deaf launch long & wait");
  options.stop_at_launches = 1;
  options.grace = 50ms;
  CHECK(profile_program(options, not_interrupted).status.signal == 15);
  close(ends[1]);
  pollfd end{ends[0], POLLIN, 0};
  CHECK(poll(&end, 1, 0) == 1);  // nobody is left who could write
  close(ends[0]);
}

TEST_CASE("an interrupted capture ends the program and returns what was seen") {
  static std::atomic<bool> interrupted = false;
  signal(SIGUSR1, [](int) { interrupted = true; });
  const Profile profile = profile_program(running({"launch", "settle", "interrupt", "long"}), interrupted);
  CHECK(profile.ended_by_us);
  check_the_three(profile);
}

TEST_CASE("what is launched before a time is not counted") {
  CaptureOptions options = running({"launch"});
  options.after = 1h;
  const Profile profile = profile_program(options, not_interrupted);
  CHECK(profile.processes == 1);
  CHECK(profile.kernels.empty());
}

TEST_CASE("a CUPTI that hangs does not hold up the end of a program for long") {
  setenv("TUNER_FAKE_CUPTI", "slow", 1);
  CaptureOptions options = running({"launch", "flush", "three"});
  options.patience = 100ms;
  const Profile profile = profile_program(options, not_interrupted);
  unsetenv("TUNER_FAKE_CUPTI");
  CHECK(profile.status.code == 3);
  CHECK(!profile.complete);
  CHECK(profile.wall_time < 60s);
}

TEST_CASE("addresses are randomised only where that is wanted, and signals are as a shell leaves them") {
  CaptureOptions options = running({"addresses", "signals", "print"});
  CHECK(printed_by(options) == "random\ndefault\nprinted\n");
  options.randomise = false;
  const std::vector<std::string> troubles = profile_program(options, not_interrupted).troubles;
  CHECK(printed_by(options) == (troubles.empty() ? "fixed" : "random") + std::string("\ndefault\nprinted\n"));
}
