// What each role may do, asked of the server itself: a login need not use this program.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <vector>

#include "tests/fleet/server.hpp"
#include "tests/support/errors.hpp"
#include "tests/support/text.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner::test;
using namespace tuner::fleet;

namespace {

/// Two teams, each with a submitter who may read, and a worker; and a job of each, the first with a result.
struct Teams {
  Server server;
  std::int64_t job_of_vision = 0, job_of_speech = 0;
  Teams() {
    server.add_login("anna", "vision", {"submit", "read"});
    server.add_login("bert", "vision", {"submit", "read"});
    server.add_login("hand", "vision", {"work"});
    server.add_login("carl", "speech", {"submit", "read"});
    server.add_login("fist", "speech", {"work"});
    const std::string source = "of vision", other = "of speech";
    job_of_vision = as("anna").submit("", {&source, 1}, job("one")).front();
    Queue worker = as("hand");
    const auto taken = worker.take("hand", "GPU");
    REQUIRE(taken);
    worker.store_rows(*taken, {"a row"});
    REQUIRE(worker.finish(*taken, "session", 1, "what the compiler said"));
    job_of_speech = as("carl").submit("", {&other, 1}, job("two")).front();
  }
  Queue as(const std::string& login) const { return Queue(Address(server.address(login))); }
  static std::vector<Submission> job(const std::string& problem) {
    return {{.file = "f.cu", .kernel = "k", .problem = problem, .spec = "s"}};
  }
};

}  // namespace

TEST_CASE("a worker's login reads nothing of another team, changes no result and takes no job of theirs") {
  const Teams teams;
  const auto& ask = [&](const std::string& sql) { return teams.server.sql(sql, "hand"); };
  const std::string denied = "permission denied";
  CHECK(ask("SELECT convert_from(body, 'UTF8') FROM tuner_fleet.content") == "of vision");
  CHECK(contains(ask("SELECT * FROM tuner_fleet.job"), denied));
  CHECK(contains(ask("SELECT id FROM tuner_fleet.job"), denied));
  CHECK(contains(ask("SELECT * FROM tuner_fleet.result_row"), denied));
  CHECK(contains(ask("SELECT * FROM tuner_fleet.log"), denied));
  CHECK(contains(ask("SELECT * FROM tuner_fleet.member"), denied));
  CHECK(contains(ask("UPDATE tuner_fleet.result SET attempt = 2"), denied));
  CHECK(contains(ask("UPDATE tuner_fleet.result_row SET body = ''"), denied));
  CHECK(contains(ask("DELETE FROM tuner_fleet.result_row"), denied));
  CHECK(contains(ask("INSERT INTO tuner_fleet.result VALUES (2, 'speech', 1, '', 0)"), denied));
  CHECK(contains(ask("INSERT INTO tuner_fleet.member VALUES ('hand', 'speech')"), denied));
  CHECK(contains(ask("UPDATE tuner_fleet.about SET lease = '1 year'"), denied));
  CHECK(contains(ask("SELECT tuner_fleet.submit('', 'f', 'k', 'p', '', 0, 's')"), denied));
  CHECK(contains(ask("SELECT tuner_fleet.cancel(1)"), denied));
  CHECK(contains(ask("SELECT tuner_fleet.keep_log(1, 7, 'mine')"), denied));
  CHECK(contains(ask("SELECT tuner_fleet.give_back_silent('{speech}')"), denied));
  CHECK(contains(ask("SET ROLE tuner_submit"), denied));
  CHECK(contains(ask("CREATE TABLE tuner_fleet.mine (a int)"), denied));
  // Only the job of the other team is queued.
  CHECK_FALSE(teams.as("hand").take("hand", "GPU"));
  CHECK(teams.as("fist").take("fist", "GPU")->job == teams.job_of_speech);
}

