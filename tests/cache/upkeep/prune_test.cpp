#include "cache/upkeep/prune.hpp"

#include "cache/file/hash.hpp"
#include "cache/store/lease.hpp"
#include "tests/cache/examples.hpp"
#include "tests/cache/store/served_support.hpp"

namespace tuner::cache::test {
namespace {

using Rows = std::vector<std::string>;

DecisionKey version_of(const std::string& version, const std::string& problem = "n=1") {
  return {"scale", "scale:" + version, problem, "H200", "cold", "time"};
}

/// A database with binaries beside it, where sessions tune.
class Used {
 public:
  SqliteStore& store() { return *store_; }
  Location location() const { return {folder_ / "decisions.db", folder_ / "binaries.db"}; }
  const std::filesystem::path& folder() const { return folder_.path(); }

  /// A session's trials, of which the first is the winner's, and its decision unless it was interrupted.
  std::int64_t tune(const DecisionKey& key, const std::string& session, bool decides = true,
                    const std::string& driver = "580") {
    Decision decision = full_decision("of " + session);
    decision.key = key;
    decision.session = session;
    decision.origin = Origin::measured;
    decision.conditions.driver = driver;
    decision.binary_hash = content_hash(session);
    std::vector<Trial> trials = full_trials(2);
    for (Trial& trial : trials) {
      static_cast<Run&>(trial) = decision;
      trial.configuration = decision.configuration + std::to_string(trial.sequence);
      trial.facts.binary_hash = content_hash(session + std::to_string(trial.sequence));
    }
    store().record_trials(trials);
    return decides ? store().record_decision(decision) : 0;
  }

