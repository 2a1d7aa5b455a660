#include "tuner/process/worker_program.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tuner/error.hpp"
#include "tuner/process/spawn.hpp"
#include "tuner/process/usable_cores.hpp"

using namespace tuner;
namespace fs = std::filesystem;

TEST_CASE("TUNER_LIBEXEC decides alone where the worker program is") {
  const test::TemporaryFolder folder;
  setenv("TUNER_LIBEXEC", folder.path().c_str(), 1);
  const fs::path file = folder.path() / "tuner-worker";
  CHECK(test::contains(test::error_of(Errc::no_worker, find_worker_program), file.string()));
  folder.write("tuner-worker", "#!/bin/sh\n");
  CHECK_THROWS_AS(find_worker_program(), Error);  // not executable
  fs::permissions(file, fs::perms::owner_all);
  CHECK(find_worker_program() == file);
  unsetenv("TUNER_LIBEXEC");
}

TEST_CASE("the worker program is looked for beside the program, then where it is in an installed tree") {
  unsetenv("TUNER_LIBEXEC");
  const std::vector<fs::path> candidates = program_candidates(kWorkerProgram);
  REQUIRE(candidates.size() >= 3);
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  CHECK(candidates[0] == here / "tuner-worker");
  CHECK(candidates[1] == (here / "../libexec/tuner/tuner-worker").lexically_normal());
  CHECK(candidates.back().is_absolute());
}

TEST_CASE("a program that was started with a relative name and has changed its folder looks in its own still") {
  const test::TemporaryFolder folder;
  const fs::path child = TUNER_TEST_CHILD;
  folder.write(child.filename(), "somebody else's");
  const fs::path before = fs::current_path();
  fs::current_path(child.parent_path());
  ChildProcess process({.program = fs::path(".") / child.filename()});
  fs::current_path(before);
  process.channel().send({"candidate from", folder.path().string(), {}});
  const auto answer = process.channel().receive_until(std::chrono::steady_clock::now() + std::chrono::minutes(2));
  REQUIRE(answer);
  CHECK(answer->body == fs::canonical(child).parent_path() / kWorkerProgram);
}

TEST_CASE("a cgroup quota limits the cores at every level") {
  const test::TemporaryFolder root;
  CHECK_FALSE(cgroup_cores(root.path(), "0::/\n"));
  root.write("a/b/cpu.max", "max 100000\n");
  CHECK_FALSE(cgroup_cores(root.path(), "0::/a/b\n"));
  root.write("a/cpu.max", "350000 100000\n");
  CHECK(cgroup_cores(root.path(), "0::/a/b\n") == 4);
  root.write("a/b/cpu.max", "50000 100000\n");
  CHECK(cgroup_cores(root.path(), "0::/a/b\n") == 1);
  CHECK(cgroup_cores(root.path(), "0::/a\n") == 4);
  CHECK_FALSE(cgroup_cores(root.path(), "0::/../../elsewhere\n"));
}

TEST_CASE("a cgroup quota of the first version is read too") {
  const test::TemporaryFolder root;
  root.write("cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
  root.write("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  CHECK(cgroup_cores(root.path(), "7:memory:/job\n4:cpu,cpuacct:/job\n") == 2);
  CHECK_FALSE(cgroup_cores(root.path(), "7:cpuset:/job\n"));
  root.write("cpu,cpuacct/job/cpu.cfs_quota_us", "-1\n");
  CHECK_FALSE(cgroup_cores(root.path(), "4:cpu,cpuacct:/job\n"));
}

TEST_CASE("damaged cgroup files mean no quota") {
  const test::TemporaryFolder root;
  for (const char* text : {"", "max", "100000", "100000 0", "x y", "-5 100000"}) {
    root.write("cpu.max", text);
    CHECK_FALSE(cgroup_cores(root.path(), "0::/\n"));
  }
  CHECK_FALSE(cgroup_cores(root.path(), "nonsense\n::\n"));
}

TEST_CASE("there is always a core to use") {
  CHECK(usable_cores() >= 1);
}