TEST_CASE("a worker can neither guess its way to another one's job nor answer it twice") {
  const Teams teams;
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue holder = teams.as("hand");
  const Taken taken = holder.take("hand", "GPU").value();
  Taken guessed = taken;
  guessed.token = "00000000-0000-4000-8000-000000000000";
  CHECK_FALSE(holder.beat(guessed));
  CHECK_FALSE(holder.store_rows(guessed, {"a row"}));
  CHECK_FALSE(holder.finish(guessed, "session", 0, ""));
  CHECK_FALSE(holder.fail(guessed, "no", "", true));
  CHECK_FALSE(holder.give_back(guessed));
  CHECK(holder.store_rows(taken, {"a row", "another row", "a row"}));
  CHECK(holder.store_rows(taken, {"another row"}));  // the answer to the first time may have been lost
  CHECK(holder.finish(taken, "session", 2, ""));
  CHECK(holder.finish(taken, "session", 2, ""));  // likewise
  CHECK_FALSE(holder.store_rows(taken, {"a row of later"}));
  CHECK_FALSE(holder.fail(taken, "no", "", true));
  CHECK(teams.server.sql("SELECT count(*) FROM tuner_fleet.result_row WHERE job = " + std::to_string(taken.job)) ==
        "2");
}

TEST_CASE("an attempt that was given back is fenced off, and three of them set the job aside") {
  const Teams teams;
  teams.server.sql("UPDATE tuner_fleet.about SET lease = '0 s'");
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue worker = teams.as("hand");
  const Taken first = worker.take("first", "GPU").value();
  const Taken second = worker.take("second", "GPU").value();
  CHECK(second.job == first.job);
  CHECK(second.attempt == first.attempt + 1);
  CHECK_FALSE(worker.finish(first, "session", 0, ""));
  const Taken third = worker.take("third", "GPU").value();
  CHECK(third.attempt == 3);
  CHECK_FALSE(worker.take("fourth", "GPU"));
  CHECK_FALSE(worker.finish(third, "session", 0, ""));
  const Listed job = teams.as("anna").list(first.job).front();
  CHECK(job.state == "aside");
  CHECK(job.reason == "Each of its 3 workers stopped without an answer.");
}

TEST_CASE("a job that was given back on purpose was not tried") {
  const Teams teams;
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue worker = teams.as("hand");
  for (int i = 1; i <= 5; ++i) {
    const Taken taken = worker.take("hand", "GPU").value();
    CHECK(taken.attempt == i);
    CHECK(worker.give_back(taken));
    CHECK_FALSE(worker.finish(taken, "session", 0, ""));
  }
  CHECK(teams.as("anna").list().front().state == "queued");
}

TEST_CASE("a host that cannot work sets no job aside, three of them do") {
  const Teams teams;
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue worker = teams.as("hand");
  for (int i = 1; i <= 5; ++i) {
    const Taken taken = worker.take("broken:" + std::to_string(i) + " GPU 0", "GPU").value();
    CHECK(worker.could_not_work(taken, "its disk is full"));
    CHECK_FALSE(worker.finish(taken, "session", 1, ""));
  }
  const auto job = [&] { return teams.as("anna").list().front(); };
  CHECK(job().state == "queued");
  CHECK(job().reason == "Its worker could not work.");
  CHECK(job().tries == 1);
  worker.could_not_work(worker.take("second:1 GPU 0", "GPU").value(), "");
  worker.could_not_work(worker.take("broken:6 GPU 0", "GPU").value(), "");
  CHECK(job().state == "queued");
  worker.could_not_work(worker.take("third:1 GPU 0", "GPU").value(), "");
  CHECK(job().state == "aside");
}

TEST_CASE("a job that its only host cannot work on is set aside in the end") {
  const Teams teams;
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue worker = teams.as("hand");
  int times = 0;
  for (auto taken = worker.take("broken:1 GPU 0", "GPU"); taken; taken = worker.take("broken:1 GPU 0", "GPU")) {
    REQUIRE(++times <= 100);
    worker.could_not_work(*taken, "");
  }
  CHECK(times > 20);
  CHECK(teams.as("anna").list().front().state == "aside");
}

TEST_CASE("a failure may be said twice, because the answer may have been lost") {
  const Teams teams;
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue worker = teams.as("hand");
  const Taken first = worker.take("hand", "GPU").value();
  CHECK(worker.fail(first, "no", "", false));
  CHECK(worker.fail(first, "no", "", false));
  const Taken second = worker.take("hand", "GPU").value();
  CHECK_FALSE(worker.fail(first, "no", "", true));
  CHECK(worker.fail(second, "no", "", true));
  CHECK(worker.fail(second, "no", "", true));
  CHECK_FALSE(worker.beat(second));
  CHECK_FALSE(worker.store_rows(second, {"a row"}));
  CHECK_FALSE(worker.finish(second, "session", 1, ""));
}

