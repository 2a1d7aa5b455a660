#include "cache/exchange/exchange.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/cache/examples.hpp"

namespace tuner::cache::test {
namespace {

/// A machine with a database of its own.
class Machine {
 public:
  std::filesystem::path path() const { return folder_ / "decisions.db"; }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  SqliteStore& store() { return *store_; }

  /// A session on one problem: two trials and the decision that they led to.
  Decision tune(const std::string& problem, std::int64_t created_unix_ms, const std::string& winner = "X=1",
                Origin origin = Origin::measured, const Hash& code = full_decision().binary_hash,
                const Hash& code_of_baseline = full_trial().facts.binary_hash) {
    Trial trial = full_trial();
    trial.facts.binary_hash = code_of_baseline;
    trial.key.problem = problem;
    trial.session = "session-" + std::to_string(created_unix_ms);
    trial.origin = origin;
    Decision decision = full_decision();
    decision.key = trial.key;
    decision.session = trial.session;
    decision.binary_hash = code;
    decision.origin = origin;
    decision.configuration = winner;
    decision.baseline = "X=0";
    decision.created_unix_ms = trial.created_unix_ms = created_unix_ms;
    std::vector<Trial> trials(2, trial);
    trials[0].configuration = decision.baseline;
    trials[1].configuration = winner;
    trials[1].sequence = trials[0].sequence + 1;
    trials[1].facts.binary_hash = decision.binary_hash;
    store_->record_trials(trials);
    const std::vector<DecisionText> texts{{TextKind::source, "scale.cu", "// the same for all\n"},
                                          {TextKind::samples, winner, fmt::format("[{}]", created_unix_ms)},
                                          {TextKind::insight, "explain", "{}"}};
    store_->record_texts(store_->record_decision(decision), texts);
    return decision;
  }

  std::vector<ExportedKey> export_to(const std::filesystem::path& file) const {
    return export_decisions({.from = path(), .to = file, .overwrite = true}).keys;
  }
  std::vector<ImportedKey> import_from(const std::filesystem::path& file) const {
    return import_decisions(path(), file);
  }
  std::string served(const std::string& problem) {
    const auto decision = store_->find_decision(key_of_problem(problem));
    return decision ? decision->configuration : "";
  }

