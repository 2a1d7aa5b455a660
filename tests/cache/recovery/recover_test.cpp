#include "cache/recovery/recover.hpp"

#include <random>

#include "cache/exchange/exchange.hpp"
#include "tests/cache/examples.hpp"
#include "tests/support/length.hpp"

namespace tuner::cache::test {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string> kTables{"task",      "run",  "trial",        "decision",         "quarantine",
                                       "forgotten", "text", "decision_tie", "decision_counter", "decision_text"};

const std::size_t kProblems = tuner::test::length(20, 60);

/// A database in which every table takes several pages, and a folder for what is made of it.
class Sessions {
 public:
  Sessions() {
    static const Made made;
    fs::copy_file(made.path(), path());
  }
  fs::path path() const { return folder_ / "decisions.db"; }
  fs::path out() const { return folder_ / "recovered.db"; }
  const TemporaryFolder& folder() const { return folder_; }

  /// What can be read of the file when these are its bytes.
  Recovered recovered_from(const std::string& bytes) const {
    write_bytes(folder_ / "damaged.db", bytes);
    fs::remove(out());
    return recover(folder_ / "damaged.db", out());
  }

 private:
  /// Many small transactions: they are made once.
  struct Made {
    Made();
    fs::path path() const { return folder / "decisions.db"; }
    TemporaryFolder folder;
  };
  TemporaryFolder folder_;
};

Sessions::Made::Made() {
  const auto store = open_store(path());
  for (std::size_t problem = 0; problem < kProblems; ++problem) {
    Trial trial = full_trial();
    trial.key.problem = "rows=" + std::to_string(problem) + ",note=" + std::string(100, 'x') + "|\\";
    trial.session = "session-" + std::to_string(problem);
    store->record_trials(std::vector<Trial>(6, trial));
    Decision decision = full_decision();
    decision.key = trial.key;
    decision.session = trial.session;
    const std::string source = "// " + std::to_string(problem) + std::string(200, 'y');
    const std::vector<DecisionText> texts{{TextKind::source, "scale.cu", source},
                                          {TextKind::samples, "X=1", "[" + std::to_string(problem) + "]"}};
    store->record_texts(store->record_decision(decision), texts);
    Quarantined quarantined = full_quarantined();
    quarantined.key = trial.key;
    store->record_quarantine(quarantined);
    if (problem % 20 == 0) store->forget({.problem = trial.key.problem}, Forget::decisions);
  }
}

const RecoveredTable& table(const Recovered& recovered, const std::string& name) {
  for (const RecoveredTable& one : recovered.tables) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no table " + name);
}

std::int64_t rows_in(const fs::path& path, const std::string& name) {
  return std::stoll(sql(path, "SELECT count(*) FROM " + name).at(0));
}

void check_same_rows(const fs::path& a, const fs::path& b) {
  for (const std::string& name : kTables) {
    INFO(name);
    CHECK(sql(a, "SELECT * FROM " + name + " ORDER BY 1, 2") == sql(b, "SELECT * FROM " + name + " ORDER BY 1, 2"));
  }
}

TEST_CASE("all of a sound database is recovered, with its numbers and what was forgotten") {
  const Sessions sessions;
  const std::string before = read_bytes(sessions.path());
  const Recovered recovered = sessions.recovered_from(before);
  CHECK(recovered.all());
  check_same_rows(sessions.path(), sessions.out());
  CHECK(open_store(sessions.out())->list_decisions({}).size() == kProblems - kProblems / 20);
  CHECK(read_bytes(sessions.path()) == before);
}

TEST_CASE("whatever the header and the schema say, every row comes back") {
  const Sessions sessions;
  const std::string intact = read_bytes(sessions.path());
  std::string bytes = intact;
  SUBCASE("no first page") {
    bytes.replace(0, kPage, kPage, '\0');
  }
  SUBCASE("no header") {
    bytes.replace(0, 100, 100, '\x5a');
  }
  SUBCASE("a wrong page size") {
    bytes[16] = 0x20;
  }
  SUBCASE("another version") {
    write_bytes(sessions.folder() / "version.db", intact);
    sql(sessions.folder() / "version.db", "PRAGMA user_version = 1; DROP VIEW v_best; DROP INDEX trial_by_run");
    bytes = read_bytes(sessions.folder() / "version.db");
  }
  CHECK(sessions.recovered_from(bytes).all());
  check_same_rows(sessions.path(), sessions.out());
}

TEST_CASE("one lost page costs the rows that were on it and no others") {
  const Sessions sessions;
  const std::string intact = read_bytes(sessions.path());
  std::map<std::string, std::int64_t> lost;
  for (std::size_t page = 1; page < intact.size() / kPage; ++page) {
    INFO("page " << page + 1);
    std::string bytes = intact;
    bytes.replace(page * kPage, kPage, kPage, page % 2 == 0 ? '\0' : '\x7f');
    const Recovered recovered = sessions.recovered_from(bytes);
    for (const RecoveredTable& one : recovered.tables) {
      CHECK(one.rows == rows_in(sessions.out(), one.name));
      const std::int64_t gone = rows_in(sessions.path(), one.name) - one.rows;
      lost[one.name] += gone;
      CHECK(one.lost <= gone);
    }
    CHECK_FALSE(open_store(sessions.out())->damage());
  }
  // Every row is on one page. Of tasks and runs an index tells as much.
  for (const char* const name : {"trial", "decision", "quarantine", "forgotten", "text"}) {
    INFO(name);
    CHECK(lost[name] == rows_in(sessions.path(), name));
  }
  CHECK(lost["task"] == 0);
  CHECK(lost["run"] == 0);
  // What belongs to a lost decision is lost with it, once with its own page and once with the decision's, or text's.
  for (const char* const name : {"decision_tie", "decision_counter", "decision_text"}) {
    INFO(name);
    CHECK(lost[name] <= (name == std::string("decision_text") ? 3 : 2) * rows_in(sessions.path(), name));
    CHECK(lost[name] >= rows_in(sessions.path(), name));
  }
}

TEST_CASE("how many rows are lost is known where an index names them") {
  const Sessions sessions;
  std::string bytes = read_bytes(sessions.path());
  const auto last = sql(sessions.path(), "SELECT max(pageno) FROM dbstat WHERE name = 'trial' AND pagetype = 'leaf'");
  const std::size_t page = std::stoul(last.at(0)) - 1;
  bytes.replace(page * kPage, kPage, kPage, '\0');
  const Recovered recovered = sessions.recovered_from(bytes);
  CHECK(table(recovered, "trial").lost > 0);
  CHECK(table(recovered, "trial").lost + table(recovered, "trial").rows == rows_in(sessions.path(), "trial"));
}

TEST_CASE("of a truncated database what is left comes back") {
  const Sessions sessions;
  const std::string intact = read_bytes(sessions.path());
  std::int64_t before = 0;
  for (std::size_t size = kPage; size < intact.size(); size += intact.size() / 8 - 7) {
    const Recovered recovered = sessions.recovered_from(intact.substr(0, size));
    if (recovered.nothing()) continue;
    CHECK(table(recovered, "trial").rows >= before);
    before = table(recovered, "trial").rows;
    CHECK_FALSE(open_store(sessions.out())->damage());
  }
  CHECK(before > 0);
}

TEST_CASE("whatever was done to a database, what is recovered is sound and can be imported") {
  const Sessions sessions;
  const std::string intact = read_bytes(sessions.path());
  std::mt19937 random(4);
  const std::size_t count = tuner::test::length(18, 60);
  std::size_t useful = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::string bytes = intact;
    for (int change = 0; change < 1 << i % 7; ++change) {
      const std::size_t at = random() % bytes.size();
      const std::size_t length = std::min<std::size_t>(bytes.size() - at, i % 3 == 0 ? 1 : random() % 2000);
      for (std::size_t byte = at; byte < at + length; ++byte) bytes[byte] = static_cast<char>(random());
    }
    const Recovered recovered = sessions.recovered_from(bytes);
    if (recovered.nothing()) continue;
    ++useful;
    const auto store = open_store(sessions.out());
    CHECK_FALSE(store->damage());
    for (const DecisionKey& key : store->list_keys({})) store->find_trials(key);
    import_decisions(sessions.folder() / ("import-" + std::to_string(i) + ".db"), sessions.out());
  }
  CHECK(useful > count / 3 * 2);
}

