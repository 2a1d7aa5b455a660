#include "tuner/host/jobs.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <string>

#include "tests/support/files.hpp"
#include "tuner/error.hpp"
#include "tuner/host/shortage.hpp"
#include "tuner/host/work_folder.hpp"
#include "tuner/process/process_tree.hpp"

using namespace tuner;
using namespace tuner::host;
using tuner::test::contains;

namespace {

Job shell(const std::string& script) {
  return {.command = {"/bin/sh", "-c", script}};
}

Job run(Job job, const JobLimits& limits = {}) {
  std::vector<Job> jobs{std::move(job)};
  run_jobs(jobs, limits);
  return jobs.front();
}

std::string lack_of(const Job& job, const JobLimits& limits = {}) {
  return shortage(job, "It", limits);
}

}  // namespace

TEST_CASE("a job says how it ended, what it said, and whether it wrote its file") {
  CHECK(run(shell("exit 0")).ok);
  const Job failed = run(shell("echo because >&2; exit 3"));
  CHECK(failed.done);
  CHECK_FALSE(failed.ok);
  CHECK_EQ(failed.how, "exited with status 3");
  CHECK_EQ(failed.messages, "because");
  CHECK_EQ(lack_of(failed), "");
  Job idle = shell("exit 0");
  idle.output = "/nonexistent/kernel.o";
  CHECK_EQ(run(idle).how, "wrote no file kernel.o");
}

TEST_CASE("a program that prints without end takes no memory") {
  const Job job = run(shell("yes >&2; exit 4"));
  CHECK_EQ(job.how, "exited with status 4");
  CHECK_GT(job.messages.size(), std::size_t{1} << 19);
  CHECK_LE(job.messages.size(), std::size_t{1} << 20);
}

TEST_CASE("jobs that hold more memory than they may together are stopped, and what started them tells") {
  const Adoption adoption;
  const JobLimits limits{.memory = std::uint64_t{300} << 20};
  const Job job = run(shell("head -c 3000000000 /dev/zero | tail >/dev/null; exit 5"), limits);
  CHECK(job.starved);
  CHECK_EQ(job.how, "exited with status 5");
  CHECK(contains(lack_of(job, limits), "more than 300 MB"));
  const Job alone = run(shell("exec tail /dev/zero"), limits);
  CHECK(alone.starved);
  CHECK_EQ(alone.signal, SIGKILL);
  const Job modest = run(shell("exit 0"), limits);
  CHECK(modest.ok);
}

TEST_CASE("memory that a process holds whose parent has ended is its job's, which is not killed for it") {
  const Adoption adoption;
  const JobLimits limits{.memory = std::uint64_t{300} << 20};
  // The outer one waits until the reader of /dev/zero has ended, which has closed the pipe then.
  const Job job = run(shell("(tail /dev/zero & echo) | cat >/dev/null; exit 8"), limits);
  CHECK_EQ(job.how, "exited with status 8");
  CHECK(job.starved);
}

TEST_CASE("processes whose parents have ended do not hide the job that starts them without end") {
  const Adoption adoption;
  const JobLimits limits{.processes = 30};
  const Job job = run(shell("for i in $(seq 1000); do (sleep 1000 & exit); done; sleep 1000"), limits);
  CHECK(job.crowded);
  CHECK_EQ(job.signal, SIGKILL);
}

TEST_CASE("a program that starts processes without end is stopped with all of them") {
  const Adoption adoption;
  const JobLimits limits{.processes = 30};
  const Job job = run(shell("for i in $(seq 1000); do sleep 1000 & done; wait; exit 6"), limits);
  CHECK(job.crowded);
  CHECK(contains(lack_of(job, limits), "more than 30 processes"));
  // One that began a group for them is left to tell.
  const Job leader = run(shell("setsid sh -c 'for i in $(seq 1000); do sleep 1000 & done; wait'; exit 7"), limits);
  CHECK(leader.crowded);
  CHECK_EQ(leader.how, "exited with status 7");
}

TEST_CASE("what a job leaves behind in a session of its own ends with the adoption") {
  {
    const Adoption adoption;
    CHECK(run(shell("setsid sleep 1000 & exit 0")).ok);
    CHECK_FALSE(descendants(getpid()).empty());
  }
  CHECK(descendants(getpid()).empty());
}

