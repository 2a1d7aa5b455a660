// Results of Kernel Tuner, KTT and T4 on the command line, whole and damaged.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/program.hpp"
#include "tests/support/files.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

const std::string kRecordedScale = data_file("scale.csv");

std::string foreign_file(const std::string& name) {
  return data_file("foreign/" + name).string();
}

json replay_of(const User& user, const Words& words) {
  const Result result = user.run(joined({"tune", "--json", "--replay"}, words));
  CHECK(result.err == "");
  REQUIRE(result.exit_code == 0);
  return json::parse(result.out)["reports"][0];
}

/// One of the files with something else in the place of what stands in it first.
struct Damage {
  const char* file;
  std::string what, by;
  const char* complaint;
};

std::string foreign_damaged(const Damage& damage) {
  std::string text = read_bytes(foreign_file(damage.file));
  const std::size_t at = text.find(damage.what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, damage.what.size(), damage.by);
}

/// A file that ends before `what`.
std::string foreign_truncated(const char* file, const std::string& what) {
  const std::string text = read_bytes(foreign_file(file));
  const std::size_t at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.substr(0, at);
}

/// A sentence with the file, and the exit code of bad input, whichever command reads it.
void check_refused(const User& user, const std::string& text, const std::string& complaint) {
  CAPTURE(complaint);
  user.folder().write("damaged.json", text);
  for (const Words& command : {Words{"simulate", "damaged.json"}, {"tune", "--replay", "damaged.json"}}) {
    check_error(user.run(command), 2, {"damaged.json:", complaint});
  }
}

}  // namespace

TEST_CASE("results of other tuners are simulated and replayed, and what comes of that is never served") {
  const User user;
  for (const char* name : {"kernel_tuner.json", "ktt.json", "t4.json"}) {
    CAPTURE(name);
    check_out(user.run({"simulate", foreign_file(name), "--repeats", "2", "--budget", "10"}), 0,
              {"1 recording", "score  0 is random search"});
    const json report = replay_of(user, {foreign_file(name)});
    CHECK(report["winner"]["configuration"] == "BLOCK=256,LAYOUT=strided,UNROLL=4");
    CHECK(report["space_size"] == 22);
    CHECK(report["replayed"] == true);
    CHECK(report["counters"]["failed"] == 3);
    CHECK(replay_of(user, {foreign_file(name), "--where", "BLOCK < 256"})["space_size"] == 12);
  }
  CHECK(!std::filesystem::exists(user.data() / "decisions.db"));
  check_error(user.run({"import", foreign_file("t4.json")}), 2, {"t4.json is JSON", "--hints"});
  check_error(user.run({"tune", "--replay", kRecordedScale, "--where", "BLOCK > 4096"}), 2);
  check_error(user.run({"tune", "--replay", foreign_file("ktt.json"), "--where", "BLOCK > 4096"}), 2,
              {"No configuration is valid"});
}

TEST_CASE("a value that few of the recorded rows have, or none, is no bug in the program") {
  const User user;
  nlohmann::ordered_json cache = {
      {"kernel_name", "scale"},
      {"device_name", "g"},
      {"tune_params_keys", {"A", "B", "MODE"}},
      {"tune_params", {{"A", json::array()}, {"B", json::array()}, {"MODE", {"x", "y", "z", "w"}}}},
      {"cache", json::object()}};
  json ktt = {{"Metadata", {{"Device", "g"}, {"TimeUnit", "Microseconds"}}}, {"Results", json::array()}};
  json t4 = {{"results", json::array()}};
  const auto add = [&](int a, int b, const std::string& mode) {
    const double ms = 1 + (a * 7 + b * 11) % 100;
    cache["cache"][std::to_string(a) + "," + std::to_string(b) + "," + mode] = {{"time", ms}};
    t4["results"].push_back({{"configuration", {{"A", a}, {"B", b}, {"MODE", mode}}},
                             {"times", {{"runtimes", {ms}}}},
                             {"invalidity", "correct"},
                             {"measurements", {{{"name", "time"}, {"value", ms}, {"unit", "ms"}}}},
                             {"objectives", {"time"}}});
    ktt["Results"].push_back(
        {{"KernelName", "scale"},
         {"Status", "Ok"},
         {"TotalDuration", ms * 1000},
         {"Configuration",
          {{{"Name", "A"}, {"Value", a}}, {{"Name", "B"}, {"Value", b}}, {{"Name", "MODE"}, {"Value", mode}}}}});
  };
  for (int i = 1; i <= 30; ++i) {
    cache["tune_params"]["A"].push_back(i);
    cache["tune_params"]["B"].push_back(i);
    for (int b = 1; b <= 30; ++b) add(i, b, "x");
  }
  add(3, 4, "y");
  add(9, 2, "z");
  // Interrupted: Kernel Tuner closes its file at the end.
  std::string text = cache.dump();
  user.folder().write("cache.json", text.substr(0, text.size() - 2) + ",");
  user.folder().write("ktt.json", ktt.dump());
  user.folder().write("t4.json", t4.dump());
  for (const std::string name : {"cache.json", "ktt.json", "t4.json"}) {
    CAPTURE(name);
    check_out(user.run({"simulate", name, "--repeats", "2", "--budget", "20"}), 0, {"1 recording"});
    CHECK(replay_of(user, {name, "--strategy", "model", "--budget", "20"})["counters"]["failed"] == 0);
  }
}