TEST_CASE("a database that lacks tables gives back what the others hold") {
  const Sessions sessions;
  sql(sessions.path(), "PRAGMA foreign_keys = OFF; DROP TABLE quarantine; DROP TABLE outcome");
  const Recovered recovered = sessions.recovered_from(read_bytes(sessions.path()));
  CHECK(table(recovered, "trial").rows == rows_in(sessions.path(), "trial"));
  CHECK(table(recovered, "decision_tie").rows == rows_in(sessions.path(), "decision_tie"));
}

TEST_CASE("a row that no database may hold is refused, and the report says why") {
  const Sessions sessions;
  sql(sessions.path(),
      "PRAGMA foreign_keys = OFF; UPDATE trial SET outcome = 99 WHERE trial_id = 7; UPDATE trial SET "
      "samples_ns = '[fast]' WHERE trial_id = 8; UPDATE decision SET time_ns = 9e999 WHERE decision_id "
      "= 3; UPDATE task SET problem = 'rows=0' WHERE task_id = 9; UPDATE text SET text = 'x' WHERE text_id = 20");
  const Recovered recovered = sessions.recovered_from(read_bytes(sessions.path()));
  CHECK(table(recovered, "trial").refused == 2);
  CHECK(table(recovered, "trial").lost == 2);
  CHECK(table(recovered, "decision").refused == 1);
  CHECK(contains(table(recovered, "decision").why_refused, "number"));
  CHECK(table(recovered, "text").refused == 1);
  CHECK(table(recovered, "text").lost == 1);
  CHECK(contains(table(recovered, "text").why_refused, "hash"));
  CHECK(table(recovered, "decision_text").refused == 3);  // of the decision and of the text
  CHECK(table(recovered, "task").lost == 0);              // its key is in the index, too
  CHECK(sql(sessions.out(), "SELECT count(*) FROM task WHERE problem = 'rows=0'") == std::vector<std::string>{"0"});
}

