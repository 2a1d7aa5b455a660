// The real programs, from a submission to a decision that was pulled, with the fake GPU of tests/engine/device and a
// server of the test's own.
#include <doctest/doctest.h>
#include <signal.h>
#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cache/sqlite/sqlite.hpp"
#include "tests/end_to_end/story.hpp"
#include "tests/fleet/scale_kernel.hpp"
#include "tests/fleet/server.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/fleet/job/job.hpp"
#include "tuner/fleet/job/sha256.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner::test;
using namespace tuner::fleet;
using Json = nlohmann::json;

namespace {

/// A host of the team with a fake GPU, and what a login does there.
struct Host : Tuner {
  Host(const Server& server, const std::string& login) {
    environment["TUNER_QUEUE"] = server.address(login);
    folder().write("scale.cu", kScaleKernel);
    folder().write("factor.cuh", "#define FACTOR 2\n");
  }
  Result work(const Words& more = {}) const {
    return run(joined({"fleet", "work", "--until-empty", "--as-root", "--unconfined", "--workers", "1",
                       "--compile-timeout", compile_timeout},
                      more));
  }
  Json json(const Words& words) const {
    const Result result = run(joined(words, {"--json"}));
    INFO(result.err);
    REQUIRE_FALSE(result.out.empty());
    return Json::parse(result.out);
  }
};

/// A server with a team of a submitter, a reader and a worker.
struct TeamServer : Server {
  TeamServer() {
    add_login("anna", "vision", {"submit", "read"});
    add_login("bert", "vision", {"submit", "read"});
    add_login("hand", "vision", {"work"});
  }
};

}  // namespace

TEST_CASE("what one submits another one's GPU tunes, and a third has, with the rows of a tune of one's own") {
  const TeamServer server;
  const Host anna(server, "anna"), worker(server, "hand"), bert(server, "bert");
  const Json submitted =
      anna.json({"fleet", "submit", "scale.cu", "--problem", "n=1000,2000", "--effort", "full", "--on", "Fake,H999"});
  REQUIRE(submitted["jobs"].size() == 4);
  anna.run({"fleet", "cancel", std::to_string(submitted["jobs"][1]["job"].get<int>()),
            std::to_string(submitted["jobs"][3]["job"].get<int>())});
  const Result worked = worker.work();
  INFO(worked.err);
  CHECK(worked.exit_code == 0);
  CHECK(worked.out.empty());
  const Json status = anna.json({"fleet", "status"});
  CHECK(status["counts"]["done"] == 2);
  CHECK(status["counts"]["cancelled"] == 2);

  const Json pulled = bert.json({"pull"});
  CHECK(pulled["jobs"] == 2);
  CHECK(pulled["kept"] == 2);
  CHECK(bert.json({"pull"})["known"] == 2);
  // What was changed in the queue since is not taken.
  CHECK(server
            .sql("UPDATE tuner_fleet.result_row SET body = body || ' '::bytea WHERE job = " +
                 std::to_string(submitted["jobs"][0]["job"].get<int>()))
            .empty());
  const Result changed = bert.run({"pull", "--json", "--db", bert.folder() / "other.db"});
  CHECK(contains(changed.err, "A row of the queue was changed after it was written"));
  CHECK(Json::parse(changed.out)["jobs"] == 1);
  CHECK(Json::parse(changed.out)["damaged"] == 1);
  const Json there = worker.json({"list"}), here = bert.json({"list"});
  REQUIRE(here["decisions"].size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(here["decisions"][i]["configuration"] == "VARIANT=0");
    CHECK(here["decisions"][i]["problem"] == there["decisions"][i]["problem"]);
  }
  // What is known already is an answer: nothing is tuned again.
  anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000"});
  const std::size_t launches = worker.count_in_journal("launch");
  CHECK(worker.work().exit_code == 0);
  CHECK(worker.count_in_journal("launch") == launches);
  CHECK(anna.json({"fleet", "status"})["counts"]["done"] == 3);
}

TEST_CASE("a job that fails says why to the team, and what the compiler said to who submitted it only") {
  const TeamServer server;
  const Host anna(server, "anna"), worker(server, "hand"), bert(server, "bert");
  const Json submitted = anna.json({"fleet", "submit", "scale.cu", "--problem", "n=1000,kind=1"});
  const std::string number = std::to_string(submitted["jobs"][0]["job"].get<int>());
  CHECK(worker.work().exit_code == 0);
  const Json mine = anna.json({"fleet", "status", number})["jobs"][0];
  CHECK(mine["state"] == "aside");
  CHECK(mine["reason"] == "Its baseline does not compile, or does not run.");
  CHECK(contains(mine["log"].get<std::string>(), "secret line"));
  const Result other = bert.run({"fleet", "status", number, "--json"});
  CHECK(Json::parse(other.out)["jobs"][0]["log"].is_null());
  CHECK_FALSE(contains(other.out, "secret line"));
}