TEST_CASE("results of other tuners are hints: tried first, and no more than that") {
  const User user;
  for (const char* name : {"kernel_tuner.json", "ktt.json", "t4.json"}) {
    CAPTURE(name);
    const json report = replay_of(user, {kRecordedScale, "--hints", foreign_file(name), "--budget", "5"});
    CHECK(report["winner"]["configuration"] == "BLOCK=256,LAYOUT=strided,UNROLL=4");
    CHECK(report["warm_start"]["tried"] == 5);
    CHECK(report["warm_start"]["won"] == true);
  }
  CHECK(replay_of(user, {kRecordedScale, "--budget", "5"})["warm_start"]["tried"] == 0);
  check_out(user.run({"simulate", kRecordedScale, "--promising", foreign_file("ktt.json"), "--repeats", "2"}), 0,
            {"given the 5 fastest"});
}

TEST_CASE("hints of another kernel are refused, and so are hints where there is nothing to search") {
  const User user;
  user.folder().write("other.json",
                      R"({"kernel_name": "other", "device_name": "g", "tune_params_keys": ["TILE"],
                      "cache": {"8": {"time": 1.5}, "16": {"time": "InvalidConfig"}}})");
  user.folder().write("failed.json",
                      R"({"kernel_name": "other", "device_name": "g", "tune_params_keys": ["BLOCK"],
                      "cache": {"64": {"time": "InvalidConfig"}}})");
  check_error(
      user.run({"tune", "--replay", kRecordedScale, "--hints", "other.json"}), 2,
      {"None of the 1 fastest configurations in other.json is one of `scale`", "TILE", "BLOCK, UNROLL, LAYOUT"});
  check_error(user.run({"tune", "--replay", kRecordedScale, "--hints", "failed.json"}), 2, {"failed.json failed"});
  check_error(user.run({"tune", "--replay", kRecordedScale, "--hints", "nowhere.json"}), 2,
              {"nowhere.json does not exist"});
  check_error(user.run({"tune", data_file("scale.cu"), "--problem", "n=1000", "--hints", "other.json"}), 2,
              {"None of the 1 fastest configurations"});
  check_error(user.run({"tune", "--wanted", "--hints", "other.json"}), 2, {"--hints has no place beside --wanted"});
}

TEST_CASE("what was searched is written as T4, and reads back as a recording with the same times") {
  const User user;
  const json before = replay_of(user, {kRecordedScale});
  const std::string replays = user.data() / "replay.db";
  check_out(user.run({"export", "--t4", "scale.json", "--db", replays}), 0, {"scale.json", "scale: 22 trials"});
  const json file = json::parse(read_bytes(user.home() / "scale.json"));
  CHECK(file["schema_version"] == "1.0.0");
  CHECK(file["metadata"]["kernel"] == "scale");
  CHECK(file["metadata"]["problem"] == "n=16777216");
  REQUIRE(file["results"].size() == 22);
  CHECK(file["results"][0]["objectives"] == json::array({"time"}));
  CHECK(file["results"][0]["configuration"]["BLOCK"].is_number_integer());
  check_error(user.run({"export", "--t4", "scale.json", "--db", replays}), 2, {"scale.json"});
  const Result again = user.run({"export", "--t4", "scale.json", "--db", replays, "--force", "--json", "--kernel",
                                 "scale", "--problem", "n=16777216"});
  REQUIRE(again.exit_code == 0);
  CHECK(json::parse(again.out)["trials"] == 22);
  replay_of(user, {foreign_file("t4.json")});
  check_error(user.run({"export", "--t4", "two.json", "--db", replays}), 2,
              {"there are 2", "`t4`", "Choose one with --kernel"});
  check_error(user.run({"export", "--t4", "a.json", "b.db"}), 2, {"leave b.db out"});
  check_error(user.run({"export", "--t4", "a.json", "--with-binaries"}), 2,
              {"--with-binaries does not apply to a T4 file"});
  CHECK(user.run({"export", "--t4", "none.json", "--db", replays, "--kernel", "other"}).exit_code == 1);
  CHECK(!std::filesystem::exists(user.home() / "none.json"));
  const json after = replay_of(User(), {(user.home() / "scale.json").string()});
  CHECK(after["kernel"] == "scale");
  CHECK(after["problem"] == "n=16777216");
  CHECK(after["winner"]["configuration"] == before["winner"]["configuration"]);
  CHECK(after["counters"]["failed"] == before["counters"]["failed"]);
}

