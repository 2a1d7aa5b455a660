#include "cache/sqlite/guarded_vfs.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include "cache/exchange/exchange.hpp"
#include "cache/schema/set_aside.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

/// What may lie in the place of a journal, and how messages call it.
struct Obstacle {
  const char* name;
  std::function<void(const fs::path&)> make;
};

const Obstacle kObstacles[] = {
    {"a pipe", [](const fs::path& path) { REQUIRE(mkfifo(path.c_str(), 0600) == 0); }},
    {"a folder", [](const fs::path& path) { fs::create_directory(path); }},
    {"a symbolic link", [](const fs::path& path) { fs::create_symlink("/no/such/file", path); }},
    {"a symbolic link", [](const fs::path& path) { fs::create_symlink("decisions.db", path); }},
};

/// Uses a database in a child, which is ended should it wait for ever, and expects to be told what is in the way.
void check_refused(const fs::path& obstacle, const std::string& what, const std::function<void()>& use) {
  const int status = in_child([&] {
    alarm(60);
    const std::string message = error_of(Errc::store_unavailable, use);
    if (!contains(message, obstacle.filename().string() + " is " + what)) throw std::runtime_error(message);
    if (contains(message, "cleans up") || contains(message, "Check the disk")) throw std::runtime_error(message);
  });
  CHECK(status == 0);
  CHECK(fs::symlink_status(obstacle).type() != fs::file_type::not_found);
}

TEST_CASE("a pipe called like a database's journal made every command wait for ever") {
  for (const char* const suffix : {"-journal", "-wal"}) {
    for (const Obstacle& obstacle : kObstacles) {
      CAPTURE(suffix);
      CAPTURE(obstacle.name);
      const TemporaryFolder folder;
      const fs::path path = folder / "decisions.db";
      open_store(path)->record_decision(full_decision());
      const fs::path place = path.string() + suffix;
      obstacle.make(place);
      check_refused(place, obstacle.name, [&] { open_store(path)->list_decisions({}); });
      check_refused(place, obstacle.name, [&] { open_store(path, Access::read_only)->list_decisions({}); });
      check_refused(place, obstacle.name, [&] { set_aside_damaged(path); });
      check_refused(place, obstacle.name, [&] { export_decisions({.from = path, .to = folder / "exported.db"}); });
    }
  }
}

TEST_CASE("a pipe that becomes a database's journal while it is open is told, to who reads and to who writes") {
  for (const Obstacle& obstacle : kObstacles) {
    CAPTURE(obstacle.name);
    const TemporaryFolder folder;
    const fs::path path = folder / "decisions.db";
    open_store(path)->record_decision(full_decision());
    const fs::path place = path.string() + "-journal";
    const auto appears_before = [&](Access access, const std::function<void(SqliteStore&)>& use) {
      fs::remove(place);
      obstacle.make(place);
      check_refused(place, obstacle.name, [&] {
        fs::remove(place);
        const auto store = open_store(path, access);
        store->list_decisions({});
        obstacle.make(place);
        use(*store);
      });
    };
    appears_before(Access::read_only, [](SqliteStore& store) { store.list_decisions({}); });
    appears_before(Access::read_only, [](SqliteStore& store) { store.find_decision(some_key()); });
    appears_before(Access::read_write, [](SqliteStore& store) { store.list_decisions({}); });
    appears_before(Access::read_write, [](SqliteStore& store) { store.record_decision(full_decision()); });
  }
}

}  // namespace
}  // namespace tuner::cache::test
