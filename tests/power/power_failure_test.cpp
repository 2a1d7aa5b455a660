#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "cache/exchange/exchange.hpp"
#include "cache/file/hash.hpp"
#include "cache/schema/set_aside.hpp"
#include "cache/sqlite/sqlite.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/cache/support.hpp"
#include "tests/power/recorded.hpp"
#include "tests/support/length.hpp"

// The disks of this program's own databases need not be real ones.
extern "C" int fsync(int) {
  return 0;
}
extern "C" int fdatasync(int) {
  return 0;
}

namespace tuner::power {
namespace {

namespace fs = std::filesystem;
using namespace cache::test;
using cache::Access;

const std::size_t kCuts = tuner::test::length(12, 500);

bool has_bytes(const fs::path& file) {
  std::error_code error;
  return fs::file_size(file, error) > 0 && !error;
}

/// Everything that is in a database, as text.
std::string dump(const fs::path& path) {
  const cache::sqlite::Connection database(path, SQLITE_OPEN_READWRITE, std::chrono::seconds(0));
  std::string text;
  const auto add = [](void* to, int count, char** values, char**) {
    for (int i = 0; i < count; ++i) static_cast<std::string*>(to)->append(values[i] ? values[i] : "NULL").append("|");
    static_cast<std::string*>(to)->append("\n");
    return 0;
  };
  const auto ask = [&](const std::string& query) {
    text += query + "\n";
    database.check(sqlite3_exec(database.get(), query.c_str(), add, &text, nullptr), query);
  };
  ask("PRAGMA user_version");
  ask("SELECT type, name, sql FROM sqlite_schema");
  cache::sqlite::Statement tables(database, "SELECT name FROM sqlite_schema WHERE type = 'table'");
  while (tables.step()) ask("SELECT * FROM " + tables.text(0));
  return text;
}

/// What is served, by kernel, problem, device and mode.
using Served = std::map<std::string, std::string>;

std::string text_of(const cache::Decision& decision) {
  return fmt::format("{}: {} {}", decision.row, decision.configuration, decision.time_ns);
}

Served served(const cache::SqliteStore& store, const std::vector<cache::DecisionKey>& keys) {
  Served served;
  for (const cache::DecisionKey& key : keys) {
    if (const auto decision = store.find_decision(key)) served[key.text()] = text_of(*decision);
  }
  return served;
}

/// What a database held when the program started and at the moment of each promise. At any other moment it holds what
/// it held at the one before, or already what it will hold at the next.
class History {
 public:
  History(const Recorded& recorded, const fs::path& file) : file_(file) {
    recorded.at_promises([&](const fs::path& folder) {
      if (!has_bytes(folder / file_)) return;
      for (const cache::DecisionKey& key : open_store(folder / file_)->list_keys({})) {
        if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) keys_.push_back(key);
      }
    });
    recorded.at_promises([&](const fs::path& folder) {
      State& state = states_.emplace_back();
      if (!has_bytes(folder / file_)) return;
      state = {dump(folder / file_), served(*open_store(folder / file_, Access::read_only), keys_)};
    });
  }

  /// What is wrong with what is left: it must be whole, and all that was promised.
  std::string judge(const Failure& failure) const {
    const fs::path path = failure.folder / file_;
    // A reader comes first, as long as nobody who may write has cleared up.
    if (auto complaint = judge_reading(failure); !complaint.empty()) return complaint;
    if (failure.promises.empty() && !has_bytes(path)) return "";
    const auto store = open_store(path);
    if (const auto damage = store->damage()) return "damaged: " + *damage;
    if (auto complaint = compare(failure, dump(path), &State::rows); !complaint.empty()) return complaint;
    if (failure.events % 16 == 3) store->record_trials({{bare_trial()}});
    return "";
  }

  std::size_t promises() const { return states_.size() - 1; }

 private:
  struct State {
    std::string rows;
    Served decisions;
  };

  std::string judge_reading(const Failure& failure) const {
    if (!has_bytes(failure.folder / file_)) return "";
    try {
      const auto store = open_store(failure.folder / file_, Access::read_only);
      return compare(failure, served(*store, keys_), &State::decisions);
    } catch (const Error& error) {
      return error.what();
    }
  }

