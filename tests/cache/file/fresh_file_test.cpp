#include "cache/file/fresh_file.hpp"

#include <signal.h>
#include <unistd.h>

#include <set>

#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> names_in(const TemporaryFolder& folder) {
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder.path())) names.insert(entry.path().filename());
  return names;
}

TEST_CASE("a private file is as private once it was replaced") {
  const TemporaryFolder folder;
  write_bytes(folder / "page.html", "old");
  fs::permissions(folder / "page.html", fs::perms::owner_read | fs::perms::owner_write);
  FreshFile page(folder / "page.html", true, FreshFile::Kind::text);
  page.append("new");
  page.publish();
  CHECK(fs::status(folder / "page.html").permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("what a process had begun when it was killed stayed beside the file for ever") {
  const TemporaryFolder folder;
  for (const auto kind : {FreshFile::Kind::database, FreshFile::Kind::text}) {
    in_child([&] {
      const FreshFile begun(folder / "tuned.db", true, kind);
      if (kind == FreshFile::Kind::database) write_bytes(begun.path().string() + "-journal", "undo");
      raise(SIGKILL);
    });
    CHECK(names_in(folder).size() > 1);
    FreshFile(folder / "tuned.db", true, kind).publish();
    CHECK(names_in(folder) == std::set<std::string>{"tuned.db"});
  }
}

TEST_CASE("of files beside the target only those are removed that nobody writes any more") {
  const TemporaryFolder folder;
  const std::string others[] = {"tuned.db.part-1-0a1b2c3d.left", "tuned.db.part-1-0a1b2c3", "tuned.db.part-1-0A1B2C3D",
                                "tuned.db.part--0a1b2c3d",       "tuned.db.part-notes",     "other.db.part-1-0a1b2c3d"};
  for (const std::string& name : others) write_bytes(folder / name, "mine");
  fs::create_symlink(folder / "nothing", folder / "tuned.db.part-1-00000001");
  fs::create_directory(folder / "tuned.db.part-1-00000002");
  const FreshFile first(folder / "tuned.db", false);
  FreshFile second(folder / "tuned.db", false);
  const std::set<std::string> before = names_in(folder);
  CHECK(before.size() == std::size(others) + 4);
  const FreshFile third(folder / "tuned.db", false);
  CHECK(names_in(folder).size() == before.size() + 1);
  second.publish();
  CHECK(fs::exists(first.path()));
  CHECK(fs::exists(third.path()));
}

}  // namespace
}  // namespace tuner::cache::test