TEST_CASE("jobs that are told to stop leave nothing that runs") {
  const Adoption adoption;
  const std::atomic<bool> stop{true};
  const JobLimits limits{.stop = &stop};
  CHECK_FALSE(run(shell("sleep 1000"), limits).done);
  CHECK(descendants(getpid()).empty());
}

TEST_CASE("programs put their temporary files where they are told") {
  const JobLimits limits{.temporary = "/some where"};
  CHECK_EQ(run(shell("echo $TMPDIR >&2"), limits).messages, "/some where");
}

TEST_CASE("a job that was killed, or lacked something, is told from one that failed, and what lacked is named") {
  CHECK(contains(lack_of(run(shell("kill -KILL $$"))), "was killed by another program or by the system"));
  CHECK(contains(lack_of(run(shell("kill -XFSZ $$"))), "ulimit -f"));
  CHECK(contains(lack_of(run(shell("kill -XCPU $$"))), "ulimit -t"));
  CHECK(contains(lack_of(run(shell("kill -TERM $$"))), "by another program"));
  CHECK_EQ(lack_of(run(shell("kill -SEGV $$"))), "");
  Job late = shell("sleep 1000");
  late.limit = std::chrono::seconds(0);
  CHECK(contains(lack_of(run(late)), "had not finished after 0 s"));
  struct Said {
    std::string words, way_out;
  };
  for (const Said& said :
       {Said{"g++: fatal error: Killed signal terminated program cc1plus", "--workers 1"},
        Said{"cc1plus: out of memory allocating 65536 bytes after a total of 123 bytes", "ulimit -v"},
        Said{"g++: fatal error: cannot execute 'cc1plus': vfork: Resource temporarily unavailable", "ulimit -u"},
        Said{"ld: final link failed: No space left on device", "TMPDIR"},
        Said{"as: can't open: Too many open files", "ulimit -n"}}) {
    CAPTURE(said.words);
    CHECK(contains(shortage_in(said.words, "It", {}), said.way_out));
  }
  CHECK_EQ(shortage_in("kernel.cu:3: error: expected ';'", "It", {}), "");
}

TEST_CASE("words of a source that a compiler quotes were taken for a shortage of memory") {
  for (const char* said : {
           "kernel.cu:3:8: error: 'undefined_name' was not declared\n    3 | y[i]=undefined_name; // \"out of memory\"",
           "kernel.cu:3:2: error: #error \"out of memory\"",
           "/usr/include/c++/12/new: In member function 'virtual const char* std::bad_alloc::what() const':",
           "/usr/include/c++/12/new:55:9: note: candidate: 'std::bad_alloc::bad_alloc()'",
           "In file included from Cannot allocate memory.cuh:3,\n                 from kernel.cu:1:",
           "kernel.cu:1:10: fatal error: out of memory: No such file or directory",
       }) {
    CAPTURE(said);
    CHECK_EQ(shortage_in(said, "It", {}), "");
  }
  for (const char* said :
       {"kernel.cu:3:1: fatal error: error writing to /tmp/x.s: No space left on device",
        "kernel.cu:1:10: fatal error: a.cuh: Too many open files",
        "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc",
        "/tmp/x.s: Assembler messages:\n/tmp/x.s: Fatal error: can't write 9 bytes: 'No space left on device'"}) {
    CAPTURE(said);
    CHECK_NE(shortage_in(said, "It", {}), "");
  }
}

TEST_CASE("what was made here and cannot be started is not the toolkit's fault") {
  const JobLimits limits{.temporary = "/a/tuner-check-1/tmp"};
  Job job;
  job.command = {"/a/tuner-check-1/run_memory"};
  job.start_error = EACCES;
  CHECK(contains(lack_of(job, limits), "set TMPDIR to a folder where you can write files and run programs"));
  job.start_error = EMFILE;
  CHECK(contains(lack_of(job, limits), "ulimit -n"));
  job.command = {"/usr/bin/c++"};
  job.start_error = EACCES;
  CHECK_EQ(lack_of(job, limits), "");
}

TEST_CASE("the folder of a check is this user's alone and goes with everything in it") {
  std::filesystem::path path;
  {
    const WorkFolder folder;
    path = folder.path();
    CHECK_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
    write_file(folder.temporary() / "deep/file", "text");
    CHECK_EQ(read_file(folder.temporary() / "deep/file"), "text");
    CHECK_EQ(read_file(folder.temporary() / "deep/file", 2), "te");
    CHECK_EQ(read_file(folder.path() / "none"), "");
    CHECK_THROWS_AS(write_file(folder.temporary(), "a folder"), Error);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