  template <class Part>
  std::string compare(const Failure& failure, const Part& seen, Part State::*part) const {
    const std::size_t promised = failure.promises.size();
    if (seen == states_[promised].*part) return "";
    if (promised + 1 < states_.size() && seen == states_[promised + 1].*part) return "";
    for (std::size_t i = 0; i < promised; ++i) {
      if (seen == states_[i].*part)
        return fmt::format("what was promised last is lost, and {} promises before it", promised - i - 1);
    }
    return "what is there never was";
  }

  fs::path file_;
  std::vector<cache::DecisionKey> keys_;
  std::vector<State> states_;
};

/// All code that was ever kept, by what it was compiled from.
using Code = std::map<std::string, cache::Binary>;

Code code_in(const fs::path& file) {
  const auto store = cache::BinaryStore::open({.path = file});
  Code code;
  for (const std::string& key : sql(file, "SELECT key_text FROM build")) code[key] = *store->find_compiled(key);
  return code;
}

/// Code may be lost with the power, but what is found is what was compiled.
std::string judge_code(const fs::path& file, Access access, const Code& code) {
  if (!has_bytes(file)) return "";
  try {
    const auto store = cache::BinaryStore::open({.path = file, .access = access});
    for (const auto& [key, compiled] : code) {
      const auto binary = store->find_compiled(key, compiled.hash);
      if (!binary) continue;
      if (binary->bytes != compiled.bytes || binary->kernel != compiled.kernel) return "wrong code for " + key;
    }
  } catch (const Error& error) {
    if (error.code() == Errc::internal) return error.what();
  }
  return "";
}

void check(const Recorded::Findings& findings) {
  MESSAGE(findings.failures, " power failures");
  INFO(findings.first);
  CHECK(findings.complaints == 0);
}

}  // namespace

TEST_CASE("a power failure at any moment of a session costs no trial and no decision that was stored") {
  const TemporaryFolder folder;
  const Recorded session("session", folder.path());
  const fs::path home = fs::path("new") / "share" / "tuner";
  const History history(session, home / "decisions.db");
  REQUIRE(history.promises() > 30);
  const auto code = code_in(folder.path() / home / "binaries.db");
  REQUIRE(code.size() > 5);

  const std::set<std::size_t> cuts = session.cuts(kCuts);
  REQUIRE(cuts.size() >= kCuts);
  check(session.fail_at(cuts, [&](const Failure& failure) {
    const fs::path binaries = failure.folder / home / "binaries.db";
    const Access access = failure.events % 2 == 0 ? Access::read_only : Access::read_write;
    if (auto complaint = judge_code(binaries, access, code); !complaint.empty()) return complaint;
    return history.judge(failure);
  }));
}

TEST_CASE("a power failure while a file is brought up to date leaves it in the old format or in the new one") {
  const TemporaryFolder folder;
  fs::copy_file(TUNER_TEST_DATA "/decisions-format-1.sqlite", folder / "decisions.db");
  const std::string old = dump(folder / "decisions.db");
  const Recorded recorded("open", folder.path());
  const std::string current = dump(folder / "decisions.db");
  REQUIRE(old != current);

  check(recorded.fail_at(recorded.cuts(kCuts), [&](const Failure& failure) -> std::string {
    const fs::path file = failure.folder / "decisions.db";
    if (failure.events % 2 == 0) {
      const std::string left = dump(file);
      if (left != current && (left != old || !failure.promises.empty())) return "half of it is done";
    }
    if (const auto damage = open_store(file)->damage()) return *damage;
    return dump(file) == current ? "" : "it is another one than without the failure";
  }));
}

TEST_CASE("a power failure while a file of binaries is brought up to date never leads to other code") {
  const TemporaryFolder folder;
  const fs::path path = folder / "binaries.db";
  fs::copy_file(TUNER_TEST_DATA "/binaries-format-1.sqlite", path);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  const Recorded recorded("open-binaries", folder.path());
  REQUIRE(sql(path, "PRAGMA user_version") == std::vector<std::string>{"2"});
  const auto code = code_in(path);
  REQUIRE(code.size() == 3);

  check(recorded.fail_at(recorded.cuts(kCuts), [&](const Failure& failure) {
    const fs::path file = failure.folder / "binaries.db";
    for (const Access access : {Access::read_only, Access::read_write}) {
      if (auto complaint = judge_code(file, access, code); !complaint.empty()) return complaint;
    }
    return std::string();
  }));
}

