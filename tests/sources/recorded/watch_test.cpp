#include "tuner/sources/recorded/watch.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <thread>

#include "tests/sources/recorded/recorded.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/processes.hpp"
#include "tests/support/skip.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

using namespace tuner;
using namespace tuner::sources;
using namespace tuner::test;

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

const std::string kStarter = TUNER_TEST_STARTER;

WatchedBuild watch(const Words& command) {
  static const bool can_watch = [] {
    try {
      watch_build({.command = {"true"}}, false);
    } catch (const Error& error) {
      skip(error.what());
    }
    return true;
  }();
  CHECK(can_watch);
  return watch_build({.command = command}, false);
}

/// The build of these lines of a shell.
WatchedBuild watch_lines(const std::string& lines) {
  return watch({"sh", "-c", lines});
}

/// The only command that was recorded.
CompilerCommand only(const WatchedBuild& build) {
  CHECK(build.status.code == 0);
  REQUIRE(build.commands.size() == 1);
  return build.commands.front();
}

}  // namespace

TEST_CASE("a compiler is recorded that a shell starts by its absolute path, with its folder and words as they are") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "cuda/bin/nvcc");
  fs::create_directory(folder / "src");
  const CompilerCommand command = only(watch_lines("cd " + folder.path().string() + "/src; " + nvcc.string() +
                                                   " -c 'two words.cu' '-DTEXT=\"a\nb\"' '' -o '$x'"));
  CHECK(command.program == nvcc);
  CHECK(command.folder == fs::canonical(folder / "src"));
  CHECK(command.arguments == Words{nvcc, "-c", "two words.cu", "-DTEXT=\"a\nb\"", "", "-o", "$x"});
  CHECK(sources_of(command) == std::vector<fs::path>{fs::canonical(folder / "src") / "two words.cu"});
}

TEST_CASE("a compiler is recorded however it is started") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "nvcc");
  for (const char* const manner : {"spawn", "vfork", "thread"}) {
    CAPTURE(manner);
    CHECK(only(watch({kStarter, manner, nvcc, "-c", "a.cu"})).arguments == Words{nvcc, "-c", "a.cu"});
  }
  CHECK(watch({kStarter, "threads", nvcc, "-c", "a.cu"}).commands.size() == 2);
  CHECK(only(watch({nvcc, "-c", "a.cu"})).program == nvcc);
}

TEST_CASE("a compiler on the path is recorded with the file that ran, and what it was called") {
  const TemporaryFolder folder;
  make_program(folder, "nvcc");
  const CompilerCommand command =
      only(watch_lines("cd " + folder.path().string() + "; PATH=" + folder.path().string() + ":$PATH; nvcc -c a.cu"));
  CHECK(command.program == folder / "nvcc");
  CHECK(command.arguments.front() == "nvcc");
  const CompilerCommand relative = only(watch_lines("cd " + folder.path().string() + "; ./nvcc -c a.cu"));
  CHECK(relative.program == folder / "nvcc");
}

TEST_CASE("a compiler that is a script is recorded without its interpreter") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_script(folder, "nvcc", "exit 0\n");
  CHECK(only(watch({nvcc, "-c", "a.cu"})).arguments == Words{nvcc, "-c", "a.cu"});
  const fs::path other = folder.write("b/nvcc", "#!/usr/bin/env -S sh\nexit 0\n");
  fs::permissions(other, fs::perms(0755));
  const CompilerCommand command = only(watch_lines("cd " + folder.path().string() + "/b && ./nvcc -c a.cu"));
  CHECK(command.program == other);
  CHECK(command.arguments == Words{"./nvcc", "-c", "a.cu"});
}

TEST_CASE("what a compiler starts is its own business") {
  const TemporaryFolder folder;
  const fs::path inner = make_program(folder, "inner/nvcc");
  const fs::path nvcc =
      make_script(folder, "nvcc", inner.string() + " -c inner.cu; sh -c '" + inner.string() + " -c b.cu'\n");
  CHECK(only(watch({nvcc, "-c", "a.cu"})).program == nvcc);
}

