#include "tuner/sources/device_compile/limited_run.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/errors.hpp"
#include "tests/support/files.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/device_compile.hpp"

using namespace std::chrono_literals;
using namespace tuner;
using namespace tuner::sources;
using tuner::test::contains;
using tuner::test::error_of;
using tuner::test::has_ended;
using tuner::test::read_bytes;
using tuner::test::TemporaryFolder;

namespace {

/// A compiler that is a script, and its folders.
class StandIn {
 public:
  explicit StandIn(const std::string& script) {
    command_.program = folder_.write("bin/nvcc", "#!/bin/sh\n" + script + '\n');
    chmod(command_.program.c_str(), 0755);
    std::filesystem::create_directories(folder_ / "build");
    std::filesystem::create_directories(folder_ / "tmp");
    command_.folder = folder_ / "build";
    command_.arguments = {"nvcc"};
  }
  LimitedRun run(const RunLimits& limits = {}) const { return run_limited(command_, folder_ / "tmp", limits); }
  CompilerCommand& command() { return command_; }
  std::filesystem::path build(const std::string& name) const { return folder_ / ("build/" + name); }

 private:
  TemporaryFolder folder_;
  CompilerCommand command_;
};

/// The process whose number a stand-in wrote.
pid_t pid_in(const std::filesystem::path& file) {
  const std::string text = read_bytes(file);
  REQUIRE_FALSE(text.empty());
  return std::atoi(text.c_str());
}

constexpr RunLimits kBrief{.time = 400ms};

}  // namespace

TEST_CASE("a compiler runs in the build's folder, with the build's words and environment alone") {
  StandIn compiler("printf '%s|' \"$PWD\" \"$@\" \"$CPATH\" \"$STRANGER\" \"${PATH:+path}\" >&2; exit 3");
  const std::vector<std::string> words{"a b", "it's", "\"q\"", "line\nend", "$HOME", "-x.cu", ""};
  compiler.command().arguments.insert(compiler.command().arguments.end(), words.begin(), words.end());
  compiler.command().environment = {{"CPATH", "/inc"}};
  setenv("STRANGER", "seen", 1);
  const LimitedRun run = compiler.run();
  unsetenv("STRANGER");
  CHECK_EQ(run.outcome, Outcome::compile_error);
  CHECK_EQ(run.how, "exited with status 3");
  CHECK_EQ(run.said, compiler.command().folder + "|a b|it's|\"q\"|line\nend|$HOME|-x.cu||/inc||path|");
}

TEST_CASE("a compiler that hangs is stopped, with what it started, whatever it ignores") {
  const StandIn compiler("trap '' TERM INT HUP\nsh -c 'echo $$ > child; trap \"\" TERM; sleep 1000 & wait' &\nwait");
  const LimitedRun run = compiler.run(kBrief);
  CHECK_EQ(run.outcome, Outcome::compile_timeout);
  CHECK_EQ(run.how, "had not finished after 0.4 s");
  CHECK(has_ended(pid_in(compiler.build("child"))));
}

TEST_CASE("what a compiler leaves behind when it ends is ended, too") {
  const StandIn compiler("sleep 1000 &\necho $! > child\nexit 0");
  CHECK_EQ(compiler.run().outcome, Outcome::ok);
  CHECK(has_ended(pid_in(compiler.build("child"))));
}

TEST_CASE("a compiler that is told to stop stops") {
  const std::atomic<bool> stop = true;
  const LimitedRun run = StandIn("sleep 1000").run({.stop = &stop});
  CHECK_EQ(run.outcome, Outcome::compile_timeout);
  CHECK_EQ(run.how, "was stopped");
}

TEST_CASE("of a compiler that prints without end the beginning is kept") {
  const LimitedRun run = StandIn("echo first >&2\nwhile :; do echo more >&2; done").run(kBrief);
  CHECK_EQ(run.outcome, Outcome::compile_timeout);
  CHECK(run.said.starts_with("first\nmore\n"));
  CHECK_LE(run.said.size(), std::size_t{1} << 20);
}

TEST_CASE("a compiler that writes a file without end is stopped by the file's limit") {
  const LimitedRun run = StandIn("exec cat /dev/zero > big").run({.written = std::uint64_t{1} << 20});
  CHECK_EQ(run.outcome, Outcome::compile_error);
  CHECK_NE(run.how, "exited with status 0");
}

TEST_CASE("a compiler that writes files without end is stopped by the limit of all of them") {
  const StandIn compiler("i=0\nwhile :; do head -c 500000 /dev/zero > \"$TMPDIR/$i\"; i=$((i+1)); done");
  const LimitedRun run = compiler.run({.written = std::uint64_t{1} << 20});
  CHECK_EQ(run.outcome, Outcome::compile_error);
  CHECK_EQ(run.how, "was stopped, because it had written more than 1 MB");
}