/// A folder as a session leaves it.
void fill(const TemporaryFolder& folder) {
  const TemporaryFolder session;
  const Recorded recorded("session", session.path());
  for (const char* const name : {"decisions.db", "binaries.db"}) {
    fs::copy_file(session / "new" / "share" / "tuner" / name, folder / name);
  }
}

TEST_CASE("a power failure during an import leaves the database without the other one's rows or with all of them") {
  const TemporaryFolder folder;
  fill(folder);
  fs::rename(folder / "decisions.db", folder / "other.db");
  open_store(folder / "decisions.db")->record_decision(full_decision());
  const std::string before = dump(folder / "decisions.db");
  const Recorded recorded("import", folder.path());
  const History history(recorded, "decisions.db");
  REQUIRE(history.promises() == 1);
  REQUIRE(dump(folder / "decisions.db") != before);

  const std::string other = read_bytes(folder / "other.db");
  check(recorded.fail_at(recorded.cuts(kCuts), [&](const Failure& failure) {
    return read_bytes(failure.folder / "other.db") == other ? history.judge(failure) : "what was imported has changed";
  }));
}

TEST_CASE("what was reported as exported is there after a power failure, and was not there in part before") {
  const TemporaryFolder folder;
  fill(folder);
  open_store(folder / "exported.db")->record_decision(full_decision());
  const std::string earlier = "code of the earlier export";
  cache::BinaryStore::open({.path = folder / "code.db"})
      ->put({{.kernel = "k", .bytes = std::vector<std::byte>(100)}, "sm_90", earlier, ""});
  const std::string before = dump(folder / "exported.db");
  const Recorded recorded("export", folder.path());
  const std::string after = dump(folder / "exported.db");
  const auto code = code_in(folder / "code.db");
  REQUIRE(before != after);
  REQUIRE_FALSE(code.empty());
  REQUIRE_FALSE(code.contains(earlier));

  check(recorded.fail_at(recorded.cuts(kCuts), [&](const Failure& failure) -> std::string {
    const std::string left = dump(failure.folder / "exported.db");
    if (left != after && (left != before || !failure.promises.empty())) return "the exported decisions are not there";
    const auto store = cache::BinaryStore::open({.path = failure.folder / "code.db", .access = Access::read_only});
    if (left == before) return store->find_compiled(earlier) ? "" : "the code of the earlier export is not there";
    for (const auto& [key, binary] : code) {
      if (!store->find_compiled(key)) return "the exported code is not there";
    }
    return "";
  }));
}

TEST_CASE("nothing of a database that is set aside when the power fails is deleted") {
  const TemporaryFolder folder;
  fill(folder);
  std::string damaged = read_bytes(folder / "decisions.db");
  damaged.replace(0, 100, 100, 'x');
  // As a program leaves it that keeps journals for the next transaction.
  const std::string journal = std::string(512, '\0') + "pages of the last transaction";
  write_bytes(folder / "decisions.db", damaged);
  write_bytes(folder / "decisions.db-journal", journal);
  const Recorded recorded("set-aside", folder.path());

  check(recorded.fail_at(recorded.cuts(kCuts), [&](const Failure& failure) -> std::string {
    const fs::path file = failure.folder / "decisions.db";
    // What the next session does.
    cache::set_aside_damaged(file);
    const auto store = open_store(file);
    if (const auto damage = store->damage()) return "the fresh one is damaged: " + *damage;
    const auto promised = std::accumulate(
        failure.promises.begin(), failure.promises.end(), 0,
        [](int sum, const auto& promise) { return sum + (contains(promise, "trials") ? std::stoi(promise) : 0); });
    if (std::stoi(sql(file, "SELECT count(*) FROM trial").front()) < promised) return "trials are lost";
    const auto contents = contents_of(failure.folder);
    const auto has = [&](const std::string& bytes) {
      return std::any_of(contents.begin(), contents.end(), [&](const auto& entry) { return entry.second == bytes; });
    };
    return has(damaged) && has(journal) ? "" : "a part of what was damaged was deleted";
  }));
}

}  // namespace tuner::power
