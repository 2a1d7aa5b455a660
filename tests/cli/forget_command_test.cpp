#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

/// A trial, a decision and a quarantined binary.
void learn(cache::Store& store, const std::string& kernel, const std::string& problem) {
  cache::Decision decision = decision_on_h200(kernel, problem);
  decision.awkward_sizes = 4;
  decision.contended = true;
  record(store, decision);
  store.record_quarantine({.key = decision.key,
                           .binary_hash = {"00112233445566778899aabbccddeeff"},
                           .launch = "grid=1x1x1 block=1024x1x1 shared=0",
                           .driver = "580.159",
                           .configuration = "BLOCK=1024",
                           .message = "wrote to address 0x0",
                           .created_unix_ms = 1740832200000});
}

void fill(const User& user) {
  const auto store = open_database(user);
  learn(*store, "prefetch", "n=1,rows=2");
  learn(*store, "prefetch", "n=1,rows=3");
  learn(*store, "scale", "n=1");
}

struct Forgetter : User {
  Forgetter() { fill(*this); }
};

std::size_t listed(const User& user, const std::string& what) {
  std::vector<std::string> words{"list", "--json"};
  if (what == "quarantine") words.emplace_back("--quarantine");
  return json::parse(user.run(words).out)[what].size();
}

}  // namespace

TEST_CASE("forget says what it forgot, and list and show no longer know it") {
  const Forgetter user;
  const Result result = user.run({"forget", "prefetch"});
  check_out(result, 0,
            {"prefetch on NVIDIA H200, n=1,rows=2: 1 decision, 1 trial, 1 quarantined configuration", "rows=3"});
  CHECK(result.err.empty());
  CHECK_FALSE(contains(result.out, "scale"));
  CHECK(listed(user, "decisions") == 1);
  CHECK(listed(user, "quarantine") == 1);
  CHECK(user.run({"show", "prefetch"}).exit_code == 1);
  CHECK(user.run({"show", "scale"}).exit_code == 0);
}

TEST_CASE("a problem's values in any order, a part of the GPU's name and one kind of thing narrow what is forgotten") {
  const Forgetter user;
  const Result result =
      user.run({"forget", "--problem", "rows=3,n=1", "--device", "h200", "--only", "quarantine", "--json"});
  check_out(result, 0);
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
  check_err(user.run({"forget", "prefech"}), 1, {"Did you mean `prefetch`?"});
  CHECK(user.run({"forget", "prefetch", "--device", "L4"}).exit_code == 1);
  CHECK(user.run({"forget", "prefetch", "--problem", "rows=4"}).exit_code == 1);
  CHECK(user.run({"forget", "--all"}).exit_code == 0);
  CHECK(user.run({"forget", "--all"}).exit_code == 1);
  CHECK(listed(user, "decisions") == 0);
}

TEST_CASE("--device is a part of the GPU's name, not of what else tells GPUs apart") {
  const Forgetter user;
  for (const char* other : {"sms=132", "cc=9.0", "140GiB", "|"}) {
    CHECK(user.run({"forget", "--device", other}).exit_code == 1);
  }
  CHECK(listed(user, "decisions") == 3);
  CHECK(user.run({"forget", "--device", "nvidia h200"}).exit_code == 0);
  CHECK(listed(user, "decisions") == 0);
}

TEST_CASE("a GPU's number is no name: it forgets nothing and is told so") {
  const Forgetter user;
  for (const char* number : {"0", "1", "200"}) check_err(user.run({"forget", "--device", number}), 2, {"name"});
  CHECK(listed(user, "decisions") == 3);
}

TEST_CASE("--problem compares values, however they are written, and refuses what is none") {
  const Forgetter user;
  for (const char* malformed : {"rows", "rows=", "", "=3", "rows=2,rows=3"}) {
    check_error(user.run({"forget", "prefetch", "--problem", malformed}), 2);
  }
  CHECK(listed(user, "decisions") == 3);
  CHECK(user.run({"forget", "--problem", " rows = 0x3 "}).exit_code == 0);
  CHECK(listed(user, "decisions") == 2);
  CHECK(user.run({"forget", "--problem", "rows=2.0,n=1"}).exit_code == 0);
  CHECK(listed(user, "decisions") == 1);
}

TEST_CASE("forget wants to be told what, and everything only by --all") {
  const Forgetter user;
  CHECK(user.run({"forget"}).exit_code == 2);
  CHECK(user.run({"forget", "prefetch", "--all"}).exit_code == 2);
  CHECK(user.run({"forget", "prefetch", "--only", "everything"}).exit_code == 2);
  CHECK(listed(user, "decisions") == 3);
}

TEST_CASE("forget --all was half done after a kill") {
  Forgetter user;
  user.preload(TUNER_NAME_CHANGES);
  int exit_code = -1;
  for (int killed = 1; exit_code != 0 && killed < 100; ++killed) {
    user.environment["TUNER_TEST_KILLED_CHANGE"] = std::to_string(killed);
    exit_code = user.run({"forget", "--all"}).exit_code;
    user.environment.erase("TUNER_TEST_KILLED_CHANGE");
    const std::size_t left = exit_code == 0 ? 0 : 3;
    CHECK(listed(user, "decisions") == left);
    CHECK(listed(user, "quarantine") == left);
  }
  CHECK(exit_code == 0);
}

TEST_CASE("list --quarantine names the configuration of a kernel without parameters") {
  const User user;
  open_database(user)->record_quarantine({.key = decision_on_h200("sum", "n=1").key,
                                          .binary_hash = {"00112233445566778899aabbccddeeff"},
                                          .launch = "grid=1x1x1 block=1024x1x1 shared=0",
                                          .driver = "580.159",
                                          .configuration = "",
                                          .message = "",
                                          .created_unix_ms = 1740832200000});
  check_out(user.run({"list", "--quarantine"}), 0, {"  (no parameters)  "});
}

TEST_CASE("list --quarantine and show tell what is not launched again, and how to change that") {
  const Forgetter user;
  const Result list = user.run({"list", "--quarantine", "--kernel", "scale"});
  check_out(list, 0,
            {"scale", "illegal_access", "580.159", "BLOCK=1024", "wrote to address 0x0", "2025-03-01 12:30 UTC"});
  CHECK(lines(list.out) == 2);
  check_out(user.run({"show", "scale"}), 0,
            {"Quarantined", "tuner forget scale --only quarantine", "wrote to address 0x0", "BLOCK=1024",
             "4 awkward sizes", "other processes had the GPU open"});
  const json object = json::parse(user.run({"show", "scale", "--json"}).out);
  REQUIRE(object["quarantine"].size() == 1);
  CHECK(object["quarantine"][0]["outcome"] == "illegal_access");
  CHECK(object["decision"]["contended"] == true);
  user.run({"forget", "scale", "--only", "quarantine"});
  check_err(user.run({"list", "--quarantine", "--kernel", "scale"}), 0, {"Nothing is quarantined"});
}
