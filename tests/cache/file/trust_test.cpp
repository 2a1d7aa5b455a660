#include "cache/file/trust.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

class PrivateFile {
 public:
  PrivateFile() {
    fs::create_directories(folder_ / "above/own");
    write_bytes(path(), "x");
    mode("above", 0700);
    mode("above/own", 0700);
    mode("above/own/file", 0600);
  }
  fs::path path() const { return folder_ / "above/own/file"; }
  fs::path operator/(const std::string& name) const { return folder_ / name; }
  void mode(const std::string& name, mode_t bits) const { REQUIRE(chmod((folder_ / name).c_str(), bits) == 0); }
  std::string reason(const std::string& name = "above/own/file") const {
    return reason_to_distrust(folder_ / name, trusted_owners()).value_or("");
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a file that only this user can change is trusted") {
  const PrivateFile file;
  CHECK(file.reason() == "");
  file.mode("above/own/file", 0644);
  file.mode("above/own", 0755);
  CHECK(file.reason() == "");
}

TEST_CASE(
    "a file that others may write, or whose folders they may, is not trusted, and the reason says how to change that") {
  const PrivateFile file;
  for (const mode_t bits : {0020, 0002}) {
    file.mode("above/own/file", 0600 | bits);
    CHECK(contains(file.reason(), "chmod go-w " + (file / "above/own/file").string()));
    file.mode("above/own/file", 0600);
    file.mode("above/own", 0700 | bits);
    CHECK(contains(file.reason(), "chmod go-w " + (file / "above/own").string()));
    file.mode("above/own", 0700);
    file.mode("above", 0700 | bits);
    CHECK(contains(file.reason(), "chmod go-w " + (file / "above").string()));
    file.mode("above", 0700);
  }
  CHECK(file.reason() == "");
}

TEST_CASE("a folder like /tmp is trusted above the file's own folder only") {
  const PrivateFile file;
  file.mode("above", 01777);
  CHECK(file.reason() == "");
  file.mode("above/own", 01777);
  CHECK(contains(file.reason(), "name a folder of your own"));
  CHECK_FALSE(contains(file.reason(), "chmod"));
}

TEST_CASE("symbolic links are followed in folders and refused as the file") {
  const PrivateFile file;
  fs::create_symlink(file.path(), file / "above/own/link");
  CHECK(contains(file.reason("above/own/link"), "symbolic link"));
  fs::create_directory_symlink(file / "above/own", file / "way");
  CHECK(file.reason("way/file") == "");
  file.mode("above/own", 0777);
  CHECK(file.reason("way/file") != "");
}

TEST_CASE("what is no file, or not there, is not trusted") {
  const PrivateFile file;
  CHECK(contains(file.reason("above/own"), "is not a file"));
  CHECK(file.reason("above/own/missing") != "");
  CHECK(file.reason("missing/file") != "");
}

TEST_CASE("a file of another user is trusted only if that user is root or named") {
  const PrivateFile file;
  if (geteuid() != 0) {
    MESSAGE("only root can give files away: checked as far as that is possible");
    CHECK(reason_to_distrust(file.path(), {0}));
    return;
  }
  CHECK_FALSE(reason_to_distrust(file.path(), {0}));
  REQUIRE(chown(file.path().c_str(), 12345, 12345) == 0);
  CHECK(contains(reason_to_distrust(file.path(), {0}).value_or(""), "belongs to user 12345"));
  CHECK_FALSE(reason_to_distrust(file.path(), {0, 12345}));
  REQUIRE(chown(file.path().c_str(), 0, 0) == 0);
  REQUIRE(chown((file / "above").c_str(), 12345, 12345) == 0);
  CHECK(contains(reason_to_distrust(file.path(), {0}).value_or(""), "belongs to user 12345"));
}

TEST_CASE(
    "this user, root and the owner of the program are trusted, but not the user who stands for all unknown ones") {
  const std::vector<uid_t> owners = trusted_owners();
  const auto trusts = [&](uid_t user) { return std::find(owners.begin(), owners.end(), user) != owners.end(); };
  CHECK(trusts(geteuid()));
  CHECK(trusts(0));
  struct stat program {};
  REQUIRE(stat("/proc/self/exe", &program) == 0);
  CHECK(trusts(program.st_uid));
  if (geteuid() != 65534) CHECK_FALSE(trusts(65534));
}

}  // namespace
}  // namespace tuner::cache::test
