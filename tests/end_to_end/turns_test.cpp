// Sessions that share nothing but a GPU.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

TEST_CASE("a problem that is spread waits for each of its GPUs") {
  Tuner user;
  user.environment["FAKE_DRIVER"] = "noise=3 numbered devices=3 real=50";
  Tuner other;
  other.environment["FAKE_DRIVER"] = user.environment["FAKE_DRIVER"];
  other.environment["FAKE_DRIVER_GPU"] = user.home();
  const std::string one = "KIND == right && VARIANT == 12 && FLAVOUR == 2";

  Running first(user, user.words({kSearched}, {"--device", "1"}));
  REQUIRE(eventually([&] { return user.count_rows() > 0 || first.ended(); }));
  const TuneReport left = other.tune({one}, {"--devices", "all", "--if-busy", "leave"});
  CHECK(left.exit_code == 7);
  check_has(left.err, {"measuring on GPU 1", "process "});
  CHECK(other.tune({one}, {"--devices", "0,2", "--if-busy", "leave"}).exit_code == 0);
  REQUIRE(!first.ended());
  first.signal(SIGKILL);
  first.finish();
  CHECK(other.tune({one}, {"--devices", "all", "--if-busy", "leave", "--fresh"}).exit_code == 0);

  Running spread(other, other.words({kSearched}, {"--devices", "all", "--fresh"}));
  REQUIRE(eventually([&] { return other.count_rows() > 5 || spread.ended(); }));
  check_has(user.tune({one}, {"--device", "2", "--if-busy", "leave"}).err, {"measuring on GPU 2"});
  spread.signal(SIGKILL);
  spread.finish();
  CHECK(other.all_processes_end());
  CHECK(user.all_processes_end());
}

TEST_CASE("who finds the GPU taken leaves, waits, or goes on as told, Ctrl-C ends the wait, and death frees the GPU") {
  const Tuner user;
  Tuner other;
  other.environment["FAKE_DRIVER_GPU"] = user.home();
  const std::string one = "KIND == right && VARIANT == 12 && FLAVOUR == 2";

  Running first(user, user.words({kSearched}));
  REQUIRE(eventually([&] { return user.count_rows() > 0 || first.ended(); }));
  const TuneReport left = other.tune({one}, {"--if-busy", "leave"});
  CHECK(left.exit_code == 7);
  check_has(left.err, {"measuring on GPU 0", "process "});

  Running waiting(other, other.words({one}));
  // Who waits holds nothing of the GPU.
  const auto has = [&](const char* role) {
    return std::ranges::any_of(other.processes(), [&](const Process& each) { return each.role == role; });
  };
  REQUIRE(eventually([&] { return has("compile") && !has("device"); }));
  waiting.signal(SIGINT);
  CHECK(waiting.finish().exit_code == 130);
  CHECK(other.count_rows() == 0);

  for (const char* const word : {"ignore", "100ms"}) {
    INFO(word);
    const TuneReport beside = other.tune({one}, {"--if-busy", word});
    CHECK(beside.exit_code == 0);
    check_has(beside.err, {"Another process is measuring on GPU 0", "Tuning continues alongside it"});
  }

  REQUIRE(!first.ended());
  first.signal(SIGKILL);
  first.finish();
  const TuneReport told = other.tune({one}, {"--if-busy", "leave"});
  INFO(told.err);
  CHECK(told.exit_code == 0);
  CHECK(other.all_processes_end());
  CHECK(user.all_processes_end());
}
