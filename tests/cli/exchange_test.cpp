#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cache/file/hash.hpp"
#include "cache/store/binary_store.hpp"
#include "cache/store/served_store.hpp"
#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

void learn(const User& user, const std::string& kernel, const std::string& problem, std::int64_t created_unix_ms,
           const std::string& winner = "BLOCK=256") {
  cache::Decision decision = decision_on_h200(kernel, problem, winner);
  decision.session = "session-" + std::to_string(created_unix_ms);
  decision.binary_hash = cache::content_hash("code of " + winner);
  decision.created_unix_ms = created_unix_ms;
  record(*open_database(user), decision);
}

void keep_code(const User& user, const std::string& winner) {
  const std::string code = "code of " + winner;
  const auto bytes = std::as_bytes(std::span(code));
  cache::BinaryStore::open({.path = user.home() / ".cache/tuner/binaries.db"})
      ->put({{.kernel = "k", .bytes = {bytes.begin(), bytes.end()}}, "sm_90", winner, ""});
}

bool has_code(const std::filesystem::path& folder, const std::string& winner) {
  const auto store = cache::BinaryStore::open({.path = folder / "binaries.db", .access = cache::Access::read_only});
  return store->find_compiled(winner).has_value();
}

std::string winner_in(const std::filesystem::path& folder) {
  const auto store = cache::SqliteStore::open({.path = folder / "decisions.db", .access = cache::Access::read_only});
  return store->find_decision(decision_on_h200("prefetch", "rows=1").key)->configuration;
}

std::string winner(const User& user, const std::string& kernel) {
  return json::parse(user.run({"show", kernel, "--json"}).out)["decision"]["configuration"];
}

}  // namespace

TEST_CASE("what one user exports another one imports: it is listed, shown as imported, and counted") {
  const User there, here;
  learn(there, "prefetch", "rows=1", 1000);
  learn(there, "prefetch", "rows=2", 1000);
  learn(there, "scale", "n=1", 1000);
  const std::string file = (there.home() / "tuned.db").string();
  const Result exported = there.run({"export", file});
  check_out(exported, 0, {file, "prefetch: 2 decisions, 2 trials", "scale: 1 decision, 1 trial"});
  CHECK(exported.err.empty());

  learn(here, "scale", "n=1", 2000, "BLOCK=512");
  check_out(here.run({"import", file}), 0,
            {"prefetch: 2 decisions kept, 0 older than the stored ones; 2 trials kept, 0 known",
             "scale: 0 decisions kept, 1 older than the stored ones; 1 trial kept, 0 known", "Without a GPU driver"});
  CHECK(winner(here, "scale") == "BLOCK=512");
  CHECK(winner(here, "prefetch") == "BLOCK=256");
  CHECK(json::parse(here.run({"show", "prefetch", "--json"}).out)["decision"]["origin"] == "imported");

  const Result again = here.run({"import", file, "--json"});
  check_out(again, 0);
  const json files = json::parse(again.out)["files"];
  REQUIRE(files.size() == 1);
  CHECK(files[0]["file"] == file);
  CHECK(files[0]["kept"] == 0);
  CHECK(files[0]["older"] == 3);
  CHECK(files[0]["foreign"].is_null());
  CHECK(files[0]["trials_known"] == 3);
  CHECK(files[0]["kernels"][1]["kernel"] == "scale");
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
  const auto exported = [&](const Words& options) {
    return json::parse(user.run(joined({"export", "narrow.db", "--force", "--json"}, options)).out)["kernels"];
  };
  CHECK(exported({}).size() == 2);
  CHECK(exported({"--kernel", "scale"})[0]["kernel"] == "scale");
  CHECK(exported({"--problem", "rows=0x2"})[0]["decisions"] == 1);
  CHECK(exported({"--device", "h200", "--decisions-only"})[0]["trials"] == 0);
  check_err(user.run({"export", "none.db", "--kernel", "prefech"}), 1, {"Did you mean `prefetch`?"});
  CHECK(user.run({"export", "none.db", "--device", "L4"}).exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(user.home() / "none.db"));
  CHECK(user.run({"export", "none.db", "--device", "0"}).exit_code == 2);
}

TEST_CASE("an export replaces a file only by --force") {
  const User user;
  CHECK(user.run({"export", "tuned.db"}).exit_code == 1);
  learn(user, "prefetch", "rows=1", 1000);
  CHECK(user.run({"export", "tuned.db"}).exit_code == 0);
  check_err(user.run({"export", "tuned.db"}), 2, {"--force"});
  CHECK(user.run({"export", "tuned.db", "--force"}).exit_code == 0);
  CHECK(user.run({"export", (user.data() / "decisions.db").string(), "--force"}).exit_code == 2);
  CHECK(user.run({"export"}).exit_code == 2);
  check_err(user.run({"export", "-"}), 2, {"cannot be written to standard output"});
  CHECK(user.run({"import"}).exit_code == 2);
}

TEST_CASE("--with-binaries writes the code of the winners beside the file, where programs look for it") {
  const User user;
  learn(user, "prefetch", "rows=1", 1000);
  learn(user, "prefetch", "rows=2", 1000, "BLOCK=64");
  std::filesystem::create_directories(user.home() / "share");
  CHECK(user.run({"export", "share/decisions.db", "--with-binaries"}).exit_code == 5);
  CHECK_FALSE(std::filesystem::exists(user.home() / "share/decisions.db"));
  keep_code(user, "BLOCK=256");
  const Result result = user.run({"export", "share/decisions.db", "--with-binaries", "--json"});
  check_out(result, 0);
  CHECK(json::parse(result.out)["binaries"]["written"] == 1);
  CHECK(json::parse(result.out)["binaries"]["missing"] == 1);
  CHECK(has_code(user.home() / "share", "BLOCK=256"));
}

