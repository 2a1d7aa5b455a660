#include <doctest/doctest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "cache/file/hash.hpp"
#include "cache/store/binary_store.hpp"
#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

/// What one configuration is compiled to, for whatever problem.
std::string code_of(const std::string& kernel, const std::string& configuration) {
  return "code of " + kernel + " " + configuration;
}

/// A decision and what configurations took in its search, the first of them the winner. Sources are not stored, so
/// that binaries are told apart by their hashes.
void tune_for_pack(const User& user, const std::string& kernel, const std::string& problem,
                   const std::vector<std::pair<std::string, double>>& times_ns) {
  cache::Decision decision = decision_on_h200(kernel, problem, times_ns.front().first);
  decision.binary_hash = cache::content_hash(code_of(kernel, decision.configuration));
  decision.baseline = "BLOCK=32";
  decision.baseline_time_ns = 2000;
  decision.speedup = 2;
  decision.speedup_low = 1.9;
  decision.speedup_high = 2.1;
  decision.awkward_sizes = 4;
  decision.race_blocks = 40;
  decision.ties = {{decision.configuration, 1}};
  const auto store = open_database(user);
  for (const auto& [configuration, time_ns] : times_ns) {
    cache::Trial trial = trial_of(decision, configuration, time_ns);
    trial.facts.binary_hash = cache::content_hash(code_of(kernel, configuration));
    store->record_trials({&trial, 1});
  }
  store->record_decision(decision);
}

void compile_for_pack(const User& user, const std::string& kernel, const std::string& configuration) {
  const std::string code = code_of(kernel, configuration);
  const auto bytes = std::as_bytes(std::span(code));
  cache::BinaryStore::open({.path = user.home() / ".cache/tuner/binaries.db"})
      ->put({{.kernel = "k", .bytes = {bytes.begin(), bytes.end()}}, "sm_90", "key of " + code, ""});
}

/// Three problems, of which two have winners of their own, and one configuration that is nearly as fast on each.
struct Packer : User {
  Packer() {
    tune_for_pack(*this, "scale", "n=1", {{"BLOCK=64", 500}, {"BLOCK=128", 505}});
    tune_for_pack(*this, "scale", "n=2", {{"BLOCK=256", 800}, {"BLOCK=128", 812}, {"BLOCK=64", 1000}});
    tune_for_pack(*this, "scale", "n=3", {{"BLOCK=64", 700}, {"BLOCK=256", 710}, {"BLOCK=128", 710}});
    for (const char* configuration : {"BLOCK=64", "BLOCK=128", "BLOCK=256"})
      compile_for_pack(*this, "scale", configuration);
  }
  json packed(const Words& options = {}) const {
    const Result result = run(joined({"pack", "pack", "--force", "--json"}, options));
    check_out(result, 0);
    return json::parse(result.out);
  }
  std::filesystem::path pack() const { return home() / "pack"; }
};

}  // namespace

TEST_CASE("a pack serves every decision with the fewest binaries that lose little, and says what is lost") {
  const Packer user;
  const json packed = user.packed();
  CHECK(packed["decisions"] == 3);
  CHECK(packed["binaries"] == 1);
  CHECK(packed["winners_binaries"] == 2);
  CHECK(packed["binary_bytes"] == code_of("scale", "BLOCK=128").size());
  CHECK(packed["worst_loss"].get<double>() == doctest::Approx(0.015));
  CHECK(packed["mean_loss"].get<double>() == doctest::Approx((0.01 + 0.015 + 10.0 / 700) / 3));
  CHECK(names_in(user.pack()) == Words{"binaries.db", "decisions.db", "pack.json"});
  CHECK(json::parse(read_bytes(user.pack() / "pack.json")) == packed);
  CHECK(user.packed({"--within", "0%"})["binaries"] == 2);
  // Two of them lose nothing on two problems, and 1.4 % on the third.
  const json two = user.packed({"--most", "2"});
  CHECK(two["binaries"] == 2);
  CHECK(two["within"].is_null());
  CHECK(two["worst_loss"].get<double>() == 0);
}

