// What one session leaves to the next, and what two do at the same moment.
#include <doctest/doctest.h>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

TEST_CASE("of two that tune the same, the second waits for the first and measures nothing again, or leaves") {
  const Tuner user;
  const std::string few = "KIND == right && VARIANT in (0, 3, 6, 9, 12, 15)";
  Running first(user, user.words({few}));
  REQUIRE(eventually([&] { return user.count_rows() > 0 || first.ended(); }));
  const TuneReport left = user.tune({few}, {"--if-busy", "leave"});
  CHECK(left.exit_code == 7);
  Running second(user, user.words({few}));
  const TuneReport told_first = read_report(first.finish());
  const TuneReport told_second = read_report(second.finish());
  check_winner(told_first, kFastest);
  check_winner(told_second, kFastest);
  CHECK(told_second.counters.at("screened") == 0);
  CHECK(told_second.counters.at("reused") == 24);
  CHECK(user.count_rows() == 24);
  CHECK(user.all_processes_end());
}

TEST_CASE("what ended a worker twice is not launched by the next session, until it is forgotten") {
  const Tuner user;
  const std::string some = "VARIANT in (0, 12) && KIND in (right, faults, hangs, killed)";
  const auto launches = [&] {
    return user.count_in_journal("launch faults ") + user.count_in_journal("launch hangs ") +
           user.count_in_journal("launch killed ");
  };
  CHECK(user.tune({some}).winner == kFastest);
  const std::size_t once = launches();
  CHECK(once >= 5);

  check_winner(user.tune({some}), kFastest);
  CHECK(launches() == once);
  user.check_outcomes();
  check_out(user.run({"list", "--quarantine"}), 0, {"KIND=killed"});

  CHECK(user.run({"forget", "faults"}).exit_code == 0);
  CHECK_FALSE(contains(user.run({"list", "--quarantine"}).out, "KIND=killed"));
  CHECK(user.tune({some}).winner == kFastest);
  CHECK(launches() >= once + 5);
}