TEST_CASE("where rows of what was forgotten or quarantined are lost, the report says that it counts again") {
  const Sessions sessions;
  CHECK(sessions.recovered_from(read_bytes(sessions.path())).warnings.empty());
  for (const std::string name : {"forgotten", "quarantine"}) {
    INFO(name);
    std::string bytes = read_bytes(sessions.path());
    const auto pages =
        sql(sessions.path(), "SELECT pageno FROM dbstat WHERE name = '" + name + "' AND pagetype = 'leaf'");
    for (const std::string& page : pages) bytes.replace((std::stoul(page) - 1) * kPage, kPage, kPage, '\0');
    const std::vector<std::string> warnings = sessions.recovered_from(bytes).warnings;
    REQUIRE(warnings.size() == 1);
    CHECK(contains(warnings[0], "`" + name + "`"));
    CHECK(contains(warnings[0], "again"));
  }
}

TEST_CASE("a folder that is missing was blamed on --db, which has nothing to do with what is written") {
  const Sessions sessions;
  const fs::path to = sessions.folder() / "missing/saved.db";
  const auto check = [&](const std::function<void()>& write) {
    const std::string message = check_error(
        Errc::store_unavailable, {to.string() + " cannot be written", "Check its folder, or name another one."}, write);
    CHECK_FALSE(contains(message, "--db"));
  };
  check([&] { recover(sessions.path(), to); });
  check([&] { export_decisions({.from = sessions.path(), .to = to}); });
}

TEST_CASE("a file of format 1 is recovered as it would have been brought up to date") {
  const TemporaryFolder folder;
  const fs::path old = old_file(folder, "decisions");
  CHECK(recover(old, folder / "new.db").all());
  open_store(old);
  check_same_rows(old, folder / "new.db");
}

TEST_CASE("decisions from before a file was brought up to date are recovered beside those from after it") {
  const TemporaryFolder folder;
  const fs::path old = old_file(folder, "decisions");
  open_store(old)->record_decision(full_decision());
  CHECK(recover(old, folder / "new.db").all());
  check_same_rows(old, folder / "new.db");
  CHECK(sql(folder / "new.db", "SELECT count(*), count(effort) FROM decision") == std::vector<std::string>{"2|1"});
}

TEST_CASE("what cannot be recovered, or not to there, is refused, and no file is touched") {
  const Sessions sessions;
  const auto& folder = sessions.folder();
  write_bytes(folder / "there.db", "mine");
  check_error(Errc::bad_usage, {"was not changed"}, [&] { recover(sessions.path(), folder / "there.db"); });
  check_error(Errc::bad_usage, {"was not changed"}, [&] { recover(sessions.path(), sessions.path()); });
  CHECK(read_bytes(folder / "there.db") == "mine");
  check_error(Errc::bad_usage, {".db"}, [&] { recover(sessions.path(), folder / "out"); });
  error_of(Errc::file_not_found, [&] { recover(folder / "missing.db", sessions.out()); });
  check_error(Errc::store_unavailable, {"not a file"}, [&] { recover(folder.path(), sessions.out()); });
  BinaryStore::open({.path = folder / "binaries.db"});
  check_error(Errc::bad_usage, {"compiled again"}, [&] { recover(folder / "binaries.db", sessions.out()); });
  for (const std::string& text : {std::string(), std::string("Dear diary, ..."), std::string(100'000, '\x0d')}) {
    CHECK(sessions.recovered_from(text).nothing());
    CHECK_FALSE(fs::exists(sessions.out()));
  }
}

TEST_CASE("a key is read back from its text") {
  DecisionKey key = key_of_problem("a=|b\\,=c");
  key.mode = "";
  REQUIRE(key_from_text(key.text()));
  CHECK(*key_from_text(key.text()) == key);
  for (const std::string& text : {std::string(), std::string("key1"), key.text() + "|", key.text() + "\\",
                                  "key2" + key.text().substr(4), key.text().substr(0, 40)}) {
    CHECK_FALSE(key_from_text(text));
  }
}

}  // namespace
}  // namespace tuner::cache::test
