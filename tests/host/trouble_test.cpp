// `tuner check --host` where the machine, the environment or another program stands in its way.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/host/developer.hpp"

using namespace tuner::test;

namespace {

using Json = nlohmann::json;

/// One configuration of one kernel that begins with `prologue` and does `body`; two with --configurations 2. `block` is
/// 64 in the first.
std::string kernel_text(const std::string& prologue, const std::string& body) {
  return prologue + R"(
#pragma tuner kernel(trouble)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 1000)
#pragma tuner param(BLOCK, 64, 128; default 64)
#pragma tuner grid(1) block(BLOCK)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
#ifndef BLOCK
#define BLOCK 64
#endif
extern "C" __global__ void trouble(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  y[i] = x[i];
)" + body +
         "}\n";
}

/// A user whose compiler does what a compiler does, or more.
struct Troubled : User {
  Troubled() {
    environment["PATH"] = std::getenv("PATH");
    std::filesystem::create_directory(temporary());
    environment["TMPDIR"] = temporary().string();
  }
  std::filesystem::path temporary() const { return home() / "temporary"; }
  void wrap_compiler(const std::string& script) { environment["CXX"] = compiler_behind(folder(), "wrapper", script); }
  std::vector<std::string> words(const std::string& text, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"check", folder().write("trouble.cu", text).string(), "--host", "--problem", "n=5",
                                 "--json"};
    if (more.empty()) all.insert(all.end(), {"--configurations", "1"});
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  Result check(const std::string& prologue = "", const std::string& body = "",
               const std::vector<std::string>& more = {}) const {
    return run(words(kernel_text(prologue, body), more));
  }
};

Json report(const Result& result, int exit_code) {
  CHECK_MESSAGE(result.exit_code == exit_code, result.err << result.out);
  return result.out.empty() ? Json::object() : Json::parse(result.out);
}

/// For kernels that start and kill processes through a shell: the host's own headers say nothing to a kernel.
constexpr const char* kShell = "#include <stdlib.h>";

/// The only finding, or one that is empty.
Json only_finding(const Json& report) {
  const Json findings = report.value("findings", Json::array());
  CHECK_MESSAGE(findings.size() == 1, report.dump(2));
  return findings.empty() ? Json{{"class", ""}, {"message", ""}} : findings[0];
}

std::string first_unchecked(const Json& report) {
  REQUIRE_MESSAGE(report.value("unchecked", Json::array()).size() == 1, report.dump(2));
  return report["unchecked"][0]["message"];
}

/// Whether a process runs whose arguments have these words.
bool runs(const std::string& words) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::string line = read_bytes(process.path() / "cmdline");
    for (char& c : line) c = c == '\0' ? ' ' : c;
    if (line.starts_with(words)) return true;
  }
  return false;
}

/// For this process and what it starts only: a file system in memory at `folder`.
bool mount_memory(const std::filesystem::path& folder, unsigned long flags, const char* options) {
  return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         mount("tmpfs", folder.c_str(), "tmpfs", flags, options) == 0;
}

bool can_mount(const std::filesystem::path& folder) {
  const pid_t pid = fork();
  if (pid == 0) _exit(mount_memory(folder, 0, "size=1m") ? 0 : 1);
  int status = -1;
  waitpid(pid, &status, 0);
  if (status != 0) MESSAGE("SKIPPED: only root may mount a file system");
  return status == 0;
}

/// Until the compiler has made the file "begun".
void wait_until_begun(const User& user, Running& running) {
  while (!std::filesystem::exists(user.home() / "begun") && !running.ended())
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  REQUIRE(!running.ended());
}

/// A number of seconds to sleep for that no other test has.
std::string own_seconds() {
  return std::to_string(100000 + getpid()) + ".5";
}

}  // namespace

