// `tuner capture --build` with the real program, around shell scripts with compilers that do nothing.
#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.hpp"
#include "tests/sources/recorded/recorded.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/text.hpp"

using namespace tuner::test;

namespace {

namespace fs = std::filesystem;

/// A user with sources and a compiler, where builds can be watched.
struct Developer : User {
  fs::path nvcc = make_program(folder(), "cuda/nvcc");

  Developer() {
    for (const char* const name : {"a.cu", "b.cu"}) folder().write(name, "");
    const Result nothing = record({"--output", "nothing.json"}, "true");
    if (contains(nothing.err, "refuses ptrace")) skip(nothing.err);
  }
  Result record(const Words& options, const std::string& lines) const {
    return run(joined(joined({"capture", "--build"}, options), {"--", "sh", "-c", lines}));
  }
  std::string compile(const std::string& words) const { return nvcc.string() + " " + words + "; "; }
  std::string record_text(const std::string& name = "tuner-build.json") const { return read_bytes(home() / name); }
};

/// From here on this process and what it starts may not use ptrace, as in a container. Whether that could be said.
bool forbid_ptrace() {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ptrace, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(filter)), filter};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace

TEST_CASE("a build is recorded, and which sources were compiled by what is printed below what it prints") {
  const Developer user;
  const Result result = user.record(
      {}, "echo built; " + user.compile("-c a.cu") + user.compile("-c b.cu") + user.compile("a.o b.o -o p"));
  check_out(result, 0,
            {"built\n" + user.nvcc.string() + " compiled 2 sources\n  ", "/a.cu\n  ", "/b.cu\n",
             "1 link of objects by nvcc\n", "3 commands in ", "/tuner-build.json\n"});
  const auto record = nlohmann::json::parse(user.record_text());
  CHECK(record["format"] == 1);
  CHECK(record["commands"].size() == 3);
  CHECK(record["commands"][0]["arguments"] == nlohmann::json({user.nvcc.string(), "-c", "a.cu"}));
}

TEST_CASE("with --json standard output has nothing but what was recorded") {
  const Developer user;
  const Result result =
      user.record({"--json", "--output", "r.json"}, "echo built; " + user.compile("-c a.cu") + "exit 3");
  check_out(result, 3);
  CHECK(contains(result.err, "built\n"));
  const auto seen = nlohmann::json::parse(result.out);
  CHECK(seen["exit_code"] == 3);
  CHECK(seen["sources"].size() == 1);
  CHECK(seen["sources"][0]["compiler"] == user.nvcc.string());
  CHECK(seen["links"] == 0);
  CHECK(seen["commands"] == 1);
  CHECK(seen["file"] == (fs::canonical(user.home()) / "r.json").string());
  CHECK(fs::exists(user.home() / "r.json"));
}

TEST_CASE("a later build is added to the record, and replaces what it made again") {
  const Developer user;
  CHECK(user.record({}, user.compile("-c a.cu") + user.compile("-c b.cu")).exit_code == 0);
  const Result later = user.record({}, user.compile("-G -c a.cu"));
  check_out(later, 0, {"compiled 1 source", "2 commands in ", ", 1 of them from earlier builds"});
  CHECK(nlohmann::json::parse(user.record_text())["commands"].size() == 2);
  CHECK(contains(user.record_text(), "\"-G\""));
}

TEST_CASE("a build that compiles nothing says so, and leaves an earlier record as it is") {
  const Developer user;
  const Result first = user.record({}, "true");
  CHECK(first.exit_code == 1);
  check_has(first.err, {"No CUDA compiler was started, and no record was written:", "make clean"});
  CHECK_FALSE(fs::exists(user.home() / "tuner-build.json"));
  CHECK(user.record({}, user.compile("-c a.cu")).exit_code == 0);
  const std::string before = user.record_text();
  const Result again = user.record({}, "exit 4");
  CHECK(again.exit_code == 4);
  check_has(again.err, {"is left as it was"});
  check_has(user.record({}, user.compile("-c gone.cu")).err, {"none of the sources that they read is there any more"});
  CHECK(user.record_text() == before);
}

TEST_CASE("a build that fails keeps its exit code, and what was recorded") {
  const Developer user;
  CHECK(user.record({}, user.compile("-c a.cu") + "kill -9 $$").exit_code == 128 + 9);
  CHECK(contains(user.record_text(), "a.cu"));
}

TEST_CASE("an interrupted build leaves what was recorded") {
  const Developer user;
  Running running(user, {"capture", "--build", "--", "sh", "-c", user.compile("-c a.cu") + "echo on >&2; sleep 600"});
  REQUIRE(running.says("on"));
  running.signal(2);
  CHECK(running.finish().exit_code == 130);
  CHECK(contains(user.record_text(), "a.cu"));
}

TEST_CASE("a build that cannot be recorded is one sentence, and is not started") {
  const Developer user;
  const std::string touch = "touch started; " + user.compile("-c a.cu");
  check_error(user.record({"--output", "absent/r.json"}, touch), 2, {"absent"});
  user.folder().write("tuner-build.json", "{}");
  check_error(user.record({}, touch), 5, {"tuner-build.json is no record of a build"});
  user.folder().write("shared.json", R"({"format": 1, "commands": []})");
  fs::permissions(user.home() / "shared.json", fs::perms(0666));
  check_error(user.record({"--output", "shared.json"}, touch), 2, {"which is not trusted", "writable by its group"});
  CHECK_FALSE(fs::exists(user.home() / "started"));
  check_error(user.run({"capture", "--build"}), 2, {"needs a build to run"});
  check_error(user.run({"capture", "--build", "--output", "other.json", "--", "/nowhere/make"}), 2,
              {"/nowhere/make could not be started"});
}

TEST_CASE("where the system refuses ptrace, one sentence says what to do, and nothing is started") {
  Developer user;
  if (const pid_t pid = fork(); pid == 0) {
    _exit(forbid_ptrace() ? 0 : 1);
  } else if (int status = 0; waitpid(pid, &status, 0) != pid || status != 0) {
    MESSAGE("left out: seccomp is not to be had");
    return;
  }
  user.before_start = [] { forbid_ptrace(); };
  check_error(user.record({}, "touch started"), 2,
              {"cannot be watched", "refuses ptrace (Operation not permitted)", "compile_commands.json"});
  CHECK_FALSE(fs::exists(user.home() / "started"));
}

TEST_CASE("options about launches and --build exclude each other") {
  const Developer user;
  const auto with = [&](const Words& words) { return user.run(joined(words, {"--", "true"})); };
  check_error(with({"capture", "--build", "--kernel", "scale"}), 2, {"--kernel is about a program that runs"});
  check_error(with({"capture", "--build", "-o", "r.json"}), 2, {"-o is about", "--output"});
  check_error(with({"capture", "--output", "r.json"}), 2, {"--output names the record of a build: add --build"});
}