TEST_CASE("results that are damaged are refused in a sentence with the place") {
  const User user;
  const Damage all[] = {
      {"kernel_tuner.json", "\"kernel_name\": \"scale\"", "\"kernel_name\": 5",
       "kernel_name: must be a string, not number"},
      {"kernel_tuner.json", "\"kernel_name\": \"scale\",\n", "", "kernel_name: is missing"},
      {"kernel_tuner.json", "\"scale\"", R"("a\nb")", "kernel_name: must be a name of at most 1000 bytes"},
      {"kernel_tuner.json", "\"scale\"", "\"" + std::string(5000, 'k') + "\"",
       "kernel_name: must be a name of at most"},
      {"kernel_tuner.json", "\"device_name\": \"Invented GPU\",\n", "", "device_name: is missing"},
      {"kernel_tuner.json", "\"LAYOUT\"\n]", "\"BLOCK\"\n]",
       "tune_params_keys[2]: the parameter `BLOCK` is named twice"},
      {"kernel_tuner.json", "\"LAYOUT\"\n]", "\"TILE\"\n]", "tune_params.TILE: is missing"},
      {"kernel_tuner.json", "\"LAYOUT\"\n]", "\"A B\"\n]", "tune_params.\"A B\": is missing"},
      {"kernel_tuner.json", "\"LAYOUT\"\n]", "[]\n]", "tune_params_keys[2]: must be a string, not array"},
      {"kernel_tuner.json", "[\n\"blocked\",\n\"strided\"\n]", "[]", "tune_params.LAYOUT: has no values"},
      {"kernel_tuner.json", "[\n\"blocked\",\n\"strided\"\n]", "{}",
       "tune_params.LAYOUT: must be a list in square brackets"},
      {"kernel_tuner.json", "[\n\"blocked\",", "[\nnull,",
       "tune_params.LAYOUT[0]: must be a number, true, false or a string"},
      {"kernel_tuner.json", "[\n64,", "[\n18446744073709551615,",
       "tune_params.BLOCK[0]: 18446744073709551615 does not fit"},
      {"kernel_tuner.json", "[\n64,", "[\n1e999,", "the number 1e999 is greater than any"},
      {"kernel_tuner.json", "\"time\": 0.184", "\"time\": []",
       "cache.\"64,1,blocked\".time: must be a number, not array"},
      {"kernel_tuner.json", "\"time\": 0.184, ", "", "cache.\"64,1,blocked\".time: is missing"},
      {"kernel_tuner.json", "\"times\": [0.18584, ", "\"times\": [0.18584, \"fast\", ",
       "cache.\"64,1,blocked\".times[1]: must be a number"},
      {"kernel_tuner.json", "\"compile_time\": 310", "\"compile_time\": -310",
       "cache.\"64,1,blocked\".compile_time: is no duration"},
      {"kernel_tuner.json", "{\"BLOCK\": 64", "{\"BLOCK\": 128",
       "cache.\"64,1,blocked\": `BLOCK` is 128, but the key says 64"},
      {"kernel_tuner.json", "{\"BLOCK\": 64", "{\"BLOCK\": [64]",
       "cache.\"64,1,blocked\".BLOCK: must be a number, true, false"},
      {"kernel_tuner.json", "\"64,1,blocked\": {\"BLOCK\": 64", "\"65,1,blocked\": {\"BLOCK\": 65",
       "cache.\"65,1,blocked\": 65 is not among the declared values of BLOCK"},
      {"kernel_tuner.json", "\"64,1,blocked\": {\"BLOCK\": 64, ", "\"64\": {",
       "cache.\"64\": neither the key nor a member says the value of `BLOCK`"},
      {"kernel_tuner.json", "\"64,2,blocked\"", "\"64,1,blocked\"", "the key `64,1,blocked` occurs twice"},
      {"kernel_tuner.json", "\"problem_size\": 16777216", "\"problem_size\": [1, 2, 3, 4]",
       "problem_size: a problem has at most three sizes"},
      {"kernel_tuner.json", "\"cache\": {", "\"cache\": {\"1\": 7, ",
       "cache.\"1\": must be an object in braces, not number"},
      {"ktt.json", "\"TimeUnit\": \"Microseconds\"", "\"TimeUnit\": \"Fortnights\"",
       "Metadata.TimeUnit: `Fortnights` is not a unit of time"},
      {"ktt.json", ", \"TimeUnit\": \"Microseconds\"", "", "Metadata.TimeUnit: is missing"},
      {"ktt.json", "\"Metadata\"", "\"Data\"", "Metadata: is missing"},
      {"ktt.json", "\"TotalDuration\": 184.0", "\"TotalDuration\": \"long\"",
       "Results[0].TotalDuration: must be a number, not string"},
      {"ktt.json", "\"Value\": \"blocked\"", "\"Value\": {}",
       "Results[0].Configuration[2].Value: must be a number, true, false"},
      {"ktt.json", "{\"Name\": \"UNROLL\"", "{\"Name\": \"BLOCK\"",
       "Results[0].Configuration: the parameter `BLOCK` is named twice"},
      {"ktt.json", "{\"KernelName\": \"scale\"", "{\"KernelName\": \"other\"",
       "Results[1].KernelName: these are results of `scale`"},
      {"ktt.json", "\"RegistersCount\": 14", "\"RegistersCount\": 1e9", "RegistersCount: is no number of registers"},
      {"t4.json", "\"unit\": \"ms\"", "\"unit\": \"miles\"", "results[0].measurements[0].unit: `miles` is not a unit"},
      {"t4.json", "\"configuration\": {\"BLOCK\"", "\"configuration\": {\"TILE\": 1, \"BLOCK\"",
       "results[1].configuration: the configuration has 3 parameters, but there are 4"},
      {"t4.json", "\"configuration\": {\"BLOCK\"", "\"configuration\": {\"B=\"",
       "results[0].configuration: `B=` cannot be the name of a parameter"},
      {"t4.json", "\"configuration\"", "\"config\"", "results[0].configuration: is missing"},
      {"t4.json", "\"times\": {\"compilation_time\"", "\"times\": [], \"t\": {\"compilation_time\"",
       "results[0].times: must be an object"},
      {"t4.json", "{\"results\"", "{\"metadata\": {\"problem\": \"n\"}, \"results\"", "metadata.problem: "},
  };
  for (const Damage& damage : all) check_refused(user, foreign_damaged(damage), damage.complaint);
}

