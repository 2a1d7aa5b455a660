#include <doctest/doctest.h>

#include <atomic>
#include <set>

#include "cache/store/sqlite_store.hpp"
#include "tests/engine/service/application.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

std::size_t distinct(const std::vector<Row>& rows) {
  std::set<std::string> configurations;
  for (const Row& row : rows) configurations.insert(row.configuration);
  return configurations.size();
}

}  // namespace

TEST_CASE("a tuned kernel comes with its decision, its binary and what it gains over what was in use") {
  const Applicant user;
  EngineClient client;
  TuneJob job = user.tune_job(kSixteen);
  job.serving = kBaseline;
  const TuneAnswer answer = decided(tune(client, job));
  CHECK(answer.decision.configuration == kFastest);
  CHECK(answer.decision.verified);
  CHECK_FALSE(answer.decision.contended);
  CHECK(answer.decision.row > 0);
  CHECK(answer.database == user.data() / "decisions.db");
  CHECK(answer.cubin.bytes.size() > 1000);
  CHECK(answer.cubin.kernel == "faults");
  REQUIRE(answer.gain_low);
  CHECK(*answer.gain_low == doctest::Approx(*answer.decision.speedup_low));
  CHECK(*answer.gain_low > 1.05);
  CHECK(user.count_rows() == 16);

  // What somebody has found since a program looked is what it is told.
  job.serving = kFastest;
  const TuneAnswer again = tune(client, job);
  CHECK(again.decision.session == answer.decision.session);
  CHECK(again.cubin.bytes == answer.cubin.bytes);
  CHECK(again.gain_low == 1.0);
  CHECK(user.count_rows() == 16);

  // Another configuration in use, and nothing new enough: it races too.
  job.since_unix_ms = answer.decision.created_unix_ms + 1;
  job.serving = "FLAVOUR=3,KIND=right,VARIANT=4";
  const TuneAnswer anew = tune(client, job);
  CHECK(anew.decision.session != answer.decision.session);
  CHECK(anew.decision.configuration == kFastest);
  REQUIRE(anew.gain_low);
  CHECK(*anew.gain_low > 1);
  CHECK(user.count("device") == 0);
}

TEST_CASE("in the background decisions say so, and what is measured is taken over in the background only") {
  const Applicant user;
  EngineClient client;
  TuneJob job = user.tune_job(kSixteen);
  job.share = 0.5;
  const TuneAnswer beside = decided(tune(client, job));
  CHECK(beside.decision.contended);
  CHECK(beside.decision.configuration == kFastest);
  CHECK(user.count_rows() == 16);

  job.since_unix_ms = beside.decision.created_unix_ms + 1;
  const TuneAnswer second = tune(client, job);
  CHECK(second.decision.counters.at("reused") == 16);
  CHECK(user.count_rows() == 16);

  job.since_unix_ms = second.decision.created_unix_ms + 1;
  job.share.reset();
  const TuneAnswer alone = tune(client, job);
  CHECK_FALSE(alone.decision.contended);
  CHECK(alone.decision.counters.at("reused") == 0);
  CHECK(user.count_rows() == 32);
}

TEST_CASE("an engine that is killed is replaced, and the new one goes on where it was") {
  const Applicant user;
  EngineClient client;
  auto tuning = start_tuning(client, user.tune_job("KIND == right && VARIANT in (0, 2, 4, 6, 8, 10, 12, 14)"));
  REQUIRE(eventually([&] { return user.count_rows() >= 8; }));
  REQUIRE(user.kill("engine"));
  const TuneAnswer answer = decided(answer_of(std::move(tuning)));
  CHECK(answer.decision.configuration == kFastest);
  CHECK(answer.decision.counters.at("reused") >= 8);
  CHECK(distinct(user.rows()) == 32);
  CHECK(user.count_rows() == 32);
}

TEST_CASE("a client that goes in the middle of tuning leaves trials behind, and no process") {
  const Applicant user;
  {
    EngineClient client;
    client.tune(user.tune_job("KIND == right"), [](TuneAnswer) {});
    REQUIRE(eventually([&] { return user.count_rows() >= 4; }));
  }
  CHECK(user.all_processes_end());
  CHECK(user.count_rows() < 64);
}

TEST_CASE("a space of one configuration is decided, and a limit ends the search, not the race") {
  const Applicant user;
  EngineClient client;
  const TuneAnswer only = decided(tune(client, user.tune_job("KIND == right && VARIANT == 0 && FLAVOUR == 0")));
  CHECK(only.decision.configuration == kBaseline);
  CHECK(only.cubin.bytes.size() > 1000);

  TuneJob job = user.tune_job("KIND == right");
  job.since_unix_ms = only.decision.created_unix_ms + 1;
  job.limit = std::chrono::milliseconds(300);
  CHECK(decided(tune(client, job)).decision.session != only.decision.session);
  CHECK(user.count_rows() < 64);
}