TEST_CASE("what a pack's member was not measured for, its decision does not claim") {
  const Packer user;
  check_out(user.run({"pack", "pack"}), 0,
            {"3 decisions served by 1 binary", "instead of 2", "At most 1.5 % is lost",
             "3 by times of the search alone", "every decision and its binary was found"});
  const std::string show = user.run({"show", "scale", "--db", "pack", "--json"}).out;
  const json decision = json::parse(show)["decision"];
  CHECK(decision["configuration"] == "BLOCK=128");
  CHECK(decision["verified"] == false);
  CHECK(decision["awkward_sizes"] == 0);
  CHECK(decision["race_blocks"] == 0);
  CHECK(decision["speedup_low"].is_null());
  CHECK(decision["speedup"].get<double>() == doctest::Approx(2 * 700.0 / 710));
  CHECK(decision["ties"].size() == 1);
  CHECK(decision["counters"]["packed_loss_ppm"] == 14286);
  check_out(user.run({"show", "scale", "--db", "pack"}), 0,
            {"in the search only: a pack has it in place of the winner, which is 1.429 % faster in the search"});
  // A winner that is a member keeps everything, and its place, whatever else is as fast.
  user.packed({"--within", "0%"});
  for (const json& one : json::parse(user.run({"list", "--db", "pack", "--json"}).out)["decisions"]) {
    CHECK(one["verified"] == true);
    CHECK(one["speedup_low"] == 1.9);
    CHECK(one["awkward_sizes"] == 4);
  }
}

TEST_CASE("what was stopped early, failed, or was described otherwise serves nothing") {
  const User user;
  tune_for_pack(user, "scale", "n=1", {{"BLOCK=64", 500}});
  tune_for_pack(user, "scale", "n=2", {{"BLOCK=128", 500}});
  compile_for_pack(user, "scale", "BLOCK=64");
  compile_for_pack(user, "scale", "BLOCK=128");
  const auto store = open_database(user);
  cache::Trial trial = trial_of(decision_on_h200("scale", "n=2"), "BLOCK=64", 500);
  trial.facts.binary_hash = cache::content_hash(code_of("scale", "BLOCK=64"));
  trial.censored = true;
  const auto record_and_pack = [&] {
    store->record_trials({&trial, 1});
    return json::parse(user.run({"pack", "pack", "--force", "--json"}).out)["binaries"];
  };
  CHECK(record_and_pack() == 2);
  trial.censored = false;
  trial.reuse_hash = "other";
  CHECK(record_and_pack() == 2);
  trial.reuse_hash = "reuse";
  trial.outcome = tuner::Outcome::wrong_result;
  CHECK(record_and_pack() == 2);
  trial.outcome = tuner::Outcome::ok;
  CHECK(record_and_pack() == 1);
}

TEST_CASE("a decision and a trial that say they took no time ended the command with an internal error") {
  const Packer user;
  run_sql(user.data() / "decisions.db", "UPDATE decision SET time_ns = 0; UPDATE trial SET time_ns = 0");
  CHECK(user.packed()["binaries"] == 2);
}

TEST_CASE("a folder with files is left alone, unless it is a pack and --force is given") {
  const Packer user;
  user.folder().write("full/notes.txt", "notes");
  for (const Words& words : {Words{"pack", "full"}, Words{"pack", "full", "--force"}})
    check_error(user.run(words), 2, {"holds files that are not those of a pack"});
  check_error(user.run({"pack", user.data().string(), "--force"}), 2, {"holds files that are not those of a pack"});
  check_error(user.run({"pack", "full/notes.txt"}), 2, {"is not a folder"});
  CHECK(names_in(user.home() / "full") == Words{"notes.txt"});
  CHECK(user.run({"pack", "pack"}).exit_code == 0);
  check_error(user.run({"pack", "pack"}), 2, {"holds a pack", "--force"});
  user.folder().write("pack/mine.txt", "");
  check_error(user.run({"pack", "pack", "--force"}), 2, {"holds files that are not those of a pack"});
  std::filesystem::remove(user.pack() / "mine.txt");
  CHECK(user.run({"pack", "pack/", "--force"}).exit_code == 0);
  std::filesystem::create_directories(user.home() / "empty");
  CHECK(user.run({"pack", "empty"}).exit_code == 0);
  CHECK(user.run({"pack", "new/er"}).exit_code == 0);
  std::filesystem::create_directory_symlink("pack", user.home() / "link");
  for (const char* link : {"link", "link/"})
    check_error(user.run({"pack", link, "--force"}), 2, {"is a symbolic link"});
  check_error(user.run({"pack", "tuned.db"}), 2, {"does not end in .db"});
  for (const std::string& name : names_in(user.home())) CHECK_FALSE(name.starts_with(".pack."));
}