TEST_CASE("what is done has rows, of a session") {
  const Teams teams;
  teams.as("anna").submit("", {}, Teams::job("three"));
  Queue worker = teams.as("hand");
  const Taken taken = worker.take("hand", "GPU").value();
  error_of(tuner::Errc::store_unavailable, [&] { worker.finish(taken, "session", 0, ""); });
  worker.store_rows(taken, {"a row"});
  error_of(tuner::Errc::store_unavailable, [&] { worker.finish(taken, "", 1, ""); });
  CHECK(worker.finish(taken, "session", 1, ""));
}

TEST_CASE("logs are for who submitted the job, rows for its team, and only who submitted cancels") {
  const Teams teams;
  CHECK(teams.as("anna").log(teams.job_of_vision) == "what the compiler said");
  CHECK(teams.as("bert").log(teams.job_of_vision).empty());
  CHECK(teams.as("carl").log(teams.job_of_vision).empty());
  CHECK(teams.as("bert").rows(teams.as("bert").accepted().at(0)) == std::vector<std::string>{"a row"});
  CHECK(teams.as("carl").accepted().empty());
  CHECK(teams.server.sql("SELECT count(*) FROM tuner_fleet.result_row", "carl") == "0");
  CHECK(teams.as("carl").list(teams.job_of_vision).empty());
  CHECK_FALSE(teams.as("anna").cancel(teams.job_of_speech));
  CHECK(teams.as("carl").cancel(teams.job_of_speech) == "cancelled");
  CHECK(teams.as("anna").cancel(teams.job_of_vision) == "done");
  CHECK(contains(teams.server.sql("SELECT spec FROM tuner_fleet.job", "anna"), "permission denied"));
  CHECK(contains(teams.server.sql("SELECT token FROM tuner_fleet.job", "anna"), "permission denied"));
  CHECK(contains(teams.server.sql("UPDATE tuner_fleet.job SET team = 'vision'", "carl"), "permission denied"));
  CHECK(contains(teams.server.sql("SELECT tuner_fleet.take('me', 'GPU')", "anna"), "permission denied"));
}

TEST_CASE("jobs wait for their kind of GPU, and those of higher priority come first") {
  const Teams teams;
  std::vector<Submission> jobs;
  for (const auto& [problem, device, priority] : std::vector<std::tuple<std::string, std::string, int>>{
           {"low", "", 0}, {"high", "h200", 5}, {"other", "H100", 9}}) {
    jobs.push_back(
        {.file = "f", .kernel = "k", .problem = problem, .device = device, .priority = priority, .spec = "s"});
  }
  const std::vector<std::int64_t> numbers = teams.as("anna").submit("", {}, jobs);
  Queue worker = teams.as("hand");
  CHECK(worker.count_open("NVIDIA H200") == 2);
  CHECK(worker.take("hand", "NVIDIA H200")->job == numbers[1]);
  CHECK(worker.take("hand", "NVIDIA H200")->job == numbers[0]);
  CHECK_FALSE(worker.take("hand", "NVIDIA H200"));
}

TEST_CASE("who is in no team, or in several, is told what to do") {
  const Teams teams;
  teams.server.add_login("dora", "vision", {"submit"});
  teams.server.sql("INSERT INTO tuner_fleet.member VALUES ('dora', 'speech')");
  teams.server.sql("CREATE ROLE emil LOGIN; GRANT tuner_submit TO emil");
  const auto submit = [&](const std::string& login, const std::string& team) {
    return error_of([&] { teams.as(login).submit(team, {}, Teams::job("p")); });
  };
  CHECK(contains(submit("dora", ""), "--team"));
  CHECK(submit("dora", "speech") == "no error");
  CHECK(contains(submit("dora", "secret"), "--team"));
  CHECK(contains(submit("emil", ""), "in no team"));
  CHECK(contains(submit("hand", ""), "Ask its owner for the role"));
}
