#include "tuner/process/spawn.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/processes.hpp"

#include <doctest/doctest.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>

#include "tuner/error.hpp"
#include "tuner/process/process_tree.hpp"

using namespace tuner;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

ChildProcess start(std::vector<std::string> arguments = {}, std::vector<std::string> environment = {}) {
  return ChildProcess(
      {.program = TUNER_TEST_CHILD, .arguments = std::move(arguments), .environment = std::move(environment)});
}

std::string ask(ChildProcess& child, const std::string& type, const std::string& body = {}) {
  child.channel().send({type, body, {}});
  const std::optional<Message> answer = child.channel().receive_until(Clock::now() + 2min);
  REQUIRE(answer);
  return answer->body;
}

/// As fork does, with this number; nothing if that cannot be.
std::optional<pid_t> fork_with_number(pid_t number) {
  clone_args how{};
  how.exit_signal = SIGCHLD;
  how.set_tid = reinterpret_cast<std::uintptr_t>(&number);
  how.set_tid_size = 1;
  const long pid = syscall(SYS_clone3, &how, sizeof how);
  return pid < 0 ? std::nullopt : std::optional(static_cast<pid_t>(pid));
}

}  // namespace

TEST_CASE("a child answers over its channel and descriptors travel both ways") {
  ChildProcess child = start();
  Message message{"echo", "hello", {}};
  message.fds.push_back(memfd_from_text("payload"));
  REQUIRE(child.channel().send(message));
  const std::optional<Message> answer = child.channel().receive_until(Clock::now() + 2min);
  REQUIRE(answer);
  CHECK(answer->body == "hello");
  REQUIRE(answer->fds.size() == 1);
  CHECK(text_from_memfd(answer->fds[0].get()) == "payload");
}

TEST_CASE("a child gets its arguments and the environment with additions that replace") {
  setenv("TUNER_TEST_KEPT", "kept", 1);
  setenv("TUNER_TEST_REPLACED", "old", 1);
  ChildProcess child = start({"device"}, {"TUNER_TEST_REPLACED=new", "TUNER_TEST_ADDED=added"});
  CHECK(ask(child, "argument") == "device");
  CHECK(ask(child, "environment", "TUNER_TEST_KEPT") == "kept");
  CHECK(ask(child, "environment", "TUNER_TEST_REPLACED") == "new");
  CHECK(ask(child, "environment", "TUNER_TEST_ADDED") == "added");
}

TEST_CASE("a child may start in a folder and with an environment of its own") {
  ChildProcess child({.program = TUNER_TEST_CHILD,
                      .environment = {"TUNER_ONLY=one"},
                      .folder = "/usr",
                      .only_this_environment = true});
  CHECK_EQ(ask(child, "folder"), "/usr");
  CHECK_EQ(ask(child, "environment", "TUNER_ONLY"), "one");
  CHECK_EQ(ask(child, "environment", "PATH"), "(unset)");
}

TEST_CASE("a child sees no descriptor but its own four and has a group of its own") {
  const UniqueFd leaky(dup(1));  // not close-on-exec, as in a careless application
  ChildProcess child = start();
  CHECK(ask(child, "descriptors") == "0 1 2 3 ");
  CHECK(ask(child, "group") == std::to_string(child.pid()));
}

TEST_CASE("the end of a child is described in words") {
  ChildProcess child = start();
  const auto end = [&] {
    const auto status = child.wait_until(Clock::now() + 2min);
    REQUIRE(status);
    return status->text();
  };
  SUBCASE("by itself") {
    CHECK_FALSE(child.try_wait());
    child.channel().send({"exit", "3", {}});
    CHECK(end() == "exited with status 3");
    CHECK_FALSE(child.channel().receive());
    CHECK(child.channel().closed());
  }
  SUBCASE("killed") {
    child.kill();
    CHECK(end() == "ended by signal 9 (Killed)");
    child.kill();  // of no effect on whoever has the number now
  }
  SUBCASE("aborted") {
    child.channel().send({"abort", "", {}});
    CHECK(end() == "ended by signal 6 (Aborted)");
  }
}

