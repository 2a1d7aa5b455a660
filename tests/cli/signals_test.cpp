// What Ctrl-C, SIGTERM and SIGHUP do to commands that have nothing to keep, and what a limit on the size of files does.
#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "tests/cli/program.hpp"

namespace fs = std::filesystem;

using namespace tuner::test;

namespace {

/// Counting its space takes seconds, if it can be counted at all.
constexpr const char* kEndless = R"(
#pragma tuner kernel(k) problem(n: size = 10) grid(n) block(64) out(y, float, n)
#pragma tuner param(A, 0..63) param(B, 0..63) param(C, 0..63) param(D, 0..63) param(E, 0..63) param(F, 0..63)
#pragma tuner constraint((A * B * C + D * E * F + A * D + B * E + C * F) % 1009 == 7)
#pragma tuner constraint((A * F + B * D * E + C * A + E * F) % 997 == 3)
#pragma tuner constraint((A * E + B * D * F + C * B + A * F) % 991 == 5)
__global__ void k(float* y) {}
)";

/// A kernel file that is a pipe: once the program has read it, it does what is to be interrupted.
fs::path endless_pipe(const User& user) {
  fs::path pipe = user.home() / "endless.cu";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  return pipe;
}

using Connection = std::unique_ptr<sqlite3, int (*)(sqlite3*)>;

/// Another connection to a database, which has locked it: the program waits for ten seconds.
Connection locked(const fs::path& path) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(path.c_str(), &handle) == SQLITE_OK);
  REQUIRE(sqlite3_exec(handle, "BEGIN EXCLUSIVE", nullptr, nullptr, nullptr) == SQLITE_OK);
  return {handle, sqlite3_close};
}

/// A user whose database holds a decision.
struct Owner : User {
  Owner() {
    REQUIRE(run({"tune", "--replay", data_file("scale.csv").string()}).exit_code == 0);
    fs::rename(data() / "replay.db", database());
  }
  fs::path database() const { return data() / "decisions.db"; }
};

TEST_CASE("one signal ends the counting of a large space with 130, whichever command and signal it is") {
  for (const Words& command : {Words{"describe", "endless.cu"},
                               {"tune", "endless.cu"},
                               {"check", "endless.cu", "--host", "--problem", "n=10"}}) {
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      CAPTURE(signal);
      const User user;
      const fs::path pipe = endless_pipe(user);
      Running program(user, command);
      std::ofstream(pipe) << kEndless;  // waits for the program to open it
      CHECK(program.computes());        // what it has read takes it no time
      program.signal(signal);
      const Result result = program.finish();
      check_out(result, 130);
      CHECK(result.out.empty());
    }
  }
}

TEST_CASE(
    "one signal ends a command that looks through a database or waits for it with 130, and nothing is half done") {
  const Owner user;
  fs::copy_file(user.database(), user.home() / "other.db");
  for (const Words& command : {Words{"list"},
                               {"show", "scale"},
                               {"forget", "--all"},
                               {"export", "out.db"},
                               {"export", "--header", "out.hpp", "--kernel", "scale"},
                               {"import", "other.db"}}) {
    const Connection other = locked(user.database());
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      CAPTURE(signal);
      Running program(user, command);
      CHECK(program.handles_signals());
      program.signal(signal);
      const Result result = program.finish();
      check_out(result, 130);
      CHECK(result.out.empty());
    }
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(user.home())) {
    CHECK(!contains(entry.path().filename().string(), "out."));
  }
  CHECK(user.run({"list"}).exit_code == 0);
}

TEST_CASE("SIGHUP stays ignored where it was, as under nohup") {
  User user;
  user.before_start = [] { signal(SIGHUP, SIG_IGN); };
  const fs::path pipe = endless_pipe(user);
  Running program(user, {"describe", "endless.cu"});
  std::ofstream writer(pipe);
  program.signal(SIGHUP);
  writer << "#pragma tuner kernel(k) grid(1) block(64) out(y, float, 1)\n__global__ void k(float* y) {}\n";
  writer.close();
  CHECK(program.finish().exit_code == 0);
}

TEST_CASE("a limit on the size of files is a sentence, not a death") {
  Owner user;
  fs::copy_file(user.database(), user.home() / "other.db");
  user.before_start = [] {
    const rlimit limit{8192, 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
  };
  const Words sentence{"including its quota and limits on file size"};
  check_err(user.run({"export", "out.db"}), 5, sentence);
  user.environment["TUNER_DB"] = (user.home() / "empty").string();
  check_err(user.run({"import", "other.db"}), 5, sentence);
  check_err(user.run({"tune", "--replay", data_file("scale.csv")}), 0, sentence);
}

}  // namespace
