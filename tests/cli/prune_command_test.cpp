#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cache/store/lease.hpp"
#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

/// A decision that was replaced, one that was forgotten, and two that are served.
void fill_prunable(const User& user, const std::string& kernel = "scale") {
  const auto store = open_database(user);
  record(*store, decision_on_h200(kernel, "n=1", "BLOCK=64"));
  record(*store, decision_on_h200(kernel, "n=1"));
  record(*store, decision_on_h200(kernel, "n=2"));
  store->forget({.problem = "n=2"}, cache::Forget::everything);
  record(*store, decision_on_h200(kernel, "n=3"));
}

std::map<std::string, std::string> files_of(const User& user) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(user.home())) {
    if (entry.is_regular_file()) files[entry.path()] = read_bytes(entry.path());
  }
  return files;
}

json deleted(const Result& result, const std::string& kind) {
  const json pruned = json::parse(result.out);
  for (const json& one : pruned["deleted"]) {
    if (one["kind"] == kind) return one["rows"];
  }
  return nullptr;
}

}  // namespace

TEST_CASE("prune --dry-run counts and changes no byte, prune deletes as much, and a second one nothing") {
  const User user;
  fill_prunable(user);
  const auto before = files_of(user);
  const std::string list = user.run({"list"}).out;
  check_out(user.run({"prune", "--dry-run"}), 0, {"Would be deleted from", "decisions", "trials"});
  const Result dry = user.run({"prune", "--dry-run", "--json"});
  CHECK(json::parse(dry.out)["dry_run"] == true);
  CHECK(json::parse(dry.out)["files"].empty());
  CHECK(files_of(user) == before);

  const Result real = user.run({"prune", "--json"});
  check_out(real, 0);
  CHECK(real.err.empty());
  CHECK(json::parse(real.out)["deleted"] == json::parse(dry.out)["deleted"]);
  CHECK(deleted(real, "decisions") == 2);
  CHECK(deleted(real, "trials") == 1);
  const json files = json::parse(real.out)["files"];
  REQUIRE(files.size() == 1);
  CHECK(files[0]["file"] == (user.data() / "decisions.db").string());
  CHECK(files[0]["bytes_after"] == std::filesystem::file_size(user.data() / "decisions.db"));
  CHECK(user.run({"list"}).out == list);
  check_out(user.run({"prune"}), 0, {"is needed: nothing to delete"});
}

TEST_CASE("what is being pruned was said to be tuned") {
  const User user;
  fill_prunable(user);
  const cache::FileLock lease = cache::lease_on(decision_on_h200("scale", "n=1").key, user.data() / "decisions.db");
  // Whoever looks at the lease while it is held reads this, and it stays.
  CHECK_FALSE(lease.holder());
  CHECK(deleted(user.run({"prune", "--json"}), "decisions") > 0);
  REQUIRE(lease.holder());
  CHECK(lease.holder()->starts_with("tuner prune, process "));
}

TEST_CASE("prune leaves alone what is being tuned and says who does, in one line whatever the kernel is called") {
  const User user;
  fill_prunable(user, "scale\n\x1b[31mforged");
  cache::DecisionKey key = decision_on_h200("scale\n\x1b[31mforged", "n=1").key;
  cache::FileLock lease = cache::lease_on(key, user.data() / "decisions.db");
  REQUIRE(lease.try_take("process 17 on node1"));
  const Result result = user.run({"prune"});
  check_err(result, 0, {"was left as it is, because another process is at work on it (process 17 on node1)"});
  CHECK(lines(result.err) == 1);
  CHECK_FALSE(contains(result.err, "\x1b"));
  CHECK(deleted(user.run({"prune", "--json"}), "decisions") == 0);
  lease.release();
  CHECK(deleted(user.run({"prune", "--json"}), "decisions") == 1);
}

TEST_CASE(
    "prune says in one sentence that there is no database, or that it is damaged, and makes and deletes nothing") {
  const User user;
  check_error(user.run({"prune"}), 1, {"Nothing is stored"});
  CHECK_FALSE(std::filesystem::exists(user.data()));
  check_error(user.run({"prune", "all"}), 2);
  fill_prunable(user);
  run_sql(user.data() / "decisions.db", "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE run_id = 1");
  const auto before = files_of(user);
  for (const Words& words : {Words{"prune"}, Words{"prune", "--dry-run"}})
    check_error(user.run(words), 5, {"is damaged, and nothing was deleted"});
  CHECK(files_of(user) == before);
}