TEST_CASE("a TMPDIR of no use is an error of the user, with the folder's name and a way out") {
  Troubled one;
  const auto refused = [&](const std::string& folder, const std::string& why) {
    CAPTURE(folder.substr(0, 100));
    one.environment["TMPDIR"] = folder;
    const Result result = one.check();
    CHECK_EQ(result.exit_code, 2);
    CHECK_EQ(lines(result.err), 1);
    CHECK_MESSAGE(contains(result.err, "The folder for temporary files that TMPDIR names, '" + folder.substr(0, 60)),
                  result.err);
    CHECK_MESSAGE(contains(result.err, why), result.err);
    CHECK(contains(result.err, "set TMPDIR to a folder"));
  };
  refused((one.home() / "missing").string(), "No such file");
  refused(one.folder().write("file", "").string(), "Not a directory");
  refused("/" + std::string(5000, 'x'), "5001 bytes, which is too long");
  refused("/nowhere?", "No such file");
  one.environment["TMPDIR"] = "/tmp/two\nlines";
  CHECK(contains(one.check().err, "'/tmp/two?lines', has a control character"));
  one.environment["TMPDIR"] = one.temporary().string() + "/a\"b";
  std::filesystem::create_directory(one.environment["TMPDIR"]);
  CHECK(contains(one.check().err, "a\"b', has a double quote in its name"));
}

TEST_CASE("a TMPDIR that no program can be run from is refused before anything is compiled, for what it is") {
  Troubled one;
  if (!can_mount(one.temporary())) return;
  one.before_start = [&] { mount_memory(one.temporary(), MS_NOEXEC, "size=100m"); };
  const Result result = one.check();
  CHECK_EQ(result.exit_code, 2);
  CHECK_MESSAGE(contains(result.err, "mounted with `noexec`"), result.err);
  CHECK(contains(result.err, "set TMPDIR to a folder"));
  CHECK_FALSE(contains(result.err, "TUNER_LIBEXEC"));
}

TEST_CASE("a disk that is full is not the compiler's fault") {
  Troubled one;
  if (!can_mount(one.temporary())) return;
  const char* size = "size=100k";
  one.before_start = [&] { mount_memory(one.temporary(), 0, size); };
  const Result early = one.check();
  CHECK_EQ(early.exit_code, 2);
  CHECK_MESSAGE(contains(early.err, "cannot be written (No space left on device)"), early.err);
#ifdef __SANITIZE_THREAD__
  size = "size=1300k";  // room for what the check writes before it compiles: measured, 300 KB more than without
#else
  size = "size=900k";
#endif
  const std::string sentence = first_unchecked(report(one.check(), 2));
  CHECK(contains(sentence, "found no space left in " + one.temporary().string()));
  CHECK_FALSE(contains(sentence, "CXX"));
}

TEST_CASE("few descriptors are not a bug of this program") {
  Troubled one;
  one.before_start = [] {
    for (int inherited = 3; inherited < 100; ++inherited) fcntl(inherited, F_SETFD, FD_CLOEXEC);
    const rlimit few{6, 6};
    setrlimit(RLIMIT_NOFILE, &few);
  };
  const Result result = one.check();
  CHECK_EQ(result.exit_code, 2);
  CHECK_MESSAGE(contains(result.err, "raise the limit (`ulimit -n`)"), result.err);
}

TEST_CASE("a compiler that was killed is not said to be the wrong one") {
  Troubled one;
  one.wrap_compiler("case \"$*\" in */runtime.cpp*) kill -KILL $$;; esac");
  const std::string sentence = first_unchecked(report(one.check(), 2));
  CHECK(contains(sentence, "was killed by another program or by the system"));
  CHECK_FALSE(contains(sentence, "CXX"));
}

TEST_CASE("a compiler that writes nothing is named, and no program is looked for that it did not make") {
  Troubled one;
  one.environment["CXX"] = "true";
  const Result result = one.check();
  CHECK_EQ(result.exit_code, 4);
  CHECK_MESSAGE(contains(result.err, "wrote no file"), result.err);
  CHECK(contains(result.err, "Set CXX to another compiler"));
}

TEST_CASE("findings stay when the compiler is killed that would have looked for races") {
  Troubled one;
  one.wrap_compiler("case \"$*\" in *runtime_races*) kill -KILL $$;; esac");
  const Json found = report(one.check("", "  y[i] = x[n];\n"), 1);
  CHECK_EQ(only_finding(found)["class"], "out_of_bounds_read");
  CHECK(contains(first_unchecked(found), "Races were not checked. The C++ compiler"));
}

TEST_CASE("findings stay when the program that runs other configurations is killed") {
  const Json found = report(
      Troubled().check(kShell,
                       "#if BLOCK == 64\n  y[i] = x[n];\n#else\n"
                       "  if (i == 0) system(\"kill -KILL $(cut -d' ' -f4 /proc/$PPID/stat); sleep 100\");\n#endif\n",
                       {"--workers", "2"}),
      1);
  CHECK_EQ(only_finding(found)["class"], "out_of_bounds_read");
  CHECK_EQ(found.value("configurations", 0), 1);
  CHECK(contains(first_unchecked(found), "1 run was lost: The program that runs the kernel was killed"));
}