TEST_CASE("a compiler whose child takes too much memory is stopped") {
  const LimitedRun run = StandIn("head -c 200000000 /dev/zero | tail -c 150000000 > /dev/null; sleep 1000")
                             .run({.memory = std::uint64_t{50} << 20});
  CHECK_EQ(run.outcome, Outcome::compile_memory);
  CHECK_EQ(run.how, "was stopped, because it held more than 50 MB of memory");
}

TEST_CASE("a compiler that starts processes without end is stopped") {
  const LimitedRun run = StandIn("while :; do sleep 1000 & done").run();
  CHECK_EQ(run.outcome, Outcome::compile_error);
  CHECK(contains(run.how, "because it had started "));
}

TEST_CASE("a compiler that somebody kills is no mistake of the source") {
  CHECK_EQ(StandIn("kill -KILL $$").run().outcome, Outcome::worker_lost);
}

TEST_CASE("a compiler or a folder that is not there any more is named") {
  StandIn compiler("exit 0");
  compiler.command().program += "-gone";
  CHECK(contains(error_of(Errc::bad_usage, [&] { compiler.run(); }), "nvcc-gone, which the build ran, could not be"));
  compiler.command().folder += "-gone";
  CHECK(
      contains(error_of(Errc::bad_usage, [&] { compiler.run(); }), "build-gone, in which the build ran the compiler"));
}

TEST_CASE("the version is read from where nvcc prints it") {
  const NvccVersion version =
      nvcc_version(StandIn("echo 'Cuda compilation tools, release 13.0, V13.0.88'; echo Build cuda_13.0").command());
  CHECK_EQ(version.number, "13.0.88");
  CHECK(contains(version.text, "Build cuda_13.0"));
  CHECK(contains(error_of(Errc::bad_usage, [] { nvcc_version(StandIn("exit 1").command()); }),
                 "does not say its version (with --version it exited with status 1)"));
}

TEST_CASE("a failed compile says the compiler's first error, and leaves no folder behind") {
  StandIn compiler(
      "echo \"$TMPDIR\" > temporary\necho 'k.cu(2): warning: w' >&2\necho 'k.cu(3): error: e' >&2\nexit 2");
  const DeviceCode code = compile_for_device({compiler.command(), "sm_90"}, {});
  CHECK_EQ(code.outcome, Outcome::compile_error);
  CHECK_EQ(code.message, "k.cu(3): error: e");
  CHECK_EQ(code.log, "k.cu(2): warning: w\nk.cu(3): error: e");
  std::string temporary = read_bytes(compiler.build("temporary"));
  temporary.resize(temporary.size() - 1);
  CHECK_FALSE(std::filesystem::exists(temporary));
}

TEST_CASE("nvcc split the name of a folder for temporary files at its blanks and commas") {
  const TemporaryFolder folder;
  const char* const before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  for (const char* const name : {"a b", "a,b", "a'b", "a$(id)", "plain"}) {
    CAPTURE(name);
    std::filesystem::create_directory(folder / name);
    setenv("TMPDIR", (folder / name).c_str(), 1);
    StandIn compiler("echo \"$TMPDIR $2\" > temporary; exit 1");
    compile_for_device({compiler.command(), "sm_90"}, {});
    const std::string said = read_bytes(compiler.build("temporary"));
    const std::string where = name == std::string("plain") ? (folder / name).string() : "/tmp";
    CHECK(said.starts_with(where + "/tuner-compile-"));
    CHECK(contains(said, " " + where + "/tuner-compile-"));
    CHECK(said.find_first_of(",'$") == std::string::npos);
  }
  kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1);
}

TEST_CASE("a compiler that ends well without machine code has failed") {
  StandIn compiler("exit 0");
  const DeviceCode code = compile_for_device({compiler.command(), "sm_90"}, {});
  CHECK_EQ(code.outcome, Outcome::compile_error);
  CHECK(contains(code.message, "bin/nvcc made no machine code."));
}

TEST_CASE("errors of nvcc, of the host's compiler and of ptxas are found, and nothing else is taken for one") {
  for (const char* line :
       {"k.cu(1): error: identifier \"y\" is undefined", "k.cu(1): error #20: identifier \"y\" is undefined",
        "k.cu:1:10: fatal error: nope.h: No such file or directory", "nvcc fatal   : Unsupported gpu architecture",
        "ptxas error   : Entry function uses too much shared data", "ptxas fatal   : Unresolved extern function 'f'"})
    CHECK_EQ(first_error(std::string("In file included from a.h:3,\nptxas info    : 0 bytes\n") + line + "\nmore"),
             line);
  CHECK_EQ(first_error("k.cu: warning: on_error: is not used\n1 error detected\n"), "");
  CHECK_EQ(first_error(""), "");
}
