#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cache/store/sqlite_store.hpp"
#include "tests/cli/program.hpp"

using nlohmann::json;
using tuner::test::contains;
using tuner::test::Result;
using tuner::test::User;

namespace {

namespace cache = tuner::cache;

/// A trial, a decision and a quarantined binary.
void learn(cache::Store& store, const std::string& kernel, const std::string& problem) {
  cache::Trial trial;
  trial.key = {kernel, kernel + ":0123", problem, "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=", "cold",
               "time"};
  trial.session = "session-1";
  trial.configuration = "BLOCK=256";
  trial.time_ns = 1000;
  store.record_trials({&trial, 1});
  cache::Decision decision;
  decision.key = trial.key;
  decision.session = trial.session;
  decision.configuration = trial.configuration;
  decision.time_ns = 1000;
  decision.verified = true;
  decision.awkward_sizes = 4;
  decision.contended = true;
  store.record_decision(decision);
  cache::Quarantined quarantined;
  quarantined.key = trial.key;
  quarantined.binary_hash = "00112233445566778899aabbccddeeff";
  quarantined.launch = "grid=1x1x1 block=1024x1x1 shared=0";
  quarantined.driver = "580.159";
  quarantined.configuration = "BLOCK=1024";
  quarantined.message = "wrote to address 0x0";
  quarantined.created_unix_ms = 1740832200000;
  store.record_quarantine(quarantined);
}

void fill(const User& user) {
  const auto store = cache::SqliteStore::open({.path = user.data() / "decisions.db"});
  learn(*store, "prefetch", "n=1,rows=2");
  learn(*store, "prefetch", "n=1,rows=3");
  learn(*store, "scale", "n=1");
}

std::size_t listed(const User& user, const std::string& what) {
  std::vector<std::string> words{"list", "--json"};
  if (what == "quarantine") words.emplace_back("--quarantine");
  return json::parse(user.run(words).out)[what].size();
}

}  // namespace

TEST_CASE("forget says what it forgot, and list and show no longer know it") {
  const User user;
  fill(user);
  const Result result = user.run({"forget", "prefetch"});
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(contains(result.out, "prefetch on NVIDIA H200, n=1,rows=2: 1 decision, 1 trial, 1 quarantined configuration"));
  CHECK(contains(result.out, "rows=3"));
  CHECK_FALSE(contains(result.out, "scale"));
  CHECK(listed(user, "decisions") == 1);
  CHECK(listed(user, "quarantine") == 1);
  CHECK(user.run({"show", "prefetch"}).exit_code == 1);
  CHECK(user.run({"show", "scale"}).exit_code == 0);
}

TEST_CASE("a problem's values in any order, a part of the GPU's name and one kind of thing narrow what is forgotten") {
  const User user;
  fill(user);
  const Result result =
      user.run({"forget", "--problem", "rows=3,n=1", "--device", "h200", "--only", "quarantine", "--json"});
  CHECK(result.exit_code == 0);
  const json forgotten = json::parse(result.out)["forgotten"];
  REQUIRE(forgotten.size() == 1);
  CHECK(forgotten[0]["problem"] == "n=1,rows=3");
  CHECK(forgotten[0]["decisions"] == 0);
  CHECK(forgotten[0]["trials"] == 0);
  CHECK(forgotten[0]["quarantined"] == 1);
  CHECK(listed(user, "decisions") == 3);
  CHECK(listed(user, "quarantine") == 2);
}

TEST_CASE("what does not match is told, with the nearest kernel, and ends with exit code 1") {
  const User user;
  CHECK(user.run({"forget", "prefetch"}).exit_code == 1);
  fill(user);
  const Result kernel = user.run({"forget", "prefech"});
  CHECK(kernel.exit_code == 1);
  CHECK(contains(kernel.err, "Did you mean `prefetch`?"));
  CHECK(user.run({"forget", "prefetch", "--device", "L4"}).exit_code == 1);
  CHECK(user.run({"forget", "prefetch", "--problem", "rows=4"}).exit_code == 1);
  CHECK(user.run({"forget", "--all"}).exit_code == 0);
  CHECK(user.run({"forget", "--all"}).exit_code == 1);
  CHECK(listed(user, "decisions") == 0);
}

TEST_CASE("--device is a part of the GPU's name, not of what else tells GPUs apart") {
  const User user;
  fill(user);
  for (const char* other : {"sms=132", "cc=9.0", "140GiB", "|"}) {
    CHECK(user.run({"forget", "--device", other}).exit_code == 1);
  }
  CHECK(listed(user, "decisions") == 3);
  CHECK(user.run({"forget", "--device", "nvidia h200"}).exit_code == 0);
  CHECK(listed(user, "decisions") == 0);
}

TEST_CASE("a GPU's number is no name: it forgets nothing and is told so") {
  const User user;
  fill(user);
  for (const char* number : {"0", "1", "200"}) {
    const Result result = user.run({"forget", "--device", number});
    CHECK(result.exit_code == 2);
    CHECK(contains(result.err, "name"));
  }
  CHECK(listed(user, "decisions") == 3);
}

TEST_CASE("--problem compares values, however they are written, and refuses what is none") {
  const User user;
  fill(user);
  for (const char* malformed : {"rows", "rows=", "", "=3", "rows=2,rows=3"}) {
    const Result result = user.run({"forget", "prefetch", "--problem", malformed});
    CAPTURE(std::string(malformed));
    CHECK(result.exit_code == 2);
    CHECK(tuner::test::lines(result.err) == 1);
  }
  CHECK(listed(user, "decisions") == 3);
  CHECK(user.run({"forget", "--problem", " rows = 0x3 "}).exit_code == 0);
  CHECK(listed(user, "decisions") == 2);
  CHECK(user.run({"forget", "--problem", "rows=2.0,n=1"}).exit_code == 0);
  CHECK(listed(user, "decisions") == 1);
}

TEST_CASE("forget wants to be told what, and everything only by --all") {
  const User user;
  fill(user);
  CHECK(user.run({"forget"}).exit_code == 2);
  CHECK(user.run({"forget", "prefetch", "--all"}).exit_code == 2);
  CHECK(user.run({"forget", "prefetch", "--only", "everything"}).exit_code == 2);
  CHECK(listed(user, "decisions") == 3);
}

TEST_CASE("list --quarantine and show tell what is not launched again, and how to change that") {
  const User user;
  fill(user);
  const Result list = user.run({"list", "--quarantine", "--kernel", "scale"});
  CHECK(list.exit_code == 0);
  CHECK(tuner::test::lines(list.out) == 2);
  for (const char* part :
       {"scale", "illegal_access", "580.159", "BLOCK=1024", "wrote to address 0x0", "2025-03-01 12:30 UTC"}) {
    CHECK_MESSAGE(contains(list.out, part), part);
  }
  const Result show = user.run({"show", "scale"});
  for (const char* part : {"Quarantined", "tuner forget scale --only quarantine", "wrote to address 0x0", "BLOCK=1024",
                           "4 awkward sizes", "other processes computed on the GPU"}) {
    CHECK_MESSAGE(contains(show.out, part), part);
  }
  const json object = json::parse(user.run({"show", "scale", "--json"}).out);
  REQUIRE(object["quarantine"].size() == 1);
  CHECK(object["quarantine"][0]["outcome"] == "illegal_access");
  CHECK(object["decision"]["contended"] == true);
  user.run({"forget", "scale", "--only", "quarantine"});
  CHECK(contains(user.run({"list", "--quarantine", "--kernel", "scale"}).err, "Nothing is quarantined"));
}