TEST_CASE("who waits for others longer than its limit is told for whom") {
  const Applicant user;
  Application first(user.tune_job("KIND == right"));
  REQUIRE(eventually([&] { return user.count_rows() > 0; }));
  EngineClient client;
  TuneJob job = user.tune_job("KIND == right");
  job.limit = std::chrono::milliseconds(200);
  const TuneAnswer answer = tune(client, job);
  CHECK(answer.result == TuneAnswer::Result::failed);
  CHECK(contains(answer.message, "Another process is already at work on `faults`"));
  CHECK(contains(answer.message, "process "));
}

TEST_CASE("a limit counts from when the program asked, and who is not served by then is told at once") {
  const Applicant user;
  EngineClient client;
  std::atomic<bool> first_is_done{false};
  client.tune(user.tune_job("KIND == right"), [&](const TuneAnswer&) { first_is_done = true; });
  TuneJob job = user.tune_job(kSixteen);
  job.limit = std::chrono::milliseconds(200);
  const TuneAnswer answer = tune(client, job);
  CHECK_FALSE(first_is_done);
  CHECK(answer.result == TuneAnswer::Result::failed);
  CHECK(contains(answer.message, "0.2 s passed before it was the turn of"));
  CHECK(contains(answer.message, "`faults`"));
}

TEST_CASE("an engine that stands still while it tunes with a limit is ended, and the next job gets a new one") {
  const Applicant user;
  EngineClient client;
  TuneJob job = user.tune_job("KIND == right");
  job.limit = std::chrono::seconds(8);
  auto tuning = start_tuning(client, job);
  REQUIRE(eventually([&] { return user.signal("engine", SIGSTOP); }));
  const TuneAnswer answer = answer_of(std::move(tuning));
  CHECK(answer.result == TuneAnswer::Result::failed);
  CHECK(contains(answer.message, "was terminated"));
  CHECK(tune(client, user.tune_job(kSixteen)).result == TuneAnswer::Result::decided);
}

TEST_CASE("what others decided is an answer if its date can be true, and gains nothing over what tied with it") {
  const Applicant user;
  EngineClient client;
  TuneJob job = user.tune_job("KIND == right && VARIANT == 0 && FLAVOUR in (0, 1)");
  const TuneAnswer first = decided(tune(client, job));
  const auto store = cache::SqliteStore::open({.path = first.database});

  cache::Decision tied = first.decision;
  tied.session = "tied";
  tied.created_unix_ms += 1;
  tied.configuration = "FLAVOUR=1,KIND=right,VARIANT=0";
  tied.baseline = kBaseline;
  tied.ties = {{tied.configuration, 1}, {kBaseline, 1.001}};
  store->record_decision(tied);
  job.since_unix_ms = tied.created_unix_ms;
  job.serving = kBaseline;
  const TuneAnswer told = tune(client, job);
  CHECK(told.decision.session == "tied");
  CHECK(told.gain_low == 1.0);

  cache::Decision earlier = tied;  // of an earlier version, which knew no efforts
  earlier.session = "earlier";
  earlier.created_unix_ms += 1;
  earlier.effort.reset();
  store->record_decision(earlier);
  TuneJob further = job;
  further.effort = Effort::normal;
  CHECK(tune(client, further).decision.session == "earlier");
  further.effort = Effort::full;
  CHECK(tune(client, further).decision.session != "earlier");

  cache::Decision future = first.decision;
  future.session = "future";
  future.created_unix_ms += 3'600'000;
  store->record_decision(future);
  job.since_unix_ms = tied.created_unix_ms + 1;
  CHECK(tune(client, job).decision.session != "future");
}

TEST_CASE("what cannot be tuned is an answer") {
  const Applicant user;
  EngineClient client;
  TuneJob job = user.tune_job("KIND == right || KIND == dies");
  job.subject.text += "#pragma tuner constraint(VARIANT > 3)\n";
  const TuneAnswer answer = tune(client, job);
  CHECK(answer.result == TuneAnswer::Result::failed);
  CHECK(contains(answer.message, "baseline"));
  job = user.tune_job(kSixteen);
  job.subject.device.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  const TuneAnswer elsewhere = tune(client, job);
  CHECK(elsewhere.result == TuneAnswer::Result::failed);
  CHECK(contains(elsewhere.message, "GPU-00000000"));
}