TEST_CASE("results that are truncated, empty or something else are refused in a sentence") {
  const User user;
  check_refused(user, foreign_truncated("ktt.json", "\"Status\""), "not JSON, or the file is truncated");
  check_refused(user, foreign_truncated("t4.json", "],\n\"schema"), "not JSON, or the file is truncated");
  check_refused(user, foreign_truncated("kernel_tuner.json", "ocked\": {"), "not JSON, or the file is truncated");
  check_refused(user, R"({"kernel_name": "k", "device_name": "g", "tune_params_keys": ["A"], "cache": {)",
                "cache: contains no configuration");
  check_refused(user, R"({"kernel_name": "k", "device_name": "g", "tune_params_keys": [], "cache": {}})",
                "tune_params_keys: names no parameter");
  check_refused(user, R"({"results": [], "schema_version": "1.0.0"})", "results: contains no configuration");
  check_refused(user, R"({"results": {}})", "results: must be a list in square brackets, not object");
  check_refused(user, R"({"cache": null, "Results": null})", "so that it holds no results");
  check_refused(user, R"({"ConfigurationSpace": {}, "KernelSpecification": {}})",
                "it describes a kernel and has no results");
  std::string names = "\"p0\"";
  for (int i = 1; i <= 1000; ++i) names += ", \"p" + std::to_string(i) + "\"";
  check_refused(user,
                R"({"kernel_name": "k", "device_name": "g", "tune_params_keys": [)" + names + R"(], "cache": {}})",
                "there are more than 1000 parameters");
  check_refused(user, "{", "not JSON, or the file is truncated");
  check_refused(user, R"({"results": [1e400]})", "1:18: the number 1e400 is greater than any that a computer reads");
  check_refused(user, "{\"cache\": \"\xff\xfe\"}", "not JSON");
  check_refused(user, "{\"results\": " + std::string(2'000'000, '['), "not JSON, or the file is truncated");
}