 private:
  TemporaryFolder folder_;
  std::unique_ptr<SqliteStore> store_ = open_store(path());
};

std::int64_t count(const std::filesystem::path& path, const std::string& table) {
  return std::stoll(sql(path, "SELECT count(*) FROM " + table).at(0));
}

std::string counts(const std::filesystem::path& path) {
  std::string text;
  for (const char* table :
       {"task", "run", "trial", "decision", "decision_tie", "decision_counter", "text", "decision_text"}) {
    text += std::to_string(count(path, table)) + " ";
  }
  return text;
}

TEST_CASE("what one machine exported another one serves, with its dates, session and conditions, as imported") {
  Machine there, here;
  Decision decision = there.tune("rows=1", 5'000);
  std::vector<Trial> trials = there.store().find_trials(decision.key);
  there.export_to(there.file("tuned.db"));
  const std::vector<ImportedKey> imported = here.import_from(there.file("tuned.db"));
  REQUIRE(imported.size() == 1);
  CHECK(imported[0].key == decision.key);
  CHECK(imported[0].decision == ImportedKey::Decision::kept);
  CHECK(imported[0].trials_kept == 2);
  CHECK(imported[0].trials_known == 0);

  decision.origin = Origin::imported;
  check_same(here.store().find_decision(decision.key), decision);
  for (Trial& trial : trials) trial.origin = Origin::imported;
  check_same(here.store().find_trials(decision.key), trials);
  const auto texts_in = [&](Machine& machine) {
    return machine.store().find_texts(machine.store().find_decision(decision.key)->row);
  };
  CHECK(texts_in(here).size() == 3);
  CHECK(texts_in(here) == texts_in(there));
  CHECK(here.store().find_reusable(decision).empty());
  CHECK(here.store().list_sites(decision.key).size() == 1);
}

TEST_CASE("importing the same file twice adds nothing, nor does a machine's own export") {
  Machine there, here;
  there.tune("rows=1", 5'000);
  there.tune("rows=2", 6'000);
  there.export_to(there.file("tuned.db"));
  here.import_from(there.file("tuned.db"));
  for (Machine* machine : {&here, &there}) {
    const std::string before = counts(machine->path());
    const std::vector<ImportedKey> again = machine->import_from(there.file("tuned.db"));
    REQUIRE(again.size() == 2);
    for (const ImportedKey& key : again) {
      CHECK(key.decision == ImportedKey::Decision::older);
      CHECK(key.trials_kept == 0);
      CHECK(key.trials_known == 2);
    }
    CHECK(counts(machine->path()) == before);
  }
}

TEST_CASE("what is explained after an export comes with the next one, and replaces nothing") {
  Machine there, here;
  const std::int64_t row = [&] {
    const Decision decision = there.tune("rows=1", 5'000);
    return there.store().find_decision(decision.key)->row;
  }();
  const DecisionKey key = key_of_problem("rows=1");
  const auto explained = [](const std::string& name, const std::string& text) {
    return DecisionText{TextKind::insight, name, text};
  };
  const auto texts_here = [&] { return here.store().find_texts(here.store().find_decision(key)->row); };
  sql(there.path(), "DELETE FROM decision_text WHERE kind = 'insight'");
  there.export_to(there.file("tuned.db"));
  here.import_from(there.file("tuned.db"));
  REQUIRE(texts_here().size() == 2);

  there.store().record_texts(row, std::vector{explained("explain", "{\"found\": 1}")});
  there.export_to(there.file("tuned.db"));
  const std::vector<ImportedKey> again = here.import_from(there.file("tuned.db"));
  REQUIRE(again.size() == 1);
  CHECK(again[0].decision == ImportedKey::Decision::older);
  CHECK(texts_here() == there.store().find_texts(row));
  CHECK(count(here.path(), "decision") == 1);
  CHECK(here.store().find_decision(key)->origin == Origin::imported);

  there.store().record_texts(row, std::vector{explained("explain", "{\"found\": 2}"), explained("other", "{}")});
  there.export_to(there.file("tuned.db"));
  here.import_from(there.file("tuned.db"));
  std::vector<DecisionText> texts = texts_here();
  REQUIRE(texts.size() == 4);
  CHECK(std::count(texts.begin(), texts.end(), explained("explain", "{\"found\": 1}")) == 1);
  CHECK(std::count(texts.begin(), texts.end(), explained("other", "{}")) == 1);

  here.store().forget({}, Forget::everything);
  there.store().record_texts(row, std::vector{explained("third", "{}")});
  there.export_to(there.file("tuned.db"));
  const std::string before = counts(here.path());
  here.import_from(there.file("tuned.db"));
  CHECK(counts(here.path()) == before);
}

TEST_CASE("a decision that was measured here gets what is to be read from an import, but no source to compile") {
  Machine here;
  const DecisionKey key = here.tune("rows=1", 5'000).key;
  const std::int64_t row = here.store().find_decision(key)->row;
  here.store().record_texts(row, std::vector<DecisionText>{{TextKind::header, "mine.h", "// a header\n"}});
  here.export_to(here.file("tuned.db"));
  sql(here.path(), "DELETE FROM decision_text");
  here.import_from(here.file("tuned.db"));
  const std::vector<DecisionText> texts = here.store().find_texts(row);
  REQUIRE(texts.size() == 2);
  for (const DecisionText& text : texts) {
    CHECK((text.kind == TextKind::samples || text.kind == TextKind::insight));
  }

  Machine elsewhere;  // where the decision is an imported one, all of them come
  elsewhere.import_from(here.file("tuned.db"));
  sql(elsewhere.path(), "DELETE FROM decision_text");
  elsewhere.import_from(here.file("tuned.db"));
  CHECK(elsewhere.store().find_texts(elsewhere.store().find_decision(key)->row).size() == 4);
}

TEST_CASE("what is known over sizes comes with an import where nothing is known, and takes no place of what is") {
  Machine there, here;
  const Decision tuned = there.tune("rows=1", 5'000);
  const auto record = [](Machine& machine, const DecisionKey& key, const char* text) {
    machine.store().record_texts(machine.store().find_decision(key)->row,
                                 std::vector<DecisionText>{{TextKind::sizes, "", text}});
  };
  record(there, tuned.key, "theirs");
  there.export_to(there.file("tuned.db"));
  here.import_from(there.file("tuned.db"));
  CHECK(here.store().find_sizes(tuned.key, kAllSizes) == "theirs");

  Machine busy;
  const Decision own = busy.tune("rows=2", 1'000);
  record(busy, own.key, "ours");
  busy.import_from(there.file("tuned.db"));
  CHECK(busy.store().find_sizes(own.key, kAllSizes) == "ours");
  busy.import_from(there.file("tuned.db"));
  CHECK(busy.store().find_sizes(own.key, kAllSizes) == "ours");
}

TEST_CASE("the newest decision is served, in whichever order files are imported") {
  Machine old_one, new_one;
  old_one.tune("rows=1", 1'000, "old");
  new_one.tune("rows=1", 3'000, "new");
  old_one.export_to(old_one.file("tuned.db"));
  new_one.export_to(new_one.file("tuned.db"));
  for (const bool old_first : {true, false}) {
    Machine here;
    here.tune("rows=1", 2'000, "own");
    for (const bool is_old : {old_first, !old_first}) {
      const auto imported = here.import_from((is_old ? old_one : new_one).file("tuned.db"));
      CHECK((imported[0].decision == ImportedKey::Decision::older) == is_old);
    }
    CHECK(here.served("rows=1") == "new");
    CHECK(sql(here.path(), "SELECT configuration FROM v_best") == std::vector<std::string>{"new"});
    here.tune("rows=1", 4'000, "own again");
    CHECK(here.served("rows=1") == "own again");
    CHECK(count(here.path(), "trial") == 8);
  }
}

TEST_CASE("what was forgotten here stays forgotten when the same file is imported again, and a newer one is served") {
  Machine there, here;
  there.tune("rows=1", 1'000, "first");
  there.export_to(there.file("first.db"));
  there.tune("rows=1", 2'000, "second");
  there.export_to(there.file("second.db"));
  here.import_from(there.file("first.db"));
  here.store().forget({}, Forget::everything);
  CHECK(here.import_from(there.file("first.db"))[0].decision == ImportedKey::Decision::older);
  CHECK(here.served("rows=1").empty());
  CHECK(here.import_from(there.file("second.db"))[0].decision == ImportedKey::Decision::kept);
  CHECK(here.served("rows=1") == "second");
}

TEST_CASE("an export holds what counts: nothing forgotten, superseded, replayed or quarantined") {
  Machine there;
  there.tune("rows=1", 1'000, "superseded");
  there.tune("rows=1", 2'000, "served");
  there.tune("rows=2", 3'000, "forgotten");
  there.store().forget({.problem = "rows=2"}, Forget::everything);
  there.tune("rows=3", 4'000, "replayed", Origin::replay);
  there.store().record_quarantine(full_quarantined());
  const std::vector<ExportedKey> exported = there.export_to(there.file("tuned.db"));
  REQUIRE(exported.size() == 1);
  CHECK(exported[0].decisions == 1);
  CHECK(exported[0].trials == 4);
  const auto file = there.file("tuned.db");
  CHECK(sql(file, "SELECT configuration FROM decision") == std::vector<std::string>{"served"});
  CHECK(count(file, "trial") == 4);
  CHECK(count(file, "quarantine") == 0);
  CHECK(sql(file, "PRAGMA journal_mode") == std::vector<std::string>{"delete"});
  CHECK(sql(file, "PRAGMA integrity_check") == std::vector<std::string>{"ok"});

  Machine whole;  // a whole database may be imported, too
  CHECK(whole.import_from(there.path()).size() == 1);
  CHECK(whole.served("rows=1") == "served");
}

TEST_CASE("an export may leave trials out and keys away, and writes no file if nothing is left") {
  Machine there;
  there.tune("rows=1", 1'000);
  there.tune("rows=2", 2'000);
  const auto file = there.file("tuned.db");
  CHECK(export_decisions({.from = there.path(), .to = file, .wanted = [](const DecisionKey&) { return false; }})
            .keys.empty());
  CHECK_FALSE(std::filesystem::exists(file));
  const auto exported = export_decisions({.from = there.path(),
                                          .to = file,
                                          .with_trials = false,
                                          .wanted = [](const DecisionKey& key) { return key.problem == "rows=2"; }})
                            .keys;
  REQUIRE(exported.size() == 1);
  CHECK(exported[0].trials == 0);
  CHECK(count(file, "trial") == 0);
  CHECK(sql(file, "SELECT problem FROM v_best") == std::vector<std::string>{"rows=2"});
}

TEST_CASE("an export replaces nothing unless it is told to, and never the database itself") {
  Machine there;
  there.tune("rows=1", 1'000);
  write_bytes(there.file("tuned.db"), "mine");
  const ExportRequest request{.from = there.path(), .to = there.file("tuned.db")};
  check_error(Errc::bad_usage, {"--force"}, [&] { export_decisions(request); });
  CHECK(read_bytes(there.file("tuned.db")) == "mine");
  there.export_to(there.file("tuned.db"));
  CHECK(count(there.file("tuned.db"), "decision") == 1);

  const std::string before = read_bytes(there.path());
  std::filesystem::create_hard_link(there.path(), there.file("same.db"));
  for (const auto& same : {there.path(), there.file("same.db")}) {
    error_of(Errc::bad_usage, [&] { there.export_to(same); });
    error_of(Errc::bad_usage, [&] { there.import_from(same); });
  }
  CHECK(read_bytes(there.path()) == before);

  write_bytes(there.file("busy.db"), "");
  write_bytes(there.file("busy.db-journal"), "x");
  check_error(Errc::bad_usage, {"busy.db-journal"}, [&] { there.export_to(there.file("busy.db")); });
  check_error(Errc::store_unavailable, {"no such"}, [&] { there.export_to(there.file("no such/tuned.db")); });
  for (const auto& entry : std::filesystem::directory_iterator(there.path().parent_path())) {
    CHECK_FALSE(contains(entry.path().string(), ".part-"));
  }
}

TEST_CASE("an export does not go on in what another one left unfinished, nor write through a link there") {
  Machine there;
  there.tune("rows=1", 1'000);
  const auto file = there.file("tuned.db");
  const auto left = there.file("tuned.db.part-" + std::to_string(getpid()));
  {
    Machine other;
    other.tune("rows=9", 9'000);
    other.export_to(left);
  }
  const std::string before = read_bytes(left);
  there.export_to(file);
  CHECK(count(file, "decision") == 1);
  CHECK(read_bytes(left) == before);
  std::filesystem::remove(left);
  write_bytes(there.file("victim"), "");
  std::filesystem::create_symlink(there.file("victim"), left);
  there.export_to(file);
  CHECK(read_bytes(there.file("victim")).empty());
}

TEST_CASE("an export that may replace files replaces no folder and no pipe") {
  Machine there;
  there.tune("rows=1", 1'000);
  const auto pipe = there.file("pipe.db");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  check_error(Errc::bad_usage, {"is not a file"}, [&] { there.export_to(pipe); });
  CHECK(std::filesystem::is_fifo(pipe));
}

TEST_CASE("a file that is newer, foreign, damaged or not there is refused, and the database stays as it was") {
  Machine there, here;
  there.tune("rows=1", 1'000);
  here.tune("rows=2", 2'000);
  const std::string before = read_bytes(here.path());
  const auto file = there.file("tuned.db");
  const auto refused = [&](Errc code, const std::string& why = "") {
    check_error(code, {file.string(), why}, [&] { here.import_from(file); });
    CHECK(read_bytes(here.path()) == before);
  };
  const auto refused_after = [&](const std::string& change, Errc code, const std::string& why = "") {
    there.export_to(file);
    sql(file, change);
    refused(code, why);
  };
  refused(Errc::store_unavailable);
  error_of(Errc::store_unavailable, [&] { require_importable(here.path(), file); });
  write_bytes(file, "");
  refused(Errc::store_unavailable);
  write_bytes(file, "this is text, not a database, whatever its name says");
  refused(Errc::store_damaged);
  std::filesystem::remove(file);
  BinaryStore::open({.path = file});
  refused(Errc::store_unavailable);
  refused_after("PRAGMA user_version = 99", Errc::store_newer);
  refused_after("DROP TABLE decision_tie", Errc::store_damaged);
  refused_after("UPDATE decision SET speedup = 9e999", Errc::store_damaged, "speedup");
  refused_after("INSERT INTO outcome VALUES (99, 'unheard_of'); UPDATE trial SET outcome = 99", Errc::store_damaged);
  there.export_to(file);
  std::string bytes = read_bytes(file);
  for (std::size_t page = 1; page < bytes.size() / 4096; page += 3) bytes.replace(page * 4096, 64, 64, '\x7f');
  write_bytes(file, bytes);
  refused(Errc::store_damaged);
  error_of(Errc::store_damaged, [&] { require_importable(here.path(), file); });
}

TEST_CASE("an export is read, and imported, where nothing may be written") {
  Machine there;
  there.tune("rows=1", 1'000);
  const TemporaryFolder system;
  there.export_to(system / "tuned.db");
  const TemporaryFolder home;
  hand_over(home.path());
  CHECK(mode_of(system / "tuned.db") == 0644);
  REQUIRE(chmod((system / "tuned.db").c_str(), 0444) == 0);
  REQUIRE(chmod(system.path().c_str(), 0555) == 0);
  const DecisionKey key = key_of_problem("rows=1");
  CHECK(in_unprivileged_child([&] {
          const auto shipped = open_store(system / "tuned.db", Access::read_only);
          if (!shipped->find_decision(key)) throw std::runtime_error("not served");
          if (import_decisions(home / "decisions.db", system / "tuned.db").size() != 1) {
            throw std::runtime_error("not imported");
          }
          if (!open_store(home / "decisions.db")->find_decision(key)) throw std::runtime_error("not kept");
        }) == 0);
  REQUIRE(chmod(system.path().c_str(), 0755) == 0);
}

TEST_CASE("a file of an older format is imported and stays as it is") {
  const TemporaryFolder folder;
  const auto old = old_file(folder, "decisions");
  sql(old, "UPDATE run SET origin = 0");  // what it holds is from a replay
  const std::string before = read_bytes(old);
  Machine here;
  const std::vector<ImportedKey> imported = here.import_from(old);
  REQUIRE(imported.size() == 1);
  CHECK(imported[0].decision == ImportedKey::Decision::kept);
  CHECK(imported[0].trials_kept == 22);
  CHECK(read_bytes(old) == before);
  REQUIRE(here.store().list_decisions({}).size() == 1);
  CHECK_FALSE(here.store().list_decisions({})[0].effort);
}

TEST_CASE("a decision dated in the future does not make every later import older") {
  constexpr std::int64_t kFuture = 7'000'000'000'000;  // the year 2191
  Machine wrong_clock, right_clock, here;
  wrong_clock.tune("rows=1", kFuture, "X=3");
  wrong_clock.export_to(wrong_clock.file("future.db"));
  right_clock.tune("rows=1", 2'000, "X=2");
  right_clock.export_to(right_clock.file("tuned.db"));
  here.tune("rows=1", 1'000, "X=1");
  const auto import = [&](const std::filesystem::path& file) { return here.import_from(file).at(0).decision; };

  CHECK(import(wrong_clock.file("future.db")) == ImportedKey::Decision::kept);
  CHECK(here.served("rows=1") == "X=3");
  CHECK(import(right_clock.file("tuned.db")) == ImportedKey::Decision::kept);
  CHECK(here.served("rows=1") == "X=2");
  // Neither file is taken in twice.
  for (const auto& file : {wrong_clock.file("future.db"), right_clock.file("tuned.db")}) {
    CHECK(import(file) == ImportedKey::Decision::older);
    CHECK(here.served("rows=1") == "X=2");
  }
}

TEST_CASE("an import that fails half-way adds nothing") {
  Machine there, here;
  there.tune("rows=1", 1'000);
  there.export_to(there.file("tuned.db"));
  // The last thing that an import writes is the counters.
  sql(here.path(), "CREATE UNIQUE INDEX stop ON decision_counter (decision_id)");
  error_of(Errc::store_damaged, [&] { here.import_from(there.file("tuned.db")); });
  for (const char* table : {"task", "run", "trial", "decision"}) CHECK(count(here.path(), table) == 0);
}

TEST_CASE("binaries of winners and baselines are exported with every key that they were compiled for") {
  Machine there;
  const TemporaryFolder target;
  const auto from = there.file("binaries.db");
  {
    const auto store = BinaryStore::open({.path = from});
    for (const std::string key : {"winner", "winner again", "baseline", "loser"})
      store->put(binary_of(key, key.substr(0, 6), 6));
  }
  const auto hash_of = [](const std::string& code) { return content_hash(binary_of("", code, 6).bytes); };
  there.tune("rows=1", 1'000, "X=1", Origin::measured, hash_of("winner"), hash_of("baseli"));
  there.tune("rows=2", 1'000);
  const auto export_to = [&](const std::string& name) {
    return export_decisions(
        {.from = there.path(), .to = target / name, .binaries = ExportRequest::Binaries{from, target / "binaries.db"}});
  };
  const auto exported = export_to("decisions.db").binaries;
  REQUIRE(exported);
  CHECK(exported->written == 2);
  CHECK(exported->missing == 2);
  const auto shipped = BinaryStore::open({.path = target / "binaries.db", .access = Access::read_only});
  REQUIRE_FALSE(shipped->distrust());
  for (const char* key : {"winner", "winner again", "baseline"}) REQUIRE(shipped->find_compiled(key));
  CHECK(shipped->find_compiled("winner again")->bytes == binary_of("", "winner", 6).bytes);
  CHECK_FALSE(shipped->find_compiled("loser"));
  error_of(Errc::bad_usage, [&] { export_to("more.db"); });
  REQUIRE(chmod(from.c_str(), 0666) == 0);
  check_error(Errc::store_unavailable, {"by its group or by everyone"}, [&] { export_to("more.db"); });
  CHECK_FALSE(std::filesystem::exists(target / "more.db"));
}

}  // namespace
}  // namespace tuner::cache::test
