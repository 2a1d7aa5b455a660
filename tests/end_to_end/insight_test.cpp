// `tuner compare` and `tuner explain`, with the fake GPU: verdicts and exit codes, what is said where a side fails,
// what is kept with a decision and shown where there is no GPU.
#include <doctest/doctest.h>

#include <string>

#include "tests/end_to_end/story.hpp"
#include "tests/support/files.hpp"

namespace fs = std::filesystem;

using namespace tuner::test;

namespace {

/// program.cu, whose VARIANT takes 90 us and as many more; 3 is the default.
const std::string kProgram = TUNER_PROGRAM_KERNEL;

Words words(Words beginning, const Words& more) {
  beginning.insert(beginning.end(), more.begin(), more.end());
  return beginning;
}

Result compared(const Tuner& user, const Words& sides, const Words& more = {}) {
  return user.run(words(words({"compare"}, sides), words({"--problem", "n=1000"}, more)));
}

TEST_CASE("a comparison says faster, slower or the same, by words and by its exit code") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=1";
  const Result faster = compared(user, {kProgram + "@VARIANT=3", "@VARIANT=0"});
  CHECK(faster.exit_code == 0);
  CHECK(contains(faster.out, "FASTER by more than 1 %: the second takes 0.96"));
  const Result slower = compared(user, {kProgram + "@VARIANT=0", "@VARIANT=3"}, {"--json"});
  CHECK(slower.exit_code == 8);
  CHECK(contains(slower.out, "\"verdict\": \"SLOWER\""));
  const Result same = compared(user, {kProgram + "@VARIANT=0", kProgram + "@VARIANT=0"}, {"--markdown"});
  CHECK(same.exit_code == 0);
  CHECK(contains(same.out, ": SAME within 1 %: the second takes "));
  CHECK(contains(same.out, "| registers | "));
  user.environment["FAKE_DRIVER"] =
      "noise=1 real=1000";  // what is launched when both are loaded takes longer than that
  const Result none = compared(user, {kProgram + "@VARIANT=3", "@VARIANT=0"}, {"--limit", "1ms", "--json"});
  user.environment["FAKE_DRIVER"] = "noise=1";
  CHECK(none.exit_code == 9);
  CHECK(contains(none.out, "\"ratio\": null"));
  CHECK(contains(none.out, "before a pair was timed; --limit gives it more."));
  // Two per cents are within five.
  CHECK(contains(compared(user, {kProgram + "@VARIANT=0", "@VARIANT=2"}, {"--within", "5%"}).out, "SAME within 5 %"));
}

TEST_CASE("a side that is wrong is no slower one") {
  const Tuner user;
  const Result result = compared(user, {std::string(TUNER_STATE_KERNEL) + "@KIND=right", "@KIND=skips_from_5"});
  CHECK(result.exit_code == 1);
  CHECK(contains(result.out, "none: @KIND=skips_from_5 fails: It was correct when it was loaded, but not after"));
}

TEST_CASE("what cannot be compared is one sentence with a way out") {
  const Tuner user;
  check_err(compared(user, {kProgram}), 2, {"needs two things to compare"});
  check_err(compared(user, {kProgram, "@"}), 2, {"names no configuration after the @", "@baseline"});
  check_err(compared(user, {"@winner", kProgram}), 2, {"names no file"});
  check_err(compared(user, {kProgram, "@VARIANT=9"}), 2, {"VARIANT"});
  check_err(compared(user, {kProgram, "@winner"}), 1, {"No winner is stored", "Tune it first"});
  check_err(compared(user, {kProgram, "@baseline"}, {"--within", "0"}), 2, {"--within 0 is no margin"});
  check_err(compared(user, {"7", "8"}), 2, {"--problem has no effect beside a decision"});
  check_err(user.run({"compare", "7", "8"}), 1, {"Nothing is stored in "});
  check_err(compared(user, {"nowhere.cu", "@baseline"}), 2, {"nowhere.cu"});
  std::string longer = read_bytes(kProgram);
  longer.replace(longer.find("in(values, double, n,"), 21, "in(values, double, n + 1,");
  user.folder().write("v@2/longer.cu", longer);
  check_err(compared(user, {kProgram, "v@2/longer.cu"}), 2, {"they differ in the length of `values`"});
}