TEST_CASE("a make in a make that calls a compiler by its absolute path in a script is seen through") {
  if (std::system("make --version > /dev/null 2>&1") != 0) {
    MESSAGE("left out: there is no make");
    return;
  }
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "nvcc");
  make_script(folder, "deep/compile.sh", "exec " + nvcc.string() + " -c \"$1\"\n");
  folder.write("deep/Makefile", "all: a b\na b:\n\t./compile.sh $@.cu\n");
  folder.write("Makefile", "all:\n\t$(MAKE) -C deep\n");
  const WatchedBuild build = watch({"make", "-s", "-j4", "-C", folder.path()});
  CHECK(build.status.code == 0);
  CHECK(build.commands.size() == 2);
}

TEST_CASE("the words of a response file are recorded, because the build deletes the file") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "nvcc");
  const CompilerCommand command =
      only(watch_lines("cd " + folder.path().string() + "; echo '-DA=\"x y\" -c' > words.rsp; " + nvcc.string() +
                       " --options-file words.rsp a.cu; rm words.rsp"));
  CHECK(command.arguments == Words{nvcc, "-DA=x y", "-c", "a.cu"});
}

TEST_CASE("options in a file that NVCC_PREPEND_FLAGS or NVCC_APPEND_FLAGS names were lost with the file") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "nvcc");
  const CompilerCommand command = only(watch_lines(
      "cd " + folder.path().string() +
      "; echo '-DA=\"x y\" -DB' > first.rsp; echo -lineinfo > last.rsp; NVCC_PREPEND_FLAGS='-DC --options-file "
      "first.rsp' NVCC_APPEND_FLAGS=-optf=last.rsp " +
      nvcc.string() + " -c a.cu; rm *.rsp"));
  CHECK(command.arguments == Words{nvcc, "-DC", "-DA=x y", "-DB", "-c", "a.cu", "-lineinfo"});
  const auto is_taken = [](const auto& variable) { return variable.first.starts_with("NVCC_"); };
  CHECK(std::ranges::none_of(command.environment, is_taken));
}

TEST_CASE("flags of nvcc's variables that name no file stay where they are") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "nvcc");
  const CompilerCommand command = only(watch_lines("NVCC_APPEND_FLAGS='-DA -DB' " + nvcc.string() + " -c a.cu; true"));
  CHECK(command.arguments == Words{nvcc, "-c", "a.cu"});
  CHECK(std::ranges::count(command.environment, std::pair<std::string, std::string>("NVCC_APPEND_FLAGS", "-DA -DB")) ==
        1);
}

TEST_CASE("behind ccache and sccache stands the compiler") {
  const TemporaryFolder folder;
  const fs::path nvcc = make_program(folder, "cuda/nvcc");
  for (const char* const name : {"ccache", "sccache"}) {
    const fs::path cache = make_program(folder, name);
    const CompilerCommand command = only(watch({cache, nvcc, "-c", "a.cu"}));
    CHECK(command.program == nvcc);
    CHECK(command.arguments == Words{nvcc, "-c", "a.cu"});
  }
  const std::string path = "PATH=" + folder.path().string() + "/links:" + folder.path().string() + "/cuda:$PATH; ";
  CHECK(only(watch_lines(path + "exec " + (folder / "ccache").string() + " sloppiness=none nvcc -c a.cu")).program ==
        nvcc);
  fs::create_directory(folder / "links");
  fs::create_symlink(folder / "ccache", folder / "links/nvcc");
  CHECK(only(watch_lines(path + "nvcc -c a.cu; true")).program == nvcc);
  CHECK(watch({folder / "ccache", "g++", "-c", "a.cpp"}).commands.empty());
  CHECK(watch({folder / "ccache", "-s"}).commands.empty());
}

TEST_CASE("what compiles nothing, or no CUDA, is not recorded") {
  const TemporaryFolder folder;
  const std::string nvcc = make_program(folder, "nvcc"), clang = make_program(folder, "clang++-16");
  const WatchedBuild build =
      watch_lines(nvcc + " --version > /dev/null; " + nvcc + " --dryrun a.cu; " + nvcc + " -c a.cpp; " + clang +
                  " -c a.cpp; " + nvcc + " -dlink a.o -o d.o; " + clang + " -c a.cu");
  REQUIRE(build.commands.size() == 2);
  CHECK(work_of(build.commands[0]) == Work::link);
  CHECK(build.commands[1].program == clang);
}

