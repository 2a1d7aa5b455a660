#include "cache/file/hash.hpp"
#include "tests/cache/support.hpp"

namespace tuner::cache::test {
namespace {

using Rows = std::vector<std::string>;
using Texts = std::vector<DecisionText>;

const DecisionText kSourceText{TextKind::source, "scale.cu", "__global__ void scale() {}\n"};

TEST_CASE_TEMPLATE("texts come back as they were, in the order of kind and name, whatever they contain", Place,
                   InMemory, InSqlite) {
  Place place;
  const std::int64_t row = place.store().record_decision(full_decision());
  CHECK(place.database().find_texts(row).empty());
  const Texts texts{kSourceText,
                    {TextKind::header, "", ""},
                    {TextKind::header, "a/b.cuh", "größe 矩 '; DROP TABLE text; -- \xff"},
                    {TextKind::header, "scale.cu", std::string("a\0b", 3)},
                    {TextKind::samples, "X=1", "[1,2.5]"},
                    {TextKind::insight, "explain", std::string(100'000, 'x')}};
  place.store().record_texts(row, Texts(texts.rbegin(), texts.rend()));
  CHECK(place.database().find_texts(row) == texts);
  check_same(place.store().find_decision(some_key()), full_decision());
}

TEST_CASE_TEMPLATE("a text takes the place of the one with its kind and name, and of no other", Place, InMemory,
                   InSqlite) {
  Place place;
  const std::int64_t one = place.store().record_decision(full_decision());
  const std::int64_t two = place.store().record_decision(full_decision());
  const DecisionText header{TextKind::header, "scale.cu", "a"}, changed{TextKind::source, "scale.cu", "b"};
  for (const std::int64_t row : {one, two}) place.store().record_texts(row, Texts{kSourceText, header});
  place.store().record_texts(two, Texts{changed});
  place.store().record_texts(two, {});
  CHECK(place.database().find_texts(one) == Texts{kSourceText, header});
  CHECK(place.database().find_texts(two) == Texts{changed, header});
  CHECK(place.database().find_texts(two + 1).empty());
}

TEST_CASE_TEMPLATE("what is known over sizes is one text a kernel, GPU and mode, found whatever the problem", Place,
                   InMemory, InSqlite) {
  Place place;
  const auto decide = [&](const std::string& problem, const std::string& device = "gpu") {
    Decision decision = full_decision();
    decision.key.problem = problem;
    decision.key.device = device;
    return place.store().record_decision(decision);
  };
  const auto record = [&](std::int64_t row, const std::string& text) {
    place.store().record_texts(row, Texts{kSourceText, {TextKind::sizes, "", text}});
  };
  DecisionKey key = full_decision().key;
  key.problem = "n=3";
  key.device = "gpu";
  CHECK_FALSE(place.database().find_sizes(key, kAllSizes));
  const std::int64_t one = decide("n=1"), two = decide("n=2"), elsewhere = decide("n=1", "another gpu");
  record(one, "of one");
  record(elsewhere, "of another GPU");
  CHECK(place.database().find_sizes(key, kAllSizes) == "of one");
  record(two, "of both");
  CHECK(place.database().find_sizes(key, kAllSizes) == "of both");
  CHECK(place.database().find_texts(one) == Texts{kSourceText});
  CHECK(place.database().find_texts(elsewhere).size() == 2);
  record(one, "of both, again");
  CHECK(place.database().find_sizes(key, kAllSizes) == "of both, again");
  place.store().record_texts(two, Texts{{TextKind::sizes, "", "all"}, {TextKind::sizes, "rule", "a rule"}});
  CHECK(place.database().find_sizes(key, kAllSizes) == "all");
  CHECK(place.database().find_sizes(key, kRuleOfSizes) == "a rule");
  CHECK(place.database().find_texts(one) == Texts{kSourceText});
  key.mode = "another mode";
  CHECK_FALSE(place.database().find_sizes(key, kAllSizes));
  key.mode = full_decision().key.mode;
  key.kernel_identity = "another source";
  CHECK_FALSE(place.database().find_sizes(key, kAllSizes));
}

TEST_CASE_TEMPLATE("what is known over sizes is forgotten with the decision that it belongs to", Place, InMemory,
                   InSqlite) {
  Place place;
  const std::int64_t row = place.store().record_decision(full_decision());
  place.store().record_texts(row, Texts{{TextKind::sizes, "", "{}"}});
  place.database().forget({}, Forget::trials);
  CHECK(place.database().find_sizes(full_decision().key, kAllSizes));
  place.database().forget({}, Forget::decisions);
  CHECK_FALSE(place.database().find_sizes(full_decision().key, kAllSizes));
  place.store().record_decision(full_decision());
  CHECK_FALSE(place.database().find_sizes(full_decision().key, kAllSizes));
}

TEST_CASE("a view has what is known over sizes, once for a kernel, GPU and mode") {
  InSqlite place;
  const auto rows = [&] { return sql(place.path(), "SELECT kernel, device, mode, decision_id, sizes FROM v_sizes"); };
  const Decision decision = full_decision();
  const std::string key = decision.key.kernel_name + "|" + decision.key.device + "|" + decision.key.mode + "|";
  const std::int64_t one = place.store().record_decision(decision);
  CHECK(rows().empty());
  place.store().record_texts(one, Texts{{TextKind::sizes, "", "{}"}, {TextKind::sizes, "rule", "a rule"}});
  CHECK(rows() == Rows{key + std::to_string(one) + "|{}"});
  // Another program may have recorded it for a newer decision and left the older row.
  Decision other = decision;
  other.key.problem = "n=2";
  const std::int64_t two = place.store().record_decision(other);
  sql(place.path(), "INSERT INTO decision_text SELECT " + std::to_string(two) +
                        ", kind, name, text_id FROM decision_text WHERE kind = 'sizes'");
  CHECK(rows() == Rows{key + std::to_string(two) + "|{}"});
  place.database().forget({}, Forget::decisions);
  CHECK(rows().empty());
}

TEST_CASE_TEMPLATE("texts of a decision that does not exist are refused as a whole", Place, InMemory, InSqlite) {
  Place place;
  const std::int64_t row = place.store().record_decision(full_decision());
  CHECK_THROWS_AS(place.store().record_texts(row + 1, Texts{kSourceText}), Error);
  CHECK(place.database().find_texts(row + 1).empty());
}

TEST_CASE("a text that many decisions have is stored once") {
  InSqlite place;
  for (int i = 0; i < 3; ++i) {
    const std::int64_t row = place.store().record_decision(full_decision());
    place.store().record_texts(row, Texts{kSourceText, {TextKind::header, "copy.cuh", kSourceText.text}});
    place.store().record_texts(row, Texts{kSourceText});
  }
  CHECK(sql(place.path(), "SELECT hash, text FROM text") ==
        Rows{content_hash(kSourceText.text).text + "|" + kSourceText.text});
  CHECK(sql(place.path(), "SELECT count(*) FROM decision_text") == Rows{"6"});
}

TEST_CASE("two texts with the same hash are told apart") {
  InSqlite place;
  const std::int64_t row = place.store().record_decision(full_decision());
  place.store().record_texts(row, Texts{kSourceText});
  const DecisionText other{TextKind::header, "other.cuh", "other"};
  // A collision cannot be constructed, but what it would leave behind can: the other text's hash beside this text.
  sql(place.path(), "UPDATE text SET hash = '" + content_hash(other.text).text + "'");
  place.store().record_texts(row, Texts{other});
  CHECK(place.database().find_texts(row) == Texts{kSourceText, other});
}

TEST_CASE("a kind of text that does not exist is neither stored nor read") {
  InSqlite place;
  const std::int64_t row = place.store().record_decision(full_decision());
  DecisionText text = kSourceText;
  text.kind = static_cast<TextKind>(9);
  CHECK_THROWS_AS(place.store().record_texts(row, Texts{text}), Error);
  place.store().record_texts(row, Texts{kSourceText});
  CHECK(sql(place.path(), "SELECT kind, name FROM decision_text") == Rows{"source|scale.cu"});
  sql(place.path(), "PRAGMA ignore_check_constraints = ON; UPDATE decision_text SET kind = 'poem'");
  check_error(Errc::store_damaged, {place.path().string(), "\"poem\""}, [&] { place.database().find_texts(row); });
  CHECK(place.store().find_decision(row));
}

TEST_CASE("a file of an older format has no texts, and takes some once it is brought up to date") {
  const TemporaryFolder folder;
  const auto path = folder / "decisions.db";
  std::filesystem::copy_file(TUNER_TEST_DATA "/decisions-format-1.sqlite", path);
  std::filesystem::permissions(path, std::filesystem::perms(0600));
  {
    const auto reader = open_store(path, Access::read_only);
    CHECK(reader->find_texts(reader->list_decisions({}).at(0).row).empty());
    check_error(Errc::store_unavailable, {path.string()}, [&] { reader->record_texts(1, Texts{kSourceText}); });
  }
  const auto store = open_store(path);
  const std::int64_t row = store->list_decisions({}).at(0).row;
  store->record_texts(row, Texts{kSourceText});
  CHECK(store->find_texts(row) == Texts{kSourceText});
  CHECK_FALSE(store->damage());
}

}  // namespace
}  // namespace tuner::cache::test