TEST_CASE("a run that was killed is no finding") {
  const Json none = report(Troubled().check(kShell, "  if (i == 0) system(\"kill -KILL $PPID\");\n"), 2);
  CHECK(none.value("findings", Json::array()).empty());
  CHECK(contains(first_unchecked(none), "A run was killed by another program or by the system"));
}

TEST_CASE("a kernel that allocates without bounds is told that there is no memory, or found") {
  const std::string bounded =
      "  for (unsigned long all = 0; i == 0; all += 1 << 26)\n"
      "    if (all > 30ul << 30 || malloc(1 << 26) == nullptr) {\n"
      "      if (all > 30ul << 30) y[0] = x[n];\n      break;\n    }\n";
  CHECK(report(Troubled().check("#include <stdlib.h>", bounded), 0).value("findings", Json::array()).empty());
  const std::string careless =
      "  for (int all = 0; i == 0 && all < 300; ++all)\n"
      "    *(volatile char*)malloc(1 << 27) = 1;\n";
  const Json found = report(Troubled().check("#include <stdlib.h>", careless), 1);
  CHECK(contains(only_finding(found)["message"], "null pointer"));
  const Json with_new = report(Troubled().check("",
                                                "  for (int all = 0; i == 0 && all < 300; ++all)\n"
                                                "    *(volatile char*)new char[1 << 27] = 1;\n"),
                               1);
  CHECK_EQ(only_finding(with_new)["class"], "crash");
  CHECK(contains(only_finding(with_new)["message"], "allocates more memory"));
}

TEST_CASE("what a kernel says without end does not fill the disk that other runs need") {
  Troubled one;
  if (can_mount(one.temporary())) one.before_start = [&] { mount_memory(one.temporary(), 0, "size=40m"); };
  const Json found =
      report(one.check("#include <stdio.h>\n#include <string.h>",
                       "#if BLOCK == 64\n  static char text[1 << 16];\n  memset(text, 'x', sizeof text);\n"
                       "  for (int all = 0; i == 0 && all < 1000; ++all) fwrite(text, 1, sizeof text, stderr);\n"
                       "  if (i == 0) __builtin_trap();\n#else\n  y[i] = x[n];\n#endif\n",
                       {"--workers", "1"}),
             1);
  std::string classes;
  for (const Json& finding : found.value("findings", Json::array()))
    classes += finding["class"].get<std::string>() + ' ';
  CHECK_MESSAGE(contains(classes, "out_of_bounds_read"), found.dump(2));
}

TEST_CASE("a process that a kernel or a compiler starts in a session of its own does not outlive the check") {
  const std::string seconds = own_seconds();
  report(Troubled().check(kShell, "  if (i == 0) system(\"setsid sleep " + seconds + " &\");\n"), 0);
  CHECK_FALSE(runs("sleep " + seconds));
  Troubled one;
  one.wrap_compiler("setsid sleep 1" + seconds + " >/dev/null 2>&1 &");
  report(one.check(), 0);
  CHECK_FALSE(runs("sleep 1" + seconds));
}

TEST_CASE("Ctrl-C leaves no compiler and no temporary file behind, also where it comes twice") {
  Troubled one;
  one.wrap_compiler("case \"$*\" in */runtime.cpp*) mktemp >/dev/null; touch \"$HOME/begun\"; sleep " + own_seconds() +
                    ";; esac");
  Running running(one, one.words(kernel_text("", "")));
  wait_until_begun(one, running);
  running.signal(SIGINT);
  SUBCASE("once") {}
  SUBCASE("twice") {
    running.signal(SIGTERM);
  }  // two of a kind might be one
  CHECK_EQ(running.finish().exit_code, 130);
  CHECK(std::filesystem::is_empty(one.temporary()));
  CHECK_FALSE(runs("sleep " + own_seconds()));
}

TEST_CASE("Ctrl-C ends the wait for a compiler that does not say what it is") {
  Troubled one;
  one.wrap_compiler("touch \"$HOME/begun\"; sleep " + own_seconds());
  Running running(one, one.words(kernel_text("", "")));
  wait_until_begun(one, running);
  running.signal(2);
  CHECK_EQ(running.finish().exit_code, 130);
  CHECK_FALSE(runs("sleep " + own_seconds()));
}