TEST_CASE("of the environment only what changes a compiler is recorded") {
  const TemporaryFolder folder;
  const CompilerCommand command = only(watch_lines("PASSWORD=secret CPATH=/some/headers NVCC_APPEND_FLAGS='-DA=1 -G' " +
                                                   make_program(folder, "nvcc").string() + " -c a.cu; true"));
  const auto has = [&](const std::string& name, const std::string& value) {
    return std::ranges::find(command.environment, std::pair(name, value)) != command.environment.end();
  };
  CHECK(has("CPATH", "/some/headers"));
  CHECK(has("NVCC_APPEND_FLAGS", "-DA=1 -G"));
  CHECK_FALSE(has("PASSWORD", "secret"));
}

TEST_CASE("a build that fails keeps its exit code or signal, and what was recorded") {
  const TemporaryFolder folder;
  const std::string nvcc = make_program(folder, "nvcc");
  const WatchedBuild failed = watch_lines(nvcc + " -c a.cu; exit 5");
  CHECK(failed.status.code == 5);
  CHECK(failed.commands.size() == 1);
  const WatchedBuild killed = watch_lines(nvcc + " -c a.cu; kill -9 $$");
  CHECK(killed.status.signal == SIGKILL);
  CHECK(killed.commands.size() == 1);
}

TEST_CASE("two hundred compilers at once are all recorded") {
  const TemporaryFolder folder;
  const WatchedBuild build = watch({kStarter, "many", "200", make_program(folder, "nvcc"), "-c", "{N}.cu"});
  CHECK(build.status.code == 0);
  std::vector<std::string> sources;
  for (const CompilerCommand& command : build.commands) sources.push_back(command.arguments.at(2));
  std::ranges::sort(sources);
  CHECK(std::ranges::unique(sources).empty());
  CHECK(sources.size() == 200);
}

TEST_CASE("signals arrive, and processes stop and go on, as if nobody watched") {
  CHECK(watch({kStarter, "signals"}).status.code == 0);
  CHECK(watch({kStarter, "stop"}).status.code == 0);
}

TEST_CASE("what a build leaves behind is not waited for, and runs on") {
  const TemporaryFolder folder;
  CHECK(watch({kStarter, "daemon", folder / "said"}).status.code == 0);
  const auto said = [&] {
    int pid = 0, count = 0;
    if (std::sscanf(read_bytes(folder / "said").c_str(), "%d %d", &pid, &count) != 2) pid = 0;
    return std::pair(pid, count);
  };
  while (said().first == 0 || said().second < 2) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto [pid, count] = said();
  for (int i = 0; i < 5000 && said().second < count + 3; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  CHECK(said().second >= count + 3);
  kill(pid, SIGKILL);
}

TEST_CASE("an interrupted build is ended with all below it, and what was seen is kept") {
  const TemporaryFolder folder;
  const std::string nvcc = make_program(folder, "nvcc");
  std::atomic<bool> interrupted = false;
  std::thread user([&] {
    while (read_bytes(folder / "pid").empty()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    interrupted = true;
  });
  const WatchedBuild build = watch_build({.command = {"sh", "-c",
                                                      nvcc + " -c a.cu; trap '' TERM; sh -c 'echo $$ > " +
                                                          (folder / "pid").string() + "; while :; do sleep 1; done'"},
                                          .grace = std::chrono::milliseconds(100)},
                                         interrupted);
  user.join();
  CHECK(build.commands.size() == 1);
  CHECK(build.status.signal == SIGKILL);
  CHECK(has_ended(std::atoi(read_bytes(folder / "pid").c_str())));
}

TEST_CASE("a build that cannot be started is one sentence") {
  CHECK(contains(error_of([] { watch({"/nowhere/make"}); }), "/nowhere/make could not be started"));
}
