#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <optional>
#include <random>
#include <thread>

#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOther = 12345;

Binary binary_with(const std::string& code) {
  return test::binary_of("the key", code, code.size());
}

/// Waits until a child of this process has opened a file that it also inherited; false if it ended before.
bool has_opened(pid_t child, const fs::path& file) {
  for (siginfo_t ended{}; ended.si_pid == 0;) {
    int open = 0;
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(child) + "/fd", gone)) {
      open += fs::read_symlink(entry.path(), gone) == file ? 1 : 0;
    }
    if (open > 1) return true;
    REQUIRE(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT | WNOHANG) == 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// `shared/` belongs to another user, who has prepared a database in `shared/db`; `private/` is this user's own.
class TwoUsers {
 public:
  TwoUsers() {
    fs::create_directories(theirs());
    fs::create_directories(folder_ / "private");
    REQUIRE(chmod((folder_ / "private").c_str(), 0700) == 0);
    BinaryStore::open({.path = theirs() / "binaries.db"})->put(binary_with("theirs"));
    BinaryStore::open({.path = folder_ / "private/binaries.db"})->put(binary_with("ours"));
    for (const char* const name : {"shared", "shared/db", "shared/db/binaries.db"}) {
      REQUIRE(chown((folder_ / name).c_str(), kOther, kOther) == 0);
    }
    fs::create_directory_symlink(folder_ / "private", folder_ / "shared/link");
  }
  fs::path theirs() const { return folder_ / "shared/db"; }

  /// The other user holds the lock, lets this user's program wait for it, and has meanwhile made of the folder a link
  /// to this user's own: after `held`, or, without it, once the program has opened the file. Whether the program took
  /// the other one's binary all the same.
  bool loads_theirs(Access access, std::optional<std::chrono::milliseconds> held) const {
    if (fs::is_symlink(theirs())) exchange();
    // Not by SQLite, whose state the program would inherit.
    const int file = open((theirs() / "binaries.db").c_str(), O_RDWR | O_CLOEXEC);
    REQUIRE(file >= 0);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = 0x40000000;  // all bytes that SQLite locks
    lock.l_len = 512;
    REQUIRE(fcntl(file, F_SETLK, &lock) == 0);
    const pid_t program = fork();
    REQUIRE(program >= 0);
    if (program == 0) _exit(load(access));
    if (held)
      std::this_thread::sleep_for(*held);
    else
      REQUIRE(has_opened(program, theirs() / "binaries.db"));
    exchange();
    close(file);
    int status = 0;
    REQUIRE(waitpid(program, &status, 0) == program);
    REQUIRE(WIFEXITED(status));
    return WEXITSTATUS(status) != 0;
  }

 private:
  /// The folder and the link change names in one step: a program that finds neither would make a folder.
  void exchange() const {
    REQUIRE(renameat2(AT_FDCWD, theirs().c_str(), AT_FDCWD, (folder_ / "shared/link").c_str(), RENAME_EXCHANGE) == 0);
  }
  int load(Access access) const {
    try {
      const auto store = BinaryStore::open({.path = theirs() / "binaries.db", .access = access});
      const auto found = store->find_compiled("the key");
      return found && found->bytes == binary_with("theirs").bytes ? 1 : 0;
    } catch (const Error&) {
      return 0;
    }
  }

  TemporaryFolder folder_;
};

// The race is the same however long the lock is held: the program has opened the file and waits, and the folder's name
// changes before the file is examined. The first tries wait until the file is open; the others differ in when the name
// changes, from before that to after.
TEST_CASE("another user's binary was loaded when its folder was swapped for a link while a lock was held") {
  if (geteuid() != 0) {
    MESSAGE("SKIPPED: only root can give files to another user");
    return;
  }
  const TwoUsers users;
  std::minstd_rand random(1);
  int loaded = 0;
  for (int i = 0; i < 200; ++i) {
    std::optional<std::chrono::milliseconds> held;
    if (i >= 20) held = std::chrono::milliseconds(random() % 20);
    loaded += users.loads_theirs(i % 2 == 0 ? Access::read_write : Access::read_only, held) ? 1 : 0;
  }
  CHECK(loaded == 0);
}

}  // namespace
}  // namespace tuner::cache::test
