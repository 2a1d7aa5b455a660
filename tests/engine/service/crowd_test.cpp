// Several programs ask for the same at the same moment.
#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <vector>

#include "tests/engine/service/application.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("of several programs that ask for the same one tunes, and all are told what it found") {
  const Applicant user;
  const TuneJob job = user.tune_job(kSixteen);
  std::vector<std::unique_ptr<Application>> crowd;
  for (int i = 0; i < 4; ++i) crowd.push_back(std::make_unique<Application>(job));
  std::set<std::string> sessions;
  for (const auto& application : crowd) {
    const TuneAnswer answer = decided(application->answer());
    CHECK(answer.decision.configuration == kFastest);
    CHECK(answer.cubin.bytes.size() > 1000);
    sessions.insert(answer.decision.session);
  }
  CHECK(sessions.size() == 1);
  CHECK(user.count_rows() == 16);
}

TEST_CASE("a program that is killed leaves nothing behind, and another takes over where its engine was") {
  const Applicant user;
  const TuneJob job = user.tune_job("KIND == right && VARIANT in (0, 2, 4, 6, 8, 10, 12, 14)");
  Application first(job);
  REQUIRE(eventually([&] { return user.count_rows() > 0; }));
  Application second(job);
  REQUIRE(eventually([&] { return user.count("engine") == 2; }));
  CHECK(user.count("device") == 1);  // who waits holds nothing of the GPU
  REQUIRE(eventually([&] { return user.count_rows() >= 8; }));
  const std::vector<Row> before = user.rows();
  first.kill();
  const TuneAnswer answer = decided(second.answer());
  CHECK(answer.decision.configuration == kFastest);
  CHECK(answer.decision.counters.at("reused") >= static_cast<std::int64_t>(before.size()));
  CHECK(user.count_rows() == 32);
  second.kill();
  CHECK(user.all_processes_end());
}