TEST_CASE("the exit descriptor becomes readable when the child ends") {
  ChildProcess child = start();
  if (child.exit_fd() < 0) return;  // kernels before 5.3
  pollfd entry{child.exit_fd(), POLLIN, 0};
  CHECK(poll(&entry, 1, 0) == 0);
  child.kill();
  CHECK(poll(&entry, 1, 20000) == 1);
}

TEST_CASE("the last words on stderr are kept, cut at a line") {
  ChildProcess child = start();
  child.channel().send({"complain", "first\n" + std::string(5000, 'x') + "\nthe reason\n\n", {}});
  child.channel().send({"exit", "1", {}});
  REQUIRE(child.wait_until(Clock::now() + 2min));
  CHECK(child.stderr_tail() == "the reason");
  CHECK(child.stderr_tail(100'000).starts_with("first\n"));
}

TEST_CASE("destroying a child takes down what it started") {
  pid_t child_pid = -1, grandchild = -1;
  {
    ChildProcess child = start();
    child_pid = child.pid();
    grandchild = static_cast<pid_t>(std::stol(ask(child, "fork")));
    REQUIRE(kill(grandchild, 0) == 0);
  }
  CHECK(kill(child_pid, 0) != 0);
  CHECK(test::has_ended(grandchild));
}

TEST_CASE("what a child started in a session of its own is not left behind when it is killed") {
  pid_t detached = -1;
  {
    ChildProcess child = start();
    detached = static_cast<pid_t>(std::stol(ask(child, "detach")));
    REQUIRE(kill(detached, 0) == 0);
    REQUIRE(getsid(detached) != getsid(child.pid()));
  }
  CHECK(test::has_ended(detached));
  kill(detached, SIGKILL);
}

TEST_CASE("an orphan ends with who adopted it, and is collected") {
  pid_t orphan = -1;
  {
    const Adoption adoption;
    ChildProcess child = start();
    orphan = static_cast<pid_t>(std::stol(ask(child, "detach", "orphan")));
    child.channel().close();
    REQUIRE(child.wait_until(Clock::now() + 2min));
    REQUIRE(kill(orphan, 0) == 0);
    const std::vector<Descendant> all = descendants(getpid());
    CHECK(std::any_of(all.begin(), all.end(), [&](const Descendant& one) { return one.pid == orphan; }));
  }
  CHECK(kill(orphan, 0) != 0);
  kill(orphan, SIGKILL);
}

TEST_CASE("a child that says more than is kept loses the rest, and takes no memory for it") {
  ChildProcess child({.program = TUNER_TEST_CHILD, .most_said = 10});
  child.channel().send({"complain", "first 6789", {}});
  ask(child, "echo");
  CHECK(child.stderr_tail() == "first 6789");
  child.channel().send({"complain", "and more", {}});
  ask(child, "echo");
  CHECK(child.stderr_tail() == "first 6789");
  ChildProcess brief({.program = TUNER_TEST_CHILD, .most_said = 1000});
  brief.channel().send({"complain", "brief", {}});
  ask(brief, "echo");
  CHECK(brief.stderr_tail() == "brief");
}

TEST_CASE("a program that cannot be started for want of descriptors is no bug, and the sentence names the limit") {
  rlimit limit{};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const int next = dup(0);
  REQUIRE(next >= 0);
  close(next);
  rlimit few = limit;
  few.rlim_cur = static_cast<rlim_t>(next) + 3;
  setrlimit(RLIMIT_NOFILE, &few);
  const std::string sentence =
      test::error_of(Errc::shortage, [] { ChildProcess child({.program = TUNER_TEST_CHILD}); });
  setrlimit(RLIMIT_NOFILE, &limit);
  CHECK(sentence.find("Too many open files") != std::string::npos);
  CHECK(sentence.find("ulimit -n") != std::string::npos);
}

TEST_CASE("destroying a child that cannot be collected takes no longer than its patience") {
  // The end of a process that is traced is shown to its tracer first, and to its parent only when the tracer has seen
  // it.
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  std::optional<ChildProcess> child(std::in_place, SpawnOptions{TUNER_TEST_CHILD, {}, {}, /*patience=*/300ms});
  const pid_t pid = child->pid();
  const pid_t tracer = fork();
  if (tracer == 0) {
    const char traced = ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) == 0 ? 'y' : 'n';
    if (write(ready[1], &traced, 1) != 1) _exit(1);
    while (true) pause();
  }
  char traced = 0;
  REQUIRE(read(ready[0], &traced, 1) == 1);
  const auto begin = Clock::now();
  child.reset();
  if (traced == 'y') CHECK(Clock::now() - begin > 250ms);
  if (traced == 'n') MESSAGE("this system lets nobody trace a sibling: nothing was delayed");
  kill(tracer, SIGKILL);
  waitpid(tracer, nullptr, 0);
  if (traced == 'y') CHECK(waitpid(pid, nullptr, 0) == pid);  // it was left behind
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("a child is not taken down by another one that its parent has forked") {
  std::optional<ChildProcess> child(start());
  const pid_t forked = fork();
  if (forked == 0) {
    child->kill();
    child.reset();
    _exit(0);
  }
  int status = -1;
  REQUIRE(waitpid(forked, &status, 0) == forked);
  CHECK(status == 0);
  CHECK(ask(*child, "echo", "still here") == "still here");
}

TEST_CASE("a stranger that has the number of a child that was collected is neither killed nor waited for") {
  constexpr int kImpossible = 77, kAlive = 7;
  // Numbers can be chosen in a namespace of one's own.
  const pid_t outer = fork();
  if (outer == 0) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) _exit(kImpossible);
    const pid_t first = fork();
    if (first == 0) {
      std::optional<ChildProcess> child(start());
      signal(SIGCHLD, SIG_IGN);
      pollfd entry{child->exit_fd(), POLLIN, 0};
      child->channel().close();
      if (entry.fd < 0 || poll(&entry, 1, -1) != 1) _exit(kImpossible);
      signal(SIGCHLD, SIG_DFL);
      int ends[2];
      if (pipe(ends) != 0) _exit(kImpossible);
      const std::optional<pid_t> stranger = fork_with_number(child->pid());
      if (!stranger) _exit(kImpossible);
      if (*stranger == 0) {
        setpgid(0, 0);
        close(ends[1]);
        char end = 0;
        _exit(read(ends[0], &end, 1) == 0 ? kAlive : 1);
      }
      setpgid(*stranger, *stranger);
      child.reset();
      close(ends[1]);
      int status = 0;
      const bool collected = waitpid(*stranger, &status, 0) == *stranger;
      _exit(collected && WIFEXITED(status) && WEXITSTATUS(status) == kAlive ? 0 : 1);
    }
    int status = 0;
    waitpid(first, &status, 0);
    _exit(first > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : kImpossible);
  }
  int status = -1;
  REQUIRE(waitpid(outer, &status, 0) == outer);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kImpossible) {
    MESSAGE("SKIPPED: this user may not choose a process's number");
    return;
  }
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("what a child forked dies with it") {
  ChildProcess child = start();
  const auto grandchild = static_cast<pid_t>(std::stol(ask(child, "fork")));
  kill(child.pid(), SIGKILL);
  CHECK(test::has_ended(grandchild));
}

TEST_CASE("a child ends when its parent's channel closes") {
  ChildProcess child = start();
  child.channel().close();
  const auto status = child.wait_until(Clock::now() + 2min);
  REQUIRE(status);
  CHECK(status->code == 0);
}

TEST_CASE("a moved child stays one child") {
  ChildProcess child = start();
  const pid_t pid = child.pid();
  ChildProcess moved = std::move(child);
  CHECK(moved.pid() == pid);
  CHECK(ask(moved, "echo", "still here") == "still here");
  moved = start();
  CHECK(kill(pid, 0) != 0);
  CHECK(ask(moved, "echo", "another") == "another");
}

TEST_CASE("a program that cannot be started is an error that names it") {
  const std::string sentence =
      test::error_of(Errc::no_worker, [] { ChildProcess child({.program = "/nonexistent/tuner-worker"}); });
  CHECK(sentence.find("/nonexistent/tuner-worker") != std::string::npos);
  CHECK(sentence.find("No such file") != std::string::npos);
}

TEST_CASE("a worker program started by hand says what it is") {
  CHECK_THROWS_AS(worker_channel(), Error);
}
