#include "cache/exchange/exchange.hpp"
#include "cache/schema/set_aside.hpp"
#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

/// Runs `statement` while a column is defined without its NOT NULL.
void without_rule(const fs::path& path, const std::string& table, const std::string& column,
                  const std::string& statement) {
  const auto replace = [&](const std::string& from, const std::string& to) {
    const std::string where = " WHERE name = '" + table + "'";
    sql(path, "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, '" + from + "', '" + to + "')" +
                  where);
    REQUIRE(contains(sql(path, "SELECT sql FROM sqlite_schema" + where).at(0), to));
  };
  const std::string relaxed = column.substr(0, column.find("NOT NULL"));
  replace(column, relaxed + "/* may be missing */");
  sql(path, statement);
  replace(relaxed + "/* may be missing */", column);
}

void check_set_aside(const fs::path& path, const std::function<void()>& open) {
  check_error(Errc::store_damaged, {path.string(), "`tuner tune` that uses it renames it"}, open);
  CHECK(set_aside_damaged(path));
}

TEST_CASE("a row of a file of format 1 that breaks a rule of its table is damage and no bug of the program") {
  const std::function<void(const fs::path&)> changes[] = {
      [](const fs::path& path) { sql(path, "PRAGMA ignore_check_constraints = 1; UPDATE decision SET verified = 7"); },
      [](const fs::path& path) {
        without_rule(path, "decision", "launch           TEXT NOT NULL", "UPDATE decision SET launch = NULL");
      },
  };
  for (const auto& change : changes) {
    const TemporaryFolder folder;
    const fs::path path = old_file(folder, "decisions");
    change(path);
    error_of(Errc::store_damaged, [&] { open_store(path, Access::read_only); });
    check_set_aside(path, [&] { open_store(path); });
    CHECK(open_store(path)->list_decisions({}).empty());
  }
}

TEST_CASE("a binary of a file of format 1 without a symbol is damage and no bug of the program") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "binaries");
  without_rule(path, "binary", "kernel            TEXT NOT NULL", "UPDATE binary SET kernel = NULL");
  check_set_aside(path, [&] { BinaryStore::open({.path = path}); });
}

TEST_CASE("a binary of a file of format 1 that breaks a check is brought up to date all the same") {
  const TemporaryFolder folder;
  const fs::path path = old_file(folder, "binaries");
  sql(path, "PRAGMA ignore_check_constraints = 1; UPDATE binary SET keep = 7");
  CHECK_NOTHROW(BinaryStore::open({.path = path}));
}

TEST_CASE("an import blamed its source, as a bug, for a unique index that a user had added to the target") {
  const TemporaryFolder folder;
  const fs::path target = folder / "target.db", source = folder / "source.db";
  open_store(target);
  std::vector<Trial> trials(2, full_trial());
  trials[1].configuration = "another";
  open_store(source)->record_trials(trials);
  sql(target, "CREATE UNIQUE INDEX u ON trial (run_id)");
  const auto check = [&](const std::function<void()>& use) {
    const std::string message =
        check_error(Errc::store_damaged, {target.string() + " was changed by another program"}, use);
    CHECK_FALSE(contains(message, source.string()));
    CHECK_FALSE(contains(message, "bug"));
  };
  check([&] { import_decisions(target, source); });
  check([&] { open_store(target)->record_trials(trials); });
  sql(target, "DROP INDEX u");
  CHECK(import_decisions(target, source).size() == 1);
}

TEST_CASE("an index or a view of the right name that says something else was trusted") {
  const TemporaryFolder folder;
  const fs::path path = folder / "decisions.db";
  open_store(path)->record_decision(full_decision());
  const std::string schema = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
  const auto before = sql(path, schema);
  sql(path,
      "DROP INDEX decision_by_run; CREATE INDEX decision_by_run ON decision (run_id) WHERE time_ns < 0;"
      "DROP INDEX trial_by_run; CREATE UNIQUE INDEX trial_by_run ON trial (run_id);"
      "DROP VIEW v_best; CREATE VIEW v_best AS SELECT 'nothing' AS kernel");
  REQUIRE(sql(path, schema) != before);
  open_store(path);
  CHECK(sql(path, schema) == before);
  CHECK(open_store(path, Access::read_only)->find_decision(some_key()));
}

TEST_CASE("builds that an older program wrote after a file was brought up to date were called damage and deleted") {
  const TemporaryFolder folder;
  const fs::path path = folder / "binaries.db";
  const Binary binary = binary_of("key", "x", 40);
  BinaryStore::open({.path = path})->put(binary);
  sql(path, "UPDATE build SET kernel = '', checksum = ''");
  const Hash hash{sql(path, "SELECT hash FROM binary").at(0)};
  for (const Access access : {Access::read_only, Access::read_write}) {
    const auto store = BinaryStore::open({.path = path, .access = access});
    CHECK_FALSE(store->find_compiled("key"));
    CHECK_FALSE(store->trouble());
    CHECK(store->find_builds(hash).empty());
    CHECK_FALSE(store->trouble());
    CHECK(sql(path, "SELECT count(*) FROM build") == std::vector<std::string>{"1"});
  }
  const auto store = BinaryStore::open({.path = path});
  store->put(binary);
  CHECK(store->find_compiled("key")->kernel == "copy");
}

}  // namespace
}  // namespace tuner::cache::test
