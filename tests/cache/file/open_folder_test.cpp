#include "cache/file/open_folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

#include "cache/file/trust.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

/// Folders in which links lead hither and thither.
class Folders {
 public:
  Folders() {
    fs::create_directories(folder_ / "real/inner");
    write_bytes(folder_ / "real/inner/file", "x");
    fs::create_directory_symlink("real", folder_ / "relative");
    fs::create_directory_symlink(folder_ / "relative/inner", folder_ / "absolute");
    fs::create_directory_symlink("../real/../relative/inner/.", folder_ / "real/winding");
    fs::create_directory_symlink("loop", folder_ / "loop");
    fs::create_directory_symlink("nowhere", folder_ / "dangling");
  }
  fs::path operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a folder is reached through links as the kernel reaches it") {
  const Folders folders;
  for (const char* const way : {"real/inner", "relative/inner", "absolute", "real/winding", "real/./inner/../inner",
                                "absolute/../inner", "real//inner/"}) {
    CAPTURE(way);
    const fs::path file = (folders / way) / "file";
    const OpenFolder folder = OpenFolder::of(file);
    CHECK(folder.path() == fs::canonical(file).parent_path());
    CHECK(folder.has("file"));
    CHECK(folder.is_bound());
    CHECK(folder.is_at_its_path());
    CHECK(read_bytes(folder.path_of("file")) == "x");
    // From / on, each level is a folder of the one before it.
    fs::path path = "/";
    for (const OpenFolder::Level& level : folder.levels()) {
      CHECK(level.path.parent_path() == path);
      path = level.path;
    }
    CHECK(folder.levels().front().path == "/");
  }
}

TEST_CASE("a relative path begins in the present folder") {
  const fs::path here = fs::current_path();
  CHECK(OpenFolder::of("file").path() == fs::canonical(here));
  CHECK(OpenFolder::of("./file").path() == fs::canonical(here));
  CHECK(OpenFolder::of("/file").path() == "/");
}

TEST_CASE("a way that leads nowhere, round in a circle or through a file is told as that") {
  const Folders folders;
  const auto error_on = [&](const std::string& way) {
    try {
      OpenFolder::of(folders / way);
    } catch (const std::system_error& error) {
      return error.code().value();
    }
    return 0;
  };
  CHECK(error_on("missing/file") == ENOENT);
  CHECK(error_on("dangling/file") == ENOENT);
  CHECK(error_on("loop/file") == ELOOP);
  CHECK(error_on("real/inner/file/file") == ENOTDIR);
}

TEST_CASE("a folder stays the one that was opened when its name is given to another one") {
  const Folders folders;
  const OpenFolder folder = OpenFolder::of(folders / "real/inner/file");
  fs::rename(folders / "real", folders / "moved");
  fs::create_directories(folders / "real/inner");
  write_bytes(folders / "real/inner/file", "another one");
  CHECK(read_bytes(folder.path_of("file")) == "x");
  CHECK_FALSE(folder.is_at_its_path());
}

TEST_CASE("what is examined is the folder that was opened, not what its name leads to since") {
  const Folders folders;
  fs::permissions(folders / "real/inner", fs::perms::owner_all);
  fs::create_directory(folders / "open");
  write_bytes(folders / "open/file", "y");
  REQUIRE(chmod((folders / "open").c_str(), 0777) == 0);
  const OpenFolder folder = OpenFolder::of(folders / "open/file");
  fs::rename(folders / "open", folders / "aside");
  fs::create_directory_symlink("real/inner", folders / "open");
  CHECK_FALSE(reason_to_distrust(folders / "open/file", trusted_owners()));
  CHECK(contains(reason_to_distrust(folder, "file", trusted_owners()).value_or(""), "is writable by"));
}

}  // namespace
}  // namespace tuner::cache::test
