// Rows on their way through the queue.
#include "tuner/fleet/job/row_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cache/exchange/exchange.hpp"
#include "cache/file/packed_text.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"

using namespace tuner;
using namespace tuner::cache;
using fleet::row_texts;
using fleet::rows_from_texts;
using tuner::test::contains;
using tuner::test::error_of;
using tuner::test::TemporaryFolder;

namespace {

const DecisionKey kKey{"scale", "scale:1", "n=1000", "a GPU", "cold", "time"};

/// A session's rows in a database, as it leaves them.
KeyRows recorded(const std::filesystem::path& path) {
  Trial good{.sequence = 0, .configuration = "BLOCK=128", .time_ns = 1000.125, .samples_ns = {1000.125, 1001}};
  good.key = kKey;
  good.session = "first";
  good.facts.registers = 32;
  good.facts.occupancy = 0.5;
  Trial bad{.sequence = 1, .configuration = "BLOCK=7", .outcome = Outcome::compile_error, .message = "no \"7\"\n"};
  bad.key = kKey;
  bad.session = "first";
  Decision decision;
  decision.key = kKey;
  decision.session = "first";
  decision.configuration = good.configuration;
  decision.time_ns = 1000.125;
  decision.speedup = 1.5;
  decision.ties = {{"BLOCK=128", 1}, {"BLOCK=64", 1.005}};
  decision.effort = Effort::quick;
  decision.counters = {{"asked", 2}};
  const auto store = SqliteStore::open({.path = path});
  const std::vector<Trial> trials{good, bad};
  store->record_trials(trials);
  const std::int64_t row = store->record_decision(decision);
  const std::vector<DecisionText> texts{{TextKind::source, "scale.cu", "text"}, {TextKind::header, "a.cuh", ""}};
  store->record_texts(row, texts);
  return read_key_rows(path, kKey);
}

}  // namespace

TEST_CASE("rows come out of their texts as they went in, in any order and once") {
  const TemporaryFolder folder;
  const KeyRows rows = recorded(folder / "decisions.db");
  std::vector<std::string> texts = row_texts(rows);
  CHECK(texts.size() == 5);
  CHECK(newest_session(rows) == "first");
  std::reverse(texts.begin(), texts.end());
  texts.push_back(texts.front());
  const std::vector<KeyRows> read = rows_from_texts(texts);
  REQUIRE(read.size() == 1);
  REQUIRE(read[0].trials.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(packed(read[0].trials[i]) == packed(rows.trials[i]));
  Decision without_number = *rows.decision;
  without_number.row = 0;
  CHECK(packed(*read[0].decision) == packed(without_number));
  CHECK(read[0].texts.size() == 2);
}

TEST_CASE("a source that is not UTF-8 keeps its bytes") {
  const TemporaryFolder folder;
  KeyRows rows = recorded(folder / "decisions.db");
  std::string all;
  for (int byte = 1; byte < 256; ++byte) all += static_cast<char>(byte);
  rows.texts = {{TextKind::source, "scale.cu",
                 "// gr\xf6\xdf"
                 "er\n"},
                {TextKind::header, "a.cuh", all}};
  const std::vector<KeyRows> read = rows_from_texts(row_texts(rows));
  REQUIRE(read.size() == 1);
  REQUIRE(read[0].texts.size() == 2);
  for (const DecisionText& text : read[0].texts) {
    CHECK(text.text == (text.kind == TextKind::source ? rows.texts[0].text : all));
  }
}

TEST_CASE("a decision that is older than the one here is known all the same afterwards") {
  const TemporaryFolder folder;
  KeyRows rows = recorded(folder / "decisions.db");
  rows.trials.clear();
  rows.decision->session = "another";
  rows.decision->created_unix_ms -= 1000;
  const std::vector<ImportedKey> imported = import_rows(folder / "decisions.db", {&rows, 1});
  REQUIRE(imported.size() == 1);
  CHECK(imported[0].decision == ImportedKey::Decision::older);
  CHECK(known_sessions(folder / "decisions.db") == std::set<std::string>{"another", "first"});
}

TEST_CASE("such rows are imported like a file of an export, once") {
  const TemporaryFolder folder;
  const std::vector<KeyRows> rows = rows_from_texts(row_texts(recorded(folder / "decisions.db")));
  for (const bool is_first : {true, false}) {
    const std::vector<ImportedKey> imported = import_rows(folder / "other.db", rows);
    REQUIRE(imported.size() == 1);
    CHECK(imported[0].trials_kept == (is_first ? 2 : 0));
    CHECK((imported[0].decision == ImportedKey::Decision::kept) == is_first);
  }
  CHECK(known_sessions(folder / "other.db") == std::set<std::string>{"first"});
  CHECK(known_sessions(folder / "none.db").empty());
}

TEST_CASE("what is no row is refused with one sentence, and what a newer version adds is passed over") {
  const TemporaryFolder folder;
  const std::string trial = row_texts(recorded(folder / "decisions.db")).front();
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = trial;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  for (const std::string& text : {std::string("x"), std::string("{}"), with("\"format\":1", "\"format\":2"),
                                  with("\"outcome\":0", "\"outcome\":99"), with("\"sequence\":0", "\"sequence\":\"0\""),
                                  with("\"record\":{", "\"record\":7,\"other\":{")}) {
    CAPTURE(text);
    CHECK(contains(error_of(Errc::store_damaged, [&] { rows_from_texts({text}); }), "not as it was written"));
  }
  CHECK(rows_from_texts({with("\"kind\":\"trial\"", "\"kind\":\"tale\"")}).empty());
  CHECK(rows_from_texts({with("\"sequence\":0", "\"sequence\":0,\"mood\":\"good\"")}).size() == 1);
}

TEST_CASE("rows that no session records, or that were replayed, are not written to a database") {
  const TemporaryFolder folder;
  KeyRows rows = recorded(folder / "decisions.db");
  rows.decision->origin = rows.trials.front().origin = Origin::replay;
  CHECK(import_rows(folder / "other.db", {&rows, 1}).at(0).trials_kept == 1);
  CHECK_FALSE(read_key_rows(folder / "other.db", rows.key).decision);
  rows.trials.front().outcome = Outcome(77);
  error_of(Errc::store_damaged, [&] { import_rows(folder / "another.db", {&rows, 1}); });
  CHECK_FALSE(std::filesystem::exists(folder / "another.db"));
}

TEST_CASE("a byte of a row that was changed is an error or another row, and nothing worse") {
  const TemporaryFolder folder;
  for (const std::string& text : row_texts(recorded(folder / "decisions.db"))) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      for (const char byte : {'0', '9', '"', '}', '\\', '\xff'}) {
        std::string changed = text;
        changed[at] = byte;
        try {
          for (const KeyRows& rows : rows_from_texts({changed})) require_storable(rows);
        } catch (const Error& error) {
          if (error.code() != Errc::store_damaged) FAIL_CHECK(error.what());
        }
      }
    }
  }
}