TEST_CASE("hostile jobs are refused or contained, each with one sentence, and the worker goes on") {
  const TeamServer server;
  const Host anna(server, "anna");
  Host worker(server, "hand");
  worker.compile_timeout = "15s";
  Queue queue(Address(server.address("anna")));
  const auto submit = [&](const std::string& kernel, const std::string& source,
                          const std::vector<std::pair<std::string, std::string>>& headers, const std::string& problem) {
    JobSpec spec{
        .kernel = kernel, .problem = problem, .effort = tuner::Effort::quick, .source = {"x.cu", sha256(source)}};
    std::vector<std::string> contents{source};
    std::vector<tuner::Header> given;
    for (const auto& [name, text] : headers) {
      spec.headers.push_back({name, sha256(text)});
      contents.push_back(text);
      given.push_back({name, text});
    }
    try {  // as a client would that looks right
      tuner::KernelDescription description =
          tuner::choose_description(tuner::parse_descriptions(source, "/x/x.cu"), "x.cu", "");
      description.given_headers = given;
      spec.identity = kernel_identity(description, quoted_headers(description, {}));
    } catch (const tuner::Error&) {
    }
    const Submission job{.file = "x.cu", .kernel = kernel, .problem = problem, .spec = to_json(spec)};
    return queue.submit("", contents, {&job, 1}).front();
  };
  const std::pair<std::string, std::string> factor{"factor.cuh", "#define FACTOR 2\n"};
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = kScaleKernel;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
  };
  const std::string written = (worker.home() / "written").string();
  std::string bomb = "#define FACTOR 2\n";
  std::vector<std::pair<std::string, std::string>> bombs{{"factor.cuh", "#include \"0.cuh\"\n#include \"0.cuh\"\n"}};
  for (int i = 0; i < 40; ++i) {
    const std::string next = "#include \"" + std::to_string(i + 1) + ".cuh\"\n";
    bombs.emplace_back(std::to_string(i) + ".cuh", i == 39 ? bomb : next + next);
  }
  struct Hostile {
    std::int64_t job;
    std::string says;  ///< in its log
  };
  const std::vector<Hostile> jobs{
      {submit("scale", "#include \"/etc/passwd\"\n" + kScaleKernel, {factor}, "n=1000"), "an absolute name"},
      {submit("scale", "#include <../../../etc/passwd>\n" + kScaleKernel, {factor}, "n=1000"), "a name with `..`"},
      {submit("scale", "#define X \"/etc/passwd\"\n#include X\n" + kScaleKernel, {factor}, "n=1000"), "is computed"},
      {submit("scale", changed("grid(", "options(\"-I/etc\") grid("), {factor}, "n=1000"), "another machine"},
      {submit("scale", changed("grid(", "options(\"--time=" + written + "\") grid("), {factor}, "n=1000"),
       "is not allowed"},
      {submit("scale", changed("in(values, double, n)", "in(values, double, n, file(\"../../../etc/passwd\"))"),
              {factor}, "n=1000"),
       "a name with `..`"},
      {submit("scale", kScaleKernel, {{"../factor.cuh", "#define FACTOR 2\n"}}, "n=1000"), "a name with `..`"},
      {submit("scale'; DROP TABLE tuner_fleet.job; --", kScaleKernel, {factor}, "n=1000"), "DROP TABLE"},
      {submit("scale", kScaleKernel, {factor}, "n=1000'; DROP TABLE tuner_fleet.job; --"),
       "DROP TABLE tuner_fleet.job; --\" is not a number"},
      {submit("scale", changed("kind == 1", "1"), {factor}, "n=1000"), "secret line"},
      {submit("scale", kScaleKernel, bombs, "n=1000"), "took longer than 15 s and was stopped"},
  };
  const std::int64_t good = submit("scale", kScaleKernel, {factor}, "n=1000");
  const Result worked = worker.work();
  INFO(worked.err);
  CHECK(worked.exit_code == 0);
  for (const Hostile& hostile : jobs) {
    const Listed job = queue.list(hostile.job).front();
    const std::string log = queue.log(hostile.job);
    CAPTURE(log);
    CHECK(job.state == "aside");
    CHECK(job.tries == 1);
    CHECK(lines(job.reason) == 0);
    CHECK_FALSE(job.reason.empty());
    CHECK(contains(log, hostile.says));
    CHECK_FALSE(contains(log, "root:"));
  }
  CHECK_FALSE(std::filesystem::exists(written));
  CHECK(queue.list(good).front().state == "done");
}

