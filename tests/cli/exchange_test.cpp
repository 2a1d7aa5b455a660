#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cache/file/hash.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tests/cli/program.hpp"

using nlohmann::json;
using tuner::test::contains;
using tuner::test::Result;
using tuner::test::User;

namespace {

namespace cache = tuner::cache;

void learn(const User& user, const std::string& kernel, const std::string& problem, std::int64_t created_unix_ms,
           const std::string& winner = "BLOCK=256") {
  const auto store = cache::SqliteStore::open({.path = user.data() / "decisions.db"});
  cache::Trial trial;
  trial.key = {kernel, kernel + ":0123", problem, "NVIDIA H200|cc=9.0|sms=132|memory=140GiB|l2=60MiB|mig=", "cold",
               "time"};
  trial.session = "session-" + std::to_string(created_unix_ms);
  trial.configuration = winner;
  trial.time_ns = 1000;
  trial.created_unix_ms = created_unix_ms;
  store->record_trials({&trial, 1});
  cache::Decision decision;
  decision.key = trial.key;
  decision.session = trial.session;
  decision.configuration = winner;
  decision.binary_hash = cache::content_hash("code of " + winner);
  decision.time_ns = 1000;
  decision.created_unix_ms = created_unix_ms;
  store->record_decision(decision);
}

std::string winner(const User& user, const std::string& kernel) {
  const json object = json::parse(user.run({"show", kernel, "--json"}).out);
  return object["decision"]["configuration"];
}

}  // namespace

TEST_CASE("what one user exports another one imports: it is listed, shown as imported, and counted") {
  const User there, here;
  learn(there, "prefetch", "rows=1", 1000);
  learn(there, "prefetch", "rows=2", 1000);
  learn(there, "scale", "n=1", 1000);
  const std::string file = (there.home() / "tuned.db").string();
  const Result exported = there.run({"export", file});
  CHECK(exported.exit_code == 0);
  CHECK(exported.err.empty());
  CHECK(contains(exported.out, file));
  CHECK(contains(exported.out, "prefetch: 2 decisions, 2 trials"));
  CHECK(contains(exported.out, "scale: 1 decision, 1 trial"));

  learn(here, "scale", "n=1", 2000, "BLOCK=512");
  const Result imported = here.run({"import", file});
  CHECK(imported.exit_code == 0);
  CHECK(contains(imported.out, "prefetch: 2 decisions kept, 0 older than the stored ones; 2 trials kept, 0 known"));
  CHECK(contains(imported.out, "scale: 0 decisions kept, 1 older than the stored ones; 1 trial kept, 0 known"));
  CHECK(contains(imported.out, "Without a GPU driver"));
  CHECK(winner(here, "scale") == "BLOCK=512");
  CHECK(winner(here, "prefetch") == "BLOCK=256");
  CHECK(json::parse(here.run({"show", "prefetch", "--json"}).out)["decision"]["origin"] == "imported");

  const Result again = here.run({"import", file, "--json"});
  CHECK(again.exit_code == 0);
  const json object = json::parse(again.out);
  REQUIRE(object["files"].size() == 1);
  CHECK(object["files"][0]["file"] == file);
  CHECK(object["files"][0]["kept"] == 0);
  CHECK(object["files"][0]["older"] == 3);
  CHECK(object["files"][0]["foreign"].is_null());
  CHECK(object["files"][0]["trials_known"] == 3);
  CHECK(object["files"][0]["kernels"][1]["kernel"] == "scale");
}

TEST_CASE("an export can be read where it lies, as the database of programs that change nothing") {
  User there;
  learn(there, "prefetch", "rows=1", 1000);
  const std::filesystem::path folder = there.home() / "share";
  std::filesystem::create_directory(folder);
  REQUIRE(there.run({"export", folder.string(), "--decisions-only"}).exit_code == 0);
  User user;
  user.environment["TUNER_DB"] = folder.string();
  CHECK(contains(user.run({"list"}).out, "prefetch"));
  user.environment["TUNER_DB"] = (folder / "decisions.db").string();
  const json object = json::parse(user.run({"show", "prefetch", "--json"}).out);
  CHECK(object["trials"].empty());
  CHECK(object["decision"]["configuration"] == "BLOCK=256");
}