  Rows rows(const std::string& select) const { return sql(location().decisions, select); }
  Rows sessions_of_trials() const {
    return rows("SELECT DISTINCT session FROM trial JOIN run USING (run_id) ORDER BY trial_id");
  }
  Rows decisions() const { return rows("SELECT decision_id FROM decision ORDER BY decision_id"); }
  Pruned prune(bool dry_run = false) const { return cache::prune(location(), dry_run); }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_ = open_store(folder_ / "decisions.db");
};

std::int64_t rows_of(const Pruned& pruned, const std::string& kind) {
  for (const PrunedRows& rows : pruned.kinds) {
    if (rows.kind == kind) return rows.rows;
  }
  return -1;
}

TEST_CASE("what was forgotten or replaced goes, what is served and its trials stay, and every row keeps its number") {
  Used used;
  used.tune(version_of("a"), "replaced");
  used.tune(version_of("a"), "served");
  used.tune(version_of("a", "n=2"), "forgotten");
  used.store().forget({.problem = "n=2"}, Forget::everything);
  const std::int64_t last = used.tune(version_of("a", "n=3"), "last");
  const Rows numbers = used.rows("SELECT trial_id, configuration FROM v_latest ORDER BY trial_id");
  const auto before = used.store().list_decisions({});

  const Pruned pruned = used.prune();
  CHECK(rows_of(pruned, "decisions") == 2);
  CHECK(rows_of(pruned, "trials") == 2);
  CHECK(used.decisions() == Rows{"2", std::to_string(last)});
  CHECK(used.sessions_of_trials() == Rows{"replaced", "served", "last"});
  CHECK(used.rows("SELECT trial_id, configuration FROM v_latest ORDER BY trial_id") == numbers);
  const auto after = used.store().list_decisions({});
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) check_same(after[i], before[i]);
  CHECK(used.rows("SELECT problem FROM task ORDER BY task_id") == Rows{"n=1", "n=3"});
  CHECK(used.rows("SELECT count(*) FROM forgotten") == Rows{"0"});
  CHECK_FALSE(used.store().damage());
  CHECK(used.prune().nothing());
}

TEST_CASE("of a version of a source that no decision is served for the trials go, once a later version was tuned") {
  Used used;
  used.tune(version_of("old"), "interrupted long ago", false);
  used.tune(version_of("kept", "n=1"), "served");
  used.tune(version_of("kept", "n=2"), "interrupted", false);
  CHECK(used.store().find_trials(version_of("old")).size() == 2);
  used.tune(version_of("new"), "of this morning", false);
  CHECK(rows_of(used.prune(), "trials") == 2);
  CHECK(used.sessions_of_trials() == Rows{"served", "interrupted", "of this morning"});
  // Another kernel's sessions make no version of this one old.
  DecisionKey other = version_of("x");
  other.kernel_name = "other";
  used.tune(other, "of another kernel");
  CHECK(used.prune().nothing());
}

TEST_CASE("a number that was given once is never given again, whatever was forgotten") {
  Used used;
  used.tune(version_of("a"), "forgotten");
  used.store().record_quarantine(full_quarantined());
  used.store().forget({}, Forget::everything);
  used.prune();
  CHECK(used.decisions() == Rows{"1"});
  CHECK(used.rows("SELECT trial_id FROM trial") == Rows{"2"});
  CHECK(used.tune(version_of("a"), "new") == 2);
  CHECK(used.store().find_decision(version_of("a")));
  CHECK(used.rows("SELECT trial_id FROM v_latest") == Rows{"3", "4"});
  CHECK(rows_of(used.prune(), "quarantined") == 0);
}

TEST_CASE("what is known over sizes stays with its decision, though another one is served there") {
  Used used;
  const std::int64_t first = used.tune(version_of("a"), "first");
  used.store().record_texts(first, std::vector<DecisionText>{{TextKind::sizes, "", "{}"}});
  used.tune(version_of("a"), "second");
  CHECK(used.prune().nothing());
  CHECK(used.store().find_sizes(version_of("a"), kAllSizes) == "{}");
  used.store().forget({}, Forget::decisions);
  CHECK(rows_of(used.prune(), "decisions") == 1);
}

TEST_CASE("quarantine under a driver that is gone goes; that of the last driver, and of a served decision, stays") {
  Used used;
  used.tune(version_of("a"), "of the served", true, "550");
  used.tune(version_of("a", "n=2"), "of the last", false, "580");
  Quarantined quarantined = full_quarantined();
  quarantined.key = version_of("a");
  for (const char* driver : {"535", "550", "580", "535"}) {
    quarantined.driver = driver;
    used.store().record_quarantine(quarantined);
  }
  quarantined.key.device = "A100";  // where nothing says which drivers there are
  used.store().record_quarantine(quarantined);
  CHECK(rows_of(used.prune(), "quarantined") == 2);
  CHECK(used.rows("SELECT driver FROM quarantine WHERE quarantine_id < 5 ORDER BY 1") == Rows{"550", "580"});
}

TEST_CASE("texts, binaries and rows for starts that no kept row names go with what named them") {
  Used used;
  const std::int64_t old = used.tune(version_of("a"), "replaced");
  const std::vector<DecisionText> shared{{TextKind::source, "a.cu", "both"}};
  used.store().record_texts(old, shared);
  used.store().record_texts(old, std::vector<DecisionText>{{TextKind::insight, "explain", "only the old one"}});
  const std::int64_t row = used.tune(version_of("a"), "served");
  used.store().record_texts(row, shared);
  const auto binaries = BinaryStore::open({.path = used.location().binaries});
  for (const char* named : {"served", "served1", "nobody's"}) {
    Binary binary = binary_of(std::string("key of ") + named, named, std::string(named).size());
    binaries->put(binary, Keep::pinned);
  }
  export_served(served_beside(used.location().decisions), {served_of(old), served_of(old, "elsewhere")});

  const Pruned pruned = used.prune();
  CHECK(rows_of(pruned, "texts") == 1);
  CHECK(rows_of(pruned, "binaries") == 1);
  CHECK(rows_of(pruned, "served") == 2);
  CHECK(used.store().find_texts(row) == shared);
  CHECK(binaries->find_compiled("key of served"));
  CHECK(binaries->find_compiled("key of served1"));
  CHECK_FALSE(binaries->find_compiled("key of nobody's"));
  CHECK(sql(used.folder() / "served.db", "SELECT count(*) FROM served WHERE decision_id <> ''") == Rows{"0"});
  CHECK(used.prune().nothing());
}

TEST_CASE("a dry run says what the real one does and changes no byte, and the file is smaller afterwards") {
  Used used;
  const std::int64_t row = used.tune(version_of("a"), "replaced");
  used.store().record_texts(row, std::vector<DecisionText>{{TextKind::insight, "explain", std::string(100'000, 'x')}});
  BinaryStore::open({.path = used.location().binaries})->put(binary_of("key", "code", 100'000), Keep::pinned);
  used.tune(version_of("a"), "served");
  const auto files = [&] {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::directory_iterator(used.folder()))
      all[entry.path().filename()] = read_bytes(entry.path());
    return all;
  };
  const auto before = files();
  const Pruned dry = used.prune(true);
  CHECK(files() == before);
  CHECK(dry.files.empty());
  const Pruned real = used.prune();
  for (std::size_t i = 0; i < real.kinds.size(); ++i) {
    CHECK(real.kinds[i].rows == dry.kinds[i].rows);
    CHECK(real.kinds[i].bytes == dry.kinds[i].bytes);
  }
  REQUIRE(real.files.size() == 2);
  for (const PrunedFile& file : real.files) {
    INFO(file.why_not_smaller);
    CHECK(file.bytes_after + 90'000 < file.bytes_before);
    CHECK(file.bytes_after == std::filesystem::file_size(file.path));
  }
  CHECK_FALSE(used.store().damage());
}

TEST_CASE("a key that a session has the lease on is left as it is, and named") {
  Used used;
  for (const char* problem : {"n=1", "n=2"}) {
    used.tune(version_of("a", problem), "replaced");
    used.tune(version_of("a", problem), "served");
  }
  {
    FileLock lease = lease_on(version_of("a"), used.location().decisions);
    REQUIRE(lease.try_take("a session"));
    const Pruned pruned = used.prune();
    REQUIRE(pruned.left_out.size() == 1);
    CHECK(pruned.left_out[0].key == version_of("a"));
    CHECK(pruned.left_out[0].holder == "a session");
    CHECK(rows_of(pruned, "decisions") == 1);
    CHECK(used.decisions() == Rows{"1", "2", "4"});
  }
  CHECK(rows_of(used.prune(), "decisions") == 1);
}

TEST_CASE("of a damaged database nothing is deleted, and one sentence says so") {
  Used used;
  used.tune(version_of("a"), "replaced");
  used.tune(version_of("a"), "served");
  sql(used.location().decisions, "PRAGMA foreign_keys = OFF; DELETE FROM run WHERE run_id = 2");
  const std::string before = read_bytes(used.location().decisions);
  for (const bool dry_run : {true, false}) {
    check_error(Errc::store_damaged, {"decisions.db is damaged, and nothing was deleted", "tuner recover"},
                [&] { used.prune(dry_run); });
  }
  CHECK(read_bytes(used.location().decisions) == before);
}

}  // namespace
}  // namespace tuner::cache::test