TEST_CASE("a winner is explained, what was found is kept, and shown where there is no GPU") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=1";
  CHECK(user.run({"tune", kProgram, "--problem", "n=1000"}).exit_code == 0);
  const Result explained = user.run({"explain", kProgram, "--problem", "n=1000", "--counters"});
  CHECK(explained.exit_code == 0);
  for (const char* part : {"the winner takes 0.96", "The path from the baseline to the winner", "VARIANT=0  0.96",
                           "Machine code", "registers", "unset TUNER_DRIVER"}) {
    CAPTURE(part);
    CHECK(contains(explained.out, part));
  }
  CHECK(contains(user.run({"show", "1"}).out, "VARIANT=0: 0.96"));
  // What others may write is not compiled.
  fs::permissions(user.data() / "decisions.db", fs::perms::group_write, fs::perm_options::add);
  check_err(user.run({"explain", "1"}), 0, {"Sources in this database are not compiled:", "found before."});
  CHECK(contains(user.run({"compare", "1", "1"}).out, "UNDECIDED"));
  fs::permissions(user.data() / "decisions.db", fs::perms::group_write, fs::perm_options::remove);
  // By its number the kernel is the one that is stored, and without a GPU what was found is shown.
  CHECK(contains(user.run({"explain", "1"}).out, "the winner takes 0.96"));
  CHECK(user.run({"compare", "1", "1"}).exit_code == 0);
  const Result faster = user.run({"compare", "1@VARIANT=3", "@winner"});
  CHECK(faster.exit_code == 0);
  CHECK(contains(faster.out, "FASTER by more than 1 %: the second takes 0.96"));
  CHECK(user.run({"compare", "1", "1@baseline"}).exit_code == 8);
  check_err(user.run({"compare", "1", "@VARIANT=9"}), 2, {"VARIANT"});
  // What is less certain does not take its place.
  user.environment["FAKE_DRIVER"] = "noise=400";
  CHECK(contains(user.run({"explain", "1", "--counters", "--limit", "2s"}).err, "What was found before says more"));
  user.environment["FAKE_DRIVER"] = "noise=1";
  CHECK(contains(user.run({"show", "1"}).out, "VARIANT=0: 0.96"));
  const Result another = user.run({"explain", "1@VARIANT=3", "--against", "winner", "--no-path"});
  CHECK(contains(another.out, "this one takes 1.0"));
  user.environment["TUNER_DRIVER"] = (user.home() / "none.so").string();
  const Result before = user.run({"explain", "1"});
  CHECK(before.exit_code == 0);
  CHECK(contains(before.err, "What follows was found before."));
  CHECK(contains(before.out, "VARIANT=0  0.96"));
  CHECK(user.run({"explain", "1", "--against", "VARIANT=3"}).exit_code == 0);
  check_error(user.run({"explain", "1", "--against", "VARIANT=2"}), 1, {"nothing against VARIANT=2"});
  check_error(user.run({"explain", "1@VARIANT=2"}), 1, {"nothing about VARIANT=2"});
  const Result stored = user.run({"compare", "1", "1"});
  CHECK(stored.exit_code == 9);
  CHECK(contains(stored.out, "UNDECIDED: these are times that are stored"));
}

TEST_CASE("a kernel without parameters is compared as what it was called") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=1";
  std::string single = read_bytes(kProgram);
  const std::string parameter = "#pragma tuner param(VARIANT, 3, 0, 1, 2)\n";
  single.replace(single.find(parameter), parameter.size(), "#define VARIANT 3\n");
  user.folder().write("single.cu", single);
  CHECK(user.run({"tune", "single.cu", "--problem", "n=1000"}).exit_code == 0);
  check_out(user.run({"compare", "1@baseline", "1@winner"}), 0, {"first      1@baseline\n", "second     1@winner\n"});
  check_out(user.run({"compare", "single.cu", "1"}), 0, {"first      single.cu@baseline\n", "second     1\n"});
}

TEST_CASE("what the GPU reaches cannot be measured: that costs an explanation the roofline, and a share its meaning") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=1";  // which does not load the kernels that measure it
  std::string declared = read_bytes(kProgram);
  declared.insert(declared.find("#pragma tuner param"), "#pragma tuner work(bytes = 16 * n)\n");
  user.folder().write("declared.cu", declared);
  const Result explained = user.run({"explain", "declared.cu@VARIANT=0", "--problem", "n=1000000", "--no-path"});
  check_err(explained, 0, {"There is no roofline: What Fake GPU reaches could not be measured"});
  CHECK(contains(explained.out, "this one takes 0.96"));
  CHECK_FALSE(contains(explained.err, "--stop-at"));
  check_err(user.run({"tune", "declared.cu", "--problem", "n=1000000", "--stop-at", "95%"}), 6,
            {"Give --stop-at a time or a speed-up instead."});
}

TEST_CASE("without its source a decision is compared by what is stored, and explained by what was found") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=1";
  CHECK(user.run({"tune", kProgram, "--problem", "n=1000", "--no-source"}).exit_code == 0);
  const Result compared_stored = user.run({"compare", "1", "1"});
  CHECK(compared_stored.exit_code == 9);
  CHECK(contains(compared_stored.out, "Decision 1: The source of this decision is not stored: give its file"));
  check_err(user.run({"explain", "1"}), 1, {"not stored: give its file", "Nothing was found about it before."});
  CHECK(user.run({"explain", kProgram, "--problem", "n=1000"}).exit_code == 0);
  CHECK(contains(user.run({"explain", "1"}).out, "VARIANT=0  0.96"));
  check_err(user.run({"explain", "1", "--problem", "n=5"}), 2, {"--problem has no effect on a decision"});
  check_err(user.run({"explain"}), 2, {"needs a kernel file"});
}

}  // namespace
