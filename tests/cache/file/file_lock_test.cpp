#include "cache/file/file_lock.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <thread>

#include "cache/store/lease.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

FileLock lock_in(const TemporaryFolder& folder, std::int64_t number = 0) {
  return {folder / "lock", number, FileLock::Sharing::user};
}

/// A process that takes the lock and keeps it until it is killed.
class Holder {
 public:
  explicit Holder(const std::function<FileLock()>& open) {
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    pid_ = start_child([&] {
      FileLock lock = open();
      const char answer = lock.try_take("the other one") ? 'y' : 'n';
      if (write(ready[1], &answer, 1) != 1) _exit(1);
      pause();
    });
    char answer = 0;
    REQUIRE(read(ready[0], &answer, 1) == 1);
    close(ready[0]);
    close(ready[1]);
    CHECK(answer == 'y');
  }
  ~Holder() { end(); }
  void end() {
    if (pid_ == 0) return;
    kill(pid_, SIGKILL);
    waitpid(std::exchange(pid_, 0), nullptr, 0);
  }

 private:
  pid_t pid_ = 0;
};

TEST_CASE("one process has the lock, another one does not get it and learns who has it") {
  const TemporaryFolder folder;
  Holder other([&] { return lock_in(folder); });
  FileLock lock = lock_in(folder);
  CHECK_FALSE(lock.try_take("me"));
  CHECK_FALSE(lock.taken());
  CHECK(lock.holder() == "the other one");
}

TEST_CASE("what another process says of itself is one printable line, whatever it wrote") {
  const TemporaryFolder folder;
  FileLock lock = lock_in(folder);
  REQUIRE(lock.try_take("process 1\non \x1b[31mnode\r\x7f\xc2\x9b"));
  CHECK(lock_in(folder).holder() == "process 1on [31mnode");
}

TEST_CASE("the lock of a process that was killed is free at once") {
  const TemporaryFolder folder;
  Holder other([&] { return lock_in(folder); });
  FileLock lock = lock_in(folder);
  REQUIRE_FALSE(lock.try_take("me"));
  other.end();
  CHECK(lock.try_take("me"));
  CHECK(lock_in(folder).holder() == "me");
}

TEST_CASE("two locks of one process exclude each other as two processes' do, and closing one frees no other") {
  const TemporaryFolder folder;
  FileLock first = lock_in(folder);
  REQUIRE(first.try_take("first"));
  {
    FileLock second = lock_in(folder);
    CHECK_FALSE(second.try_take("second"));
  }
  FileLock third = lock_in(folder);
  CHECK_FALSE(third.try_take("third"));
  first.release();
  CHECK(third.try_take("third"));
}

TEST_CASE("locks with different numbers have nothing to do with each other, nor do their holders") {
  const TemporaryFolder folder;
  FileLock first = lock_in(folder, 5);
  FileLock same_field = lock_in(folder, 5 + 1024);
  REQUIRE(first.try_take("first"));
  CHECK_FALSE(same_field.holder());
  CHECK(same_field.try_take("second"));
  CHECK_FALSE(lock_in(folder, 5).holder());
  CHECK_FALSE(lock_in(folder, 5).try_take("third"));
}

TEST_CASE("a program that the holder started does not keep the lock") {
  const TemporaryFolder folder;
  pid_t sleeper = 0;
  {
    FileLock lock = lock_in(folder);
    REQUIRE(lock.try_take("me"));
    sleeper = fork();
    if (sleeper == 0) {
      execlp("sleep", "sleep", "60", nullptr);
      _exit(1);
    }
    // Until it runs its program, the child still has the descriptor.
    for (int i = 0; i < 12000; ++i) {
      if (contains(read_bytes("/proc/" + std::to_string(sleeper) + "/comm"), "sleep")) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  CHECK(lock_in(folder).try_take("another"));
  kill(sleeper, SIGKILL);
  waitpid(sleeper, nullptr, 0);
}

TEST_CASE("a lock file is private, unless everybody is to share it") {
  const TemporaryFolder folder;
  const mode_t mask = umask(022);
  const FileLock mine(folder / "mine", 0, FileLock::Sharing::user);
  const FileLock ours(folder / "ours", 0, FileLock::Sharing::everybody);
  umask(mask);
  CHECK(mode_of(folder / "mine") == 0600);
  CHECK(mode_of(folder / "ours") == 0666);
}

TEST_CASE("every user may take a lock that everybody shares, in a folder like /tmp, too") {
  const TemporaryFolder folder;
  REQUIRE(chmod(folder.path().c_str(), 01777) == 0);
  const auto open = [&] { return FileLock(folder / "ours", 0, FileLock::Sharing::everybody); };
  open();
  CHECK(in_unprivileged_child([&] {
          FileLock lock = open();
          if (!lock.try_take("nobody")) throw std::runtime_error("not taken");
        }) == 0);
  CHECK(open().holder() == "nobody");
}

TEST_CASE("what is no lock file is not touched") {
  const TemporaryFolder folder;
  write_bytes(folder / "precious", "text");
  std::filesystem::create_symlink(folder / "precious", folder / "link");
  std::filesystem::create_directory(folder / "folder");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const char* const name : {"link", "folder", "pipe", "missing/lock"}) {
    INFO(name);
    check_error(Errc::store_unavailable, {(folder / name).string()},
                [&] { FileLock(folder / name, 0, FileLock::Sharing::everybody).try_take("me"); });
  }
  CHECK(read_bytes(folder / "precious") == "text");
}

TEST_CASE("a lock file that is a hard link to another file is refused, and that file stays as it is") {
  const TemporaryFolder folder;
  write_bytes(folder / "precious", "");
  std::filesystem::create_hard_link(folder / "precious", folder / "lock");
  check_error(Errc::store_unavailable, {(folder / "lock").string() + " is a hard link to a file with other names"},
              [&] { FileLock(folder / "lock", 0, FileLock::Sharing::everybody); });
  CHECK(std::filesystem::file_size(folder / "precious") == 0);
}

TEST_CASE("a file of another kind that was given the lock's name is locked, and stays as it is") {
  const TemporaryFolder folder;
  const std::string text = "what somebody wrote, which is longer than a number";
  write_bytes(folder / "lock", text);
  FileLock lock = lock_in(folder);
  CHECK(lock.try_take("me"));
  CHECK_FALSE(lock_in(folder).try_take("another"));
  CHECK(read_bytes(folder / "lock") == text);
}

TEST_CASE("a process has the lease on a key, not on others, and not in another database") {
  const TemporaryFolder folder;
  DecisionKey other = some_key();
  other.mode = "warm";
  Holder holder([&] { return lease_on(some_key(), folder / "decisions.db"); });
  CHECK_FALSE(lease_on(some_key(), folder / "decisions.db").try_take("me"));
  CHECK(lease_on(other, folder / "decisions.db").try_take("me"));
  CHECK(lease_on(some_key(), folder / "other.db").try_take("me"));
  CHECK_FALSE(std::filesystem::exists(folder / "decisions.db"));
}

TEST_CASE("this process names itself by number and host") {
  CHECK(contains(this_process(), "process " + std::to_string(getpid()) + " on "));
}

}  // namespace
}  // namespace tuner::cache::test