TEST_CASE("an empty .pack.earlier stayed for ever when --force was killed right before it was removed") {
  const Packer user;
  user.packed();
  std::filesystem::create_directory(user.home() / ".pack.earlier");
  user.packed();
  CHECK(names_in(user.home() / "pack") == Words{"binaries.db", "decisions.db", "pack.json"});
  CHECK_FALSE(std::filesystem::exists(user.home() / ".pack.earlier"));
}

TEST_CASE("a pack was gone when --force was killed between two renames") {
  for (const bool can_exchange : {true, false}) {
    CAPTURE(can_exchange);
    Packer user;
    user.preload(TUNER_NAME_CHANGES);
    CHECK(user.packed()["binaries"] == 1);
    if (!can_exchange) user.environment["TUNER_TEST_NO_EXCHANGE"] = "1";
    int exit_code = -1;
    for (int killed = 1; exit_code != 0 && killed < 100; ++killed) {
      user.environment["TUNER_TEST_KILLED_CHANGE"] = std::to_string(killed);
      exit_code = user.run({"pack", "pack", "--force", "--within", "0%"}).exit_code;
      user.environment.erase("TUNER_TEST_KILLED_CHANGE");
      if (!can_exchange) check_error(user.run({"pack", "pack"}), 2, {"holds a pack"});
      const json left = json::parse(read_bytes(user.pack() / "pack.json"));
      CHECK(left["binaries"] == (exit_code == 0 ? 2 : 1));
      CHECK(user.run({"show", "scale", "--db", "pack"}).exit_code == 0);
    }
    CHECK(exit_code == 0);
    for (const std::string& name : names_in(user.home())) CHECK_FALSE(name.starts_with(".pack."));
  }
}

TEST_CASE("a member that is neither stored nor can be compiled is named, and nothing is left of the pack") {
  const User user;
  tune_for_pack(user, "scale\n\x1b[31mforged", "n=1", {{"BLOCK=64", 500}});
  const Result result = user.run({"pack", "new/pack"});
  check_error(result, 5, {"1 compiled member is not stored: that of", "forged", "for n=1", "cannot be compiled here"});
  CHECK_FALSE(contains(result.err, "\x1b"));
  CHECK_FALSE(std::filesystem::exists(user.home() / "new"));
}

TEST_CASE("kernels and GPUs can be chosen; nothing to pack, a wrong option and a damaged database are one sentence") {
  const Packer user;
  check_error(User().run({"pack", "pack"}), 1, {"nothing to pack"});
  tune_for_pack(user, "copy", "n=1", {{"BLOCK=64", 500}});
  compile_for_pack(user, "copy", "BLOCK=64");
  CHECK(user.packed()["kernels"].size() == 2);
  CHECK(user.packed({"copy"})["decisions"] == 1);
  CHECK(user.packed({"copy", "scale", "--device", "h100", "--device", "h200"})["decisions"] == 4);
  CHECK(user.packed({"--problem", "n=2"})["decisions"] == 1);
  check_error(user.run({"pack", "other", "copi"}), 2, {"Did you mean `copy`?"});
  check_error(user.run({"pack", "other", "--device", "L4"}), 1, {"Nothing was packed"});
  for (const Words& wrong : {Words{"--within", "2"}, Words{"--within", "99%"}, Words{"--most", "0"},
                             Words{"--most", "2", "--within", "1%"}, Words{"--device", "0"}})
    check_error(user.run(joined({"pack", "other"}, wrong)), 2);
  check_error(user.run({"pack"}), 2, {"needs the folder"});
  std::filesystem::resize_file(user.data() / "decisions.db", 6000);
  check_error(user.run({"pack", "other"}), 5, {"decisions.db"});
  CHECK_FALSE(std::filesystem::exists(user.home() / "other"));
}
