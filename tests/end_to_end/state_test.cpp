// Kernels that keep something from one launch to the next.
#include <doctest/doctest.h>

#include <map>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

struct StateStory : Tuner {
  TuneReport tune_state(const std::string& where) const {
    const TuneReport told = read_report(
        run({"tune", TUNER_STATE_KERNEL, "--problem", "n=1000", "--json", "--workers", "2", "--where", where}));
    INFO(told.err);
    CHECK(told.exit_code == 0);
    return told;
  }
  /// Launches of the binaries of that kind, in all processes.
  std::size_t launches(const std::string& kind) const {
    std::size_t count = 0;
    for (const std::string& line : journal()) {
      if (line.starts_with("launch ") && contains(line, "globals=" + kind)) ++count;
    }
    return count;
  }
};

}  // namespace

TEST_CASE("a kernel that skipped its work from the 5th, 50th or 500th launch on won, and was wrong when used") {
  const StateStory user;
  CHECK(user.tune_state("KIND != counts").winner == "KIND=resets,VARIANT=0");
  std::map<std::string, std::string> last;
  std::map<std::string, int> failed;
  for (const Row& row : user.rows()) last[row.configuration] = row.outcome;
  for (const auto& [configuration, outcome] : last) {
    CAPTURE(configuration);
    const bool skips = kind_of(configuration).starts_with("skips");
    if (!skips) CHECK(outcome == "ok");
    if (outcome != "ok") ++failed[outcome];
  }
  CHECK(failed.size() == 1);
  CHECK(failed["unwritten_output"] > 3);

  // What was found is believed later.
  CHECK(user.tune_state("KIND != counts").winner == "KIND=resets,VARIANT=0");
}

TEST_CASE("a winner that changes a global variable in every launch is launched a thousand times, and wins") {
  const StateStory user;
  CHECK(user.tune_state("KIND in (right, counts)").winner == "KIND=counts,VARIANT=0");
  CHECK(user.launches("counts") >= 1000);

  const StateStory another;
  CHECK(another.tune_state("KIND in (right, resets)").winner == "KIND=resets,VARIANT=0");
  CHECK(another.launches("resets") < user.launches("counts"));
}