TEST_CASE("a worker that is told to stop gives its job back, which another one finishes") {
  const TeamServer server;
  const Host anna(server, "anna"), first(server, "hand"), second(server, "hand");
  anna.folder().write("slow.cu", kScaleKernel);
  anna.run({"fleet", "submit", "slow.cu", "--problem", "n=1000,2000,3000", "--effort", "full"});
  Running running(first, {"fleet", "work", "--as-root", "--unconfined", "--workers", "1"});
  REQUIRE(eventually([&] { return first.count_in_journal("launch") > 0; }));
  running.signal(SIGTERM);
  const Result stopped = running.finish();
  INFO(stopped.err);
  CHECK(stopped.exit_code == 130);
  for (const auto& job : anna.json({"fleet", "status"})["jobs"]) {
    CHECK(job["state"] == "queued");
    CHECK(job["tries"] == 0);
  }
  CHECK(second.work().exit_code == 0);
  CHECK(anna.json({"fleet", "status"})["counts"]["done"] == 3);
}

TEST_CASE("a worker that is told to stop while a job begins gives it back, too, and leaves nothing") {
  const TeamServer server;
  const Host anna(server, "anna");
  anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000", "--effort", "full"});
  for (int milliseconds = 0; milliseconds < 60; milliseconds += 6) {
    CAPTURE(milliseconds);
    Host worker(server, "hand");
    const std::filesystem::path temporary = worker.home() / "tmp";
    std::filesystem::create_directory(temporary);
    worker.environment["TMPDIR"] = temporary.string();
    const auto folders = [&] {
      return std::distance(std::filesystem::directory_iterator(temporary), std::filesystem::directory_iterator());
    };
    Running running(worker, {"fleet", "work", "--as-root", "--unconfined", "--workers", "1"});
    REQUIRE(eventually([&] { return folders() == 2; }));  // one to be in, one for the job
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    running.signal(SIGTERM);
    const Result stopped = running.finish();
    INFO(stopped.err);
    CHECK(stopped.exit_code == 130);
    CHECK(folders() == 0);
    const Json job = anna.json({"fleet", "status"})["jobs"].front();
    CHECK(job["state"] == "queued");
    CHECK(job["tries"] == 0);
  }
}

TEST_CASE("a worker that starts before its server waits for it") {
  TeamServer server;
  const Host anna(server, "anna"), worker(server, "hand");
  anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000", "--effort", "quick"});
  server.stop("fast");
  Running running(worker, {"fleet", "work", "--until-empty", "--as-root", "--unconfined", "--workers", "1"});
  std::this_thread::sleep_for(std::chrono::seconds(2));
  server.start();
  const Result result = running.finish();
  INFO(result.err);
  CHECK(result.exit_code == 0);
  CHECK(contains(result.err, "Waiting for it, ten minutes at most."));
  CHECK(anna.json({"fleet", "status"})["counts"]["done"] == 1);
}

TEST_CASE("a worker that cannot store what it found ends, and its job is not done") {
  const TeamServer server;
  const Host anna(server, "anna"), worker(server, "hand");
  anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000", "--effort", "quick"});
  CHECK(worker.work().exit_code == 0);
  anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000", "--effort", "full"});
  {
    tuner::cache::sqlite::Connection other(worker.data() / "decisions.db", SQLITE_OPEN_READWRITE, {});
    const tuner::cache::sqlite::Transaction writes(other, tuner::cache::sqlite::Transaction::Kind::write);
    const Result result = worker.work();
    INFO(result.err);
    CHECK(result.exit_code == 5);
    CHECK(contains(result.err, "could not be stored in "));
  }
  const Json job = anna.json({"fleet", "status", "2"});
  INFO(job.dump());
  CHECK(job.dump().find("Its worker could not work.") != std::string::npos);
  CHECK(worker.work().exit_code == 0);
  CHECK(anna.json({"fleet", "status"})["counts"]["done"] == 2);
}

TEST_CASE("a worker of two GPUs is a process for each, which share the jobs") {
  const TeamServer server;
  Host anna(server, "anna"), worker(server, "hand");
  worker.environment["FAKE_DRIVER"] = "noise=3 devices=2";
  anna.run({"fleet", "submit", "scale.cu", "--problem", "n=1000,2000,3000,4000", "--effort", "quick"});
  const Result worked = worker.work({"--devices", "0-1"});
  INFO(worked.err);
  CHECK(worked.exit_code == 0);
  CHECK(contains(worked.err, "GPU 0: "));
  CHECK(contains(worked.err, "GPU 1: "));
  CHECK(anna.json({"fleet", "status"})["counts"]["done"] == 4);
  CHECK(worker.all_processes_end());
}
