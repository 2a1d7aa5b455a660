// A kernel that reads beside a buffer: what its user is told, and the ways on.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/end_to_end/story.hpp"
#include "tests/support/files.hpp"

using namespace tuner::test;

namespace {

constexpr const char* kRead = "It reads 100 bytes behind `counts`: without fences it completes";

struct Overread : Tuner {
  Result tune_it(const std::filesystem::path& kernel = TUNER_OVERREAD_KERNEL, const Words& more = {}) const {
    return run(joined({"tune", kernel, "--problem", "n=1000", "--json", "--workers", "2"}, more));
  }
  /// The kernel with a clause in the directive of `counts`.
  std::filesystem::path with_clause(const std::string& clause) const {
    std::string text = read_bytes(TUNER_OVERREAD_KERNEL);
    const std::string directive = "inout(counts, int32, n";
    text.insert(text.find(directive) + directive.size(), clause);
    return files.write("overread.cu", text);
  }
  TemporaryFolder files;
};

}  // namespace

TEST_CASE("a baseline that reads beside a buffer is told which, how far, and what to write to allow it") {
  const Overread story;
  const Result refused = story.tune_it();
  CAPTURE(refused.err);
  CHECK(refused.exit_code != 0);
  CHECK(contains(refused.err, kRead));
  CHECK(contains(refused.err, "`pad 100` in the directive of `counts`"));
  CHECK(contains(refused.err, "--pad counts=100"));
  CHECK(story.all_processes_end());

  // The same kernel in the same database: what was refused is not refused for good.
  const TuneReport padded = read_report(story.tune_it(TUNER_OVERREAD_KERNEL, {"--pad", "counts=100"}));
  check_winner(padded, "KIND=reads");
  const TuneReport too_little = read_report(story.tune_it(TUNER_OVERREAD_KERNEL, {"--pad", "counts=80"}));
  CHECK(too_little.exit_code != 0);
  CHECK(contains(too_little.err, "It reads 100 bytes behind `counts` (it has a padding of 80)"));
}

TEST_CASE("the clause and the option are one, and trials without a padding are not those with one") {
  const Overread story;
  check_winner(read_report(story.tune_it(story.with_clause(", pad 100"))), "KIND=reads");
  const std::size_t before = story.count_rows();
  // Nothing is measured again but the baseline.
  const TuneReport again = read_report(story.tune_it(story.with_clause(""), {"--pad", "counts=100"}));
  check_winner(again, "KIND=reads");
  CHECK(story.count_rows() == before);
  const TuneReport wider = read_report(story.tune_it(story.with_clause(", pad 200")));
  check_winner(wider, "KIND=reads");
  CHECK(story.count_rows() > before);
  for (const Row& row : story.rows()) {
    if (kind_of(row.configuration) == "writes") CHECK(row.outcome == "guard_violation");
  }
}

TEST_CASE("an array in constant memory that is longer than described is named in a warning") {
  const Overread story;
  const TuneReport told = read_report(story.tune_it(TUNER_OVERREAD_KERNEL, {"--pad", "counts=100"}));
  REQUIRE(told.warnings.size() == 1);
  CHECK(told.warnings[0] ==
        "The array `table` in constant memory has 24 bytes, of which 16 are described: only these are filled, and the "
        "rest keeps its initial values.");
}

TEST_CASE("a recording that was made with a padding is compared with its file and that padding") {
  const Overread story;
  read_report(story.tune_it(TUNER_OVERREAD_KERNEL, {"--pad", "counts=100", "--record", "recording.csv"}));
  const auto warns = [&](const Words& more) {
    const Result replay = story.run(joined({"tune", TUNER_OVERREAD_KERNEL, "--replay", "recording.csv"}, more));
    CHECK(replay.exit_code == 0);
    return contains(replay.err + replay.out, "was recorded with another version of");
  };
  CHECK(warns({}));
  CHECK_FALSE(warns({"--pad", "counts=100"}));
}

TEST_CASE("a padding is refused where it can have no effect, and for what is no buffer") {
  const Overread story;
  const Result replay = story.run({"tune", "--replay", "recording.csv", "--pad", "counts=100"});
  CHECK(contains(replay.err, "--pad has no effect on a replay"));
  CHECK(contains(story.tune_it(TUNER_OVERREAD_KERNEL, {"--pad", "conts=100"}).err, "did you mean `counts`?"));
}