TEST_CASE("an export can be narrowed to a kernel, a problem and a GPU") {
  const User user;
  learn(user, "prefetch", "rows=1", 1000);
  learn(user, "prefetch", "rows=2", 1000);
  learn(user, "scale", "rows=1", 1000);
  const auto exported = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"export", "narrow.db", "--force", "--json"});
    return json::parse(user.run(options).out)["kernels"];
  };
  CHECK(exported({}).size() == 2);
  CHECK(exported({"--kernel", "scale"})[0]["kernel"] == "scale");
  CHECK(exported({"--problem", "rows=0x2"})[0]["decisions"] == 1);
  CHECK(exported({"--device", "h200", "--decisions-only"})[0]["trials"] == 0);
  const Result nothing = user.run({"export", "none.db", "--kernel", "prefech"});
  CHECK(nothing.exit_code == 1);
  CHECK(contains(nothing.err, "Did you mean `prefetch`?"));
  CHECK(user.run({"export", "none.db", "--device", "L4"}).exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(user.home() / "none.db"));
  CHECK(user.run({"export", "none.db", "--device", "0"}).exit_code == 2);
}

TEST_CASE("an export replaces a file only by --force") {
  const User user;
  CHECK(user.run({"export", "tuned.db"}).exit_code == 1);
  learn(user, "prefetch", "rows=1", 1000);
  CHECK(user.run({"export", "tuned.db"}).exit_code == 0);
  const Result refused = user.run({"export", "tuned.db"});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.err, "--force"));
  CHECK(user.run({"export", "tuned.db", "--force"}).exit_code == 0);
  CHECK(user.run({"export", (user.data() / "decisions.db").string(), "--force"}).exit_code == 2);
  CHECK(user.run({"export"}).exit_code == 2);
  CHECK(user.run({"import"}).exit_code == 2);
}

TEST_CASE("--with-binaries writes the code of the winners beside the file, where programs look for it") {
  const User user;
  learn(user, "prefetch", "rows=1", 1000);
  learn(user, "prefetch", "rows=2", 1000, "BLOCK=64");
  std::filesystem::create_directories(user.home() / "share");
  CHECK(user.run({"export", "share/decisions.db", "--with-binaries"}).exit_code == 5);
  CHECK_FALSE(std::filesystem::exists(user.home() / "share/decisions.db"));
  const auto binaries = user.home() / ".cache/tuner/binaries.db";
  const std::string code = "code of BLOCK=256";
  const auto bytes = std::as_bytes(std::span(code));
  cache::BinaryStore::open({.path = binaries})
      ->put({.architecture = "sm_90", .compile_key = "key", .kernel = "k", .bytes = {bytes.begin(), bytes.end()}});
  const Result result = user.run({"export", "share/decisions.db", "--with-binaries", "--json"});
  CHECK(result.exit_code == 0);
  CHECK(json::parse(result.out)["binaries"]["written"] == 1);
  CHECK(json::parse(result.out)["binaries"]["missing"] == 1);
  const auto shipped =
      cache::BinaryStore::open({.path = user.home() / "share/binaries.db", .access = cache::Access::read_only});
  CHECK(shipped->find_compiled("key"));
}

TEST_CASE("of several files all are looked at before any is taken in") {
  const User there, here;
  learn(there, "prefetch", "rows=1", 1000);
  const std::string good = (there.home() / "good.db").string();
  const std::string bad = there.folder().write("bad.db", "no database, only a text with its name").string();
  REQUIRE(there.run({"export", good}).exit_code == 0);
  const Result refused = here.run({"import", good, bad});
  CHECK(refused.exit_code == 5);
  CHECK(tuner::test::lines(refused.err) == 1);
  CHECK(contains(refused.err, bad));
  CHECK_FALSE(std::filesystem::exists(here.data() / "decisions.db"));
  CHECK(here.run({"import", good, good}).exit_code == 0);
  CHECK(here.run({"import", (here.home() / "none.db").string()}).exit_code == 5);
}
