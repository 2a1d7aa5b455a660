// kill -9 of replays, imports and exports at any moment: what was committed is there, every command works, what was to
// be written is there as a whole or not at all.
#include <signal.h>
#include <sqlite3.h>

#include <algorithm>

#include "tests/attack/attack.hpp"
#include "tuner/ground/unique_handle.hpp"

namespace tuner::attack {

namespace fs = std::filesystem;

namespace {

using Database = UniqueHandle<sqlite3*, sqlite3_close_v2>;
using Query = UniqueHandle<sqlite3_stmt*, sqlite3_finalize>;

const char* const kTables[] = {"task",       "run",       "trial", "decision",     "decision_tie", "decision_counter",
                               "quarantine", "forgotten", "text",  "decision_text"};

/// Every row as text, with its table, read by SQLite alone from a copy: a journal is rolled back there, not here.
std::set<std::string> rows_of(Attack& attack, const fs::path& database) {
  std::set<std::string> rows;
  if (!fs::exists(database) || fs::file_size(database) == 0) return rows;
  attack.sandbox().clear("saved");
  for (const char* suffix : {"", "-journal", "-wal"}) {
    if (fs::exists(database.string() + suffix))
      fs::copy_file(database.string() + suffix, (attack / "saved/copy.db").string() + suffix);
  }
  sqlite3* handle = nullptr;
  sqlite3_open_v2((attack / "saved/copy.db").c_str(), &handle, SQLITE_OPEN_READWRITE, nullptr);
  const Database owned(handle);
  for (const char* table : kTables) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(handle, (std::string("SELECT * FROM ") + table).c_str(), -1, &statement, nullptr) !=
        SQLITE_OK)
      continue;
    const Query query(statement);
    while (sqlite3_step(statement) == SQLITE_ROW) {
      std::string row = table;
      for (int column = 0; column < sqlite3_column_count(statement); ++column) {
        const unsigned char* text = sqlite3_column_text(statement, column);
        row += std::string("|") + (text ? reinterpret_cast<const char*>(text) : "NULL");
      }
      rows.insert(row);
    }
  }
  return rows;
}

void must_have_kept(Attack& attack, const std::set<std::string>& before, const std::set<std::string>& now,
                    const std::string& what) {
  std::size_t lost = 0;
  for (const std::string& row : before) lost += now.contains(row) ? 0 : 1;
  if (lost > 0) attack.find("rows were lost after " + what, what);
}

enum class Victim { replay, import, export_all };

void run_kills(Attack& attack, Chance& chance) {
  attack.sandbox().clear();
  copy_as_it_is(attack / "../base/in", attack / "in");
  copy_as_it_is(attack / "../base/full", attack / "in/base");
  copy_as_it_is(attack / (chance.once_in(2) ? "../base/full" : "../base/empty"), attack / "db");
  const Victim victim = chance.one_of({Victim::replay, Victim::replay, Victim::import, Victim::export_all});
  const std::string database = attack / (victim == Victim::replay ? "db/replay.db" : "db/decisions.db");
  if (victim == Victim::replay && chance.once_in(2)) fs::rename(attack / "db/decisions.db", database);
  const std::set<std::string> before = rows_of(attack, database);

  std::vector<std::string> words{"tune",
                                 "--replay",
                                 attack / "in/scale.csv",
                                 "--db",
                                 attack / "db/decisions.db",
                                 "--seed",
                                 std::to_string(chance.below(100))};
  if (victim == Victim::import) words = {"import", attack / "in/base/decisions.db", "--db", database};
  if (victim == Victim::export_all)
    words = {"export", attack / "out/all.db", "--with-binaries", "--db", attack / "in/base"};
  const std::string said = words[0] + ", killed";
  Door& door = attack.door("victim");
  const pid_t pid = door.start(words, attack / "home");
  if (!door.ends_within(std::chrono::milliseconds(chance.below(chance.once_in(2) ? 20 : 150)))) kill(pid, SIGKILL);
  const Ending ending = door.finish();
  if (ending.signal != SIGKILL) attack.judge(ending, {.exit_codes = {0, 1}}, said);
  attack.note("killed: " + words[0] + (ending.signal == 0 ? ", which had ended" : ""));

  if (fs::exists(database)) attack.run({"list", "--db", database}, {.exit_codes = {0}});
  const std::set<std::string> committed = rows_of(attack, database);
  must_have_kept(attack, before, committed, said);
  if (victim == Victim::import && committed.size() != before.size()) {  // as a whole or not at all
    std::set<std::string> all = committed;
    attack.run({"import", attack / "in/base/decisions.db", "--db", database},
               {.may_change = {"db"}, .exit_codes = {0}});
    if (rows_of(attack, database) != all) attack.find("half of a file was imported", said);
  }
  if (victim == Victim::export_all && fs::exists(attack / "out/all.db")) {
    const Ending shown = attack.run({"list", "--db", attack / "out/all.db", "--json"}, {.exit_codes = {0}});
    const Ending origin = attack.run({"list", "--db", attack / "in/base", "--json"}, {.exit_codes = {0}});
    if (std::count(shown.out.begin(), shown.out.end(), '\n') > std::count(origin.out.begin(), origin.out.end(), '\n'))
      attack.find("an export is not what was exported", said);
  }

  // Whatever was left, everything works.
  const std::set<std::string> writable{"db"};
  attack.run({"tune", "--replay", attack / "in/scale.csv", "--db", attack / "db/decisions.db"},
             {.may_change = writable, .exit_codes = {0}});
  attack.run({"list", "--db", database}, {.exit_codes = {0}});
  attack.run({"doctor", "--db", attack / "db"}, {});
  attack.run({"import", attack / "in/base/decisions.db", "--db", attack / "db"},
             {.may_change = writable, .exit_codes = {0}});
  attack.run({"export", attack / "out/all.db", "--force", "--db", attack / "db"},
             {.may_change = {"out"}, .exit_codes = {0}});
  must_have_kept(attack, committed, rows_of(attack, database), said + ", and what came next");
  attack.sandbox().clear("saved");
}

}  // namespace

const Section kKills{"kills", 100, nullptr, run_kills};

}  // namespace tuner::attack
