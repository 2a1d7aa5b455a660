#include "tuner/process/confinement.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/temporary_folder.hpp"
#include "tuner/process/fd.hpp"

using namespace tuner;
using tuner::test::TemporaryFolder;

namespace {

/// Whether it holds in a process that is confined.
bool holds_in(const Confinement& confinement, const std::function<bool()>& check) {
  const pid_t pid = fork();
  if (pid == 0) _exit(confine(confinement) && check() ? 0 : 1);
  int status = -1;
  waitpid(pid, &status, 0);
  return status == 0;
}

bool opens(const std::filesystem::path& file, int flags = O_RDONLY) {
  return UniqueFd(open(file.c_str(), flags | O_CLOEXEC, 0600)).get() >= 0;
}

}  // namespace

TEST_CASE("a confined process opens what it may and nothing else") {
  if (!can_confine()) {
    MESSAGE("SKIPPED: this kernel has no Landlock");
    return;
  }
  const TemporaryFolder secret, headers, own;
  const auto outside = secret.write("outside", "secret");
  const auto header = headers.write("deep/header", "text");
  const Confinement to{{headers.path(), "/no/such/folder"}, own.path()};
  CHECK(holds_in(to, [&] { return opens(header) && !opens(header, O_WRONLY); }));
  CHECK(holds_in(to, [&] { return !opens(outside) && !opens("/etc/passwd") && !opens("/proc/self/environ"); }));
  CHECK(holds_in(to, [&] { return !opens(secret / "new", O_CREAT | O_WRONLY); }));
  CHECK(holds_in(to, [&] { return opens(own / "new", O_CREAT | O_RDWR) && unlink((own / "new").c_str()) == 0; }));
  CHECK(holds_in(to, [&] { return execl("/bin/true", "true", nullptr) != 0; }));
  // A link leads to where its file is.
  std::filesystem::create_symlink(outside, own / "link");
  CHECK(holds_in(to, [&] { return !opens(own / "link"); }));
  // What was open before stays so: a file in memory, or one that has no name any more.
  const UniqueFd file(open((own / "gone").c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600));
  unlink((own / "gone").c_str());
  CHECK(holds_in(to, [&] { return opens("/proc/self/fd/" + std::to_string(file.get())); }));
  CHECK(opens(outside));
}