TEST_CASE("decisions were exported without the binaries that could not be written") {
  User user;
  learn(user, "prefetch", "rows=1", 1000);
  const auto stored = user.home() / ".cache/tuner/binaries.db";
  cache::BinaryStore::open({.path = stored});
  const auto is_exported = [&](const char* name) { return std::filesystem::exists(user.home() / "share" / name); };
  const Words command{"export", "share/decisions.db", "--with-binaries"};

  user.folder().write("share/binaries.db", "something else");
  check_error(user.run(command), 2, {"binaries.db already exists", "--force"});
  CHECK_FALSE(is_exported("decisions.db"));
  std::filesystem::remove(user.home() / "share/binaries.db");

  std::filesystem::permissions(stored, std::filesystem::perms::others_write, std::filesystem::perm_options::add);
  check_error(user.run(command), 5, {"Binaries cannot be exported"});
  CHECK_FALSE(is_exported("decisions.db"));
  std::filesystem::permissions(stored, std::filesystem::perms::others_write, std::filesystem::perm_options::remove);

  CHECK(user.run(command).exit_code == 0);
  CHECK(is_exported("binaries.db"));
}

TEST_CASE("an export took the binaries of another database in its folder away") {
  const User user;
  learn(user, "prefetch", "rows=1", 1000, "BLOCK=64");
  learn(user, "scale", "n=1", 1000, "BLOCK=256");
  keep_code(user, "BLOCK=64");
  keep_code(user, "BLOCK=256");
  const auto share = user.home() / "share";
  const auto export_alone = [&](const std::string& kernel) {
    check_out(user.run({"export", "share/" + kernel + ".db", "--kernel", kernel, "--with-binaries", "--force"}), 0);
  };
  for (const char* kernel : {"prefetch", "scale", "prefetch"}) export_alone(kernel);
  CHECK(has_code(share, "BLOCK=64"));
  CHECK(has_code(share, "BLOCK=256"));

  std::filesystem::remove(share / "prefetch.db");
  export_alone("scale");
  CHECK_FALSE(has_code(share, "BLOCK=64"));
  CHECK(has_code(share, "BLOCK=256"));
}

TEST_CASE("an export that was killed left decisions without their binaries, starts of others, and files beside them") {
  User user;
  const auto share = user.home() / "share", earlier = user.home() / "earlier";
  const auto learn_all_of = [&](const std::string& winner, std::int64_t created_unix_ms) {
    learn(user, "prefetch", "rows=1", created_unix_ms, winner);
    const auto stored = open_database(user);
    const auto decision = stored->find_decision(decision_on_h200("prefetch", "rows=1").key);
    stored->record_served(
        {.source = "source", .outline = winner, .place = "place", .decision = served_mark(*decision)});
    keep_code(user, winner);
  };
  const Words command{"export", "share/decisions.db", "--with-binaries", "--force"};
  learn_all_of("BLOCK=64", 1000);
  REQUIRE(user.run(command).exit_code == 0);
  std::filesystem::copy(share, earlier);
  learn_all_of("BLOCK=256", 2000);

  user.preload(TUNER_NAME_CHANGES);
  int exit_code = -1;
  for (int killed = 1; exit_code != 0 && killed < 200; ++killed) {
    CAPTURE(killed);
    std::filesystem::remove_all(share);
    std::filesystem::copy(earlier, share);
    user.environment["TUNER_TEST_KILLED_CHANGE"] = std::to_string(killed);
    exit_code = user.run(command).exit_code;
    user.environment.erase("TUNER_TEST_KILLED_CHANGE");
    const std::string winner = winner_in(share);
    CHECK(has_code(share, winner));
    const auto start = cache::ServedStore(share / "decisions.db", std::chrono::seconds(1)).find("source", "place");
    if (start) CHECK(start->outline == winner);

    CHECK(user.run(command).exit_code == 0);
    CHECK(names_in(share) == Words{"binaries.db", "decisions.db", "served.db"});
    CHECK(winner_in(share) == "BLOCK=256");
    CHECK_FALSE(has_code(share, "BLOCK=64"));
  }
  CHECK(exit_code == 0);
}

TEST_CASE("of several files all are looked at before any is taken in") {
  const User there, here;
  learn(there, "prefetch", "rows=1", 1000);
  const std::string good = (there.home() / "good.db").string();
  const std::string bad = there.folder().write("bad.db", "no database, only a text with its name").string();
  REQUIRE(there.run({"export", good}).exit_code == 0);
  check_error(here.run({"import", good, bad}), 5, {bad});
  CHECK_FALSE(std::filesystem::exists(here.data() / "decisions.db"));
  CHECK(here.run({"import", good, good}).exit_code == 0);
  CHECK(here.run({"import", (here.home() / "none.db").string()}).exit_code == 5);
}

TEST_CASE("an export makes the folder that it is to go to, and takes it back if nothing matches") {
  const User user;
  learn(user, "scale", "n=1", 1000);
  check_out(user.run({"export", "new/er/tuned.db"}), 0, {"new/er/tuned.db"});
  CHECK(std::filesystem::exists(user.home() / "new/er/tuned.db"));
  check_out(user.run({"export", "folder/"}), 0, {"folder/decisions.db"});
  CHECK(user.run({"export", "none/x.db", "--kernel", "no_such"}).exit_code == 1);
  CHECK(!std::filesystem::exists(user.home() / "none"));
  user.folder().write("file", "");
  check_error(user.run({"export", "file/below/x.db"}), 5, {"The folder file/below cannot be made: "});
  // What was made on the way is taken back.
  CHECK(user.run({"export", "half/" + std::string(300, 'x') + "/x.db"}).exit_code == 5);
  CHECK(!std::filesystem::exists(user.home() / "half"));
}
