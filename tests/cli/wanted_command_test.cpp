// `tuner wanted`, and `tuner tune --wanted` as far as it comes without a GPU.
#include <doctest/doctest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "cache/store/wanted_store.hpp"
#include "tests/cli/stored.hpp"

using nlohmann::json;
using namespace tuner::test;

namespace {

const std::string kWork = R"(
#pragma tuner kernel(scale) problem(n: size) param(BLOCK, 64, 128) grid(n) block(BLOCK)
#pragma tuner work(bytes = 8 * n)
#pragma tuner inout(x, float, n)
extern "C" __global__ void scale(float* x) {}
)";

/// A user whose programs missed problems of a kernel.
struct Misser : User {
  std::filesystem::path file() const { return data() / "wanted.db"; }
  cache::WantedStore list() const { return cache::WantedStore(data() / "decisions.db"); }
  void miss(const std::string& kernel, const std::string& problem, std::int64_t launched,
            const std::function<void(cache::Wanted&)>& edit = {}) const {
    cache::Wanted wanted;
    wanted.key = decision_on_h200(kernel, problem).key;
    const cache::WantedSource source{"scale.cu", kWork, {}};
    wanted.source = cache::hash_of(source);
    wanted.rung = "baseline";
    wanted.configuration = "BLOCK=64";
    wanted.requested = 1;
    wanted.launched = launched;
    wanted.first_unix_ms = wanted.last_unix_ms = 1740832200000;
    if (edit) edit(wanted);
    list().record({&wanted, 1}, [&](const cache::Wanted&) { return source; });
  }
  json wanted(const Words& more = {}) const {
    const Result result = run(joined({"wanted", "--json"}, more));
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    return json::parse(result.out)["wanted"];
  }
  std::vector<std::string> problems(const Words& more = {}) const {
    std::vector<std::string> all;
    for (const json& entry : wanted(more)) all.push_back(entry["problem"]);
    return all;
  }
};

}  // namespace

TEST_CASE("without a list nothing is wanted, and looking makes no file") {
  const Misser user;
  check_err(user.run({"wanted"}), 0, {"Nothing is wanted", "wanted.db", "TUNER_WANTED=1"});
  CHECK(user.wanted().empty());
  check_err(user.run({"wanted", "--forget"}), 1, {"Nothing was forgotten"});
  CHECK_FALSE(std::filesystem::exists(user.data()));
}

TEST_CASE("wanted lists what was missed, the most valuable first, with what that is based on") {
  const Misser user;
  user.miss("scale", "n=1000", 10);
  user.miss("scale", "n=4000", 4000, [](cache::Wanted& wanted) {
    wanted.rung = "near size";
    wanted.time_ns = 1000;
  });
  user.miss("scale", "n=2000", 500);
  const Result result = user.run({"wanted"});
  check_out(result, 0,
            {"may save", "10 ms       500", "scale", "NVIDIA H200", "cold", "baseline", "100 us assumed, 20 % assumed",
             "time of what serves it, 3 % assumed", "120 us     4,000"});
  CHECK(result.err.empty());
  CHECK(user.problems() == std::vector<std::string>{"n=2000", "n=1000", "n=4000"});
  const json first = user.wanted()[0];
  CHECK(first["kernel"] == "scale");
  CHECK(first["rung"] == "baseline");
  CHECK(first["configuration"] == "BLOCK=64");
  CHECK(first["time_us"].is_null());
  CHECK(first["launched"] == 500);
  CHECK(first["requested"] == 1);
  CHECK(first["trouble"].is_null());
  CHECK(first["likely_saving_us"] == doctest::Approx(10000));
  CHECK(first["time_from"] == "assumed");
  CHECK(user.run({"wanted", "--db", (user.data() / "other.db").string()}).exit_code == 0);
}

TEST_CASE("what has a decision by now is not wanted any more, and decisions say what others take") {
  const Misser user;
  cache::Decision decision = decision_on_h200("scale", "n=1000");
  decision.baseline_time_ns = 3000;
  decision.speedup = 2;
  open_database(user)->record_decision(decision);
  user.miss("scale", "n=1000", 10);
  user.miss("scale", "n=2000", 10);
  const json wanted = user.wanted();
  REQUIRE(wanted.size() == 1);
  CHECK(wanted[0]["problem"] == "n=2000");
  // Its source is not that of the identity, so it says nothing of work.
  CHECK(wanted[0]["time_from"] == "decisions");
  CHECK(wanted[0]["likely_time_us"] == 3);
  CHECK(wanted[0]["likely_gain"] == 0.5);
  check_out(user.run({"wanted"}), 0, {"15 us", "time of decisions, 50 % by speed-ups"});
}

TEST_CASE("wanted --forget forgets all of it or nothing when it is killed, and the list can be read afterwards") {
  Misser user;
  for (const char* problem : {"n=1", "n=2", "n=3"}) user.miss("scale", problem, 1);
  user.preload(TUNER_NAME_CHANGES);
  int exit_code = -1;
  for (int killed = 1; exit_code != 0 && killed < 100; ++killed) {
    user.environment["TUNER_TEST_KILLED_CHANGE"] = std::to_string(killed);
    exit_code = user.run({"wanted", "--forget"}).exit_code;
    user.environment.erase("TUNER_TEST_KILLED_CHANGE");
    CHECK(user.wanted().size() == (exit_code == 0 ? 0 : 3));
  }
  CHECK(exit_code == 0);
}

TEST_CASE("one kernel is listed and forgotten alone, and --forget alone empties the list") {
  const Misser user;
  user.miss("scale", "n=1", 1);
  user.miss("scale", "n=2", 1);
  user.miss("prefetch", "n=3", 1);
  CHECK(user.problems({"prefetch"}) == std::vector<std::string>{"n=3"});
  check_err(user.run({"wanted", "other"}), 0, {"Nothing is wanted of a kernel `other`"});
  check_out(user.run({"wanted", "scale", "--forget"}), 0, {"Forgotten: 2 entries of "});
  CHECK(user.problems() == std::vector<std::string>{"n=3"});
  CHECK(json::parse(user.run({"wanted", "--forget", "--json"}).out)["forgotten"] == 1);
  CHECK(user.problems().empty());
}

TEST_CASE("text of a list that others wrote is text") {
  const Misser user;
  const std::string poison = "\x1b[31m\n9 forged row\xe2\x80\xae";
  user.miss("scale" + poison, "n=" + poison, 1, [&](cache::Wanted& wanted) {
    wanted.key.device = poison + "|" + poison;
    wanted.key.mode = poison;
    wanted.rung = poison;
    wanted.configuration = poison;
  });
  user.list().note_trouble(user.list().list().at(0).key, "It fails." + poison);
  const Result result = user.run({"wanted"});
  CHECK(result.exit_code == 0);
  for (const std::string& text : {result.out, user.run({"wanted", "--json"}).out}) {
    CHECK_FALSE(contains(text, "\x1b"));
    CHECK_FALSE(contains(text, "\n9 forged"));
    CHECK_FALSE(contains(text, "\xe2\x80\xae"));
  }
  CHECK(contains(result.out, "Not tuned: "));
}

TEST_CASE("a list that is damaged, newer or another program's is one sentence, and is left as it is") {
  const Misser user;
  user.miss("scale", "n=1", 1);
  const std::string sound = read_bytes(user.file());
  const std::vector<std::pair<std::string, Words>> cases{
      {"PRAGMA user_version = 9", {"newer version"}},
      {"PRAGMA application_id = 9", {"not one of this program's"}},
      {"UPDATE wanted SET requested = -1", {"is damaged", "Delete it"}},
      {"DROP TABLE wanted", {"is damaged", "Delete it"}},
  };
  for (const auto& [damage, parts] : cases) {
    CAPTURE(damage);
    write_bytes(user.file(), sound);
    run_sql(user.file(), damage);
    const std::string before = read_bytes(user.file());
    for (const Words& words : {Words{"wanted"}, Words{"wanted", "--json"}, Words{"tune", "--wanted"}}) {
      check_error(user.run(words), 5, parts);
    }
    CHECK(read_bytes(user.file()) == before);
  }
}

TEST_CASE("tune --wanted takes kernels and problems from the list, and says what has no place beside it") {
  const Misser user;
  check_error(user.run({"tune", "--wanted", "scale.cu"}), 2, {"leave scale.cu out"});
  check_error(user.run({"tune", "--wanted", "--problem", "n=1"}), 2, {"--problem has no place beside --wanted"});
  check_error(user.run({"tune", "--wanted", "--replay", "x.csv"}), 2, {"--replay has no place beside --wanted"});
  check_error(user.run({"tune", "scale.cu", "--for", "30min"}), 2, {"--for limits how long --wanted"});
  check_error(user.run({"tune", "--wanted", "--for", "soon"}), 2, {"--for needs a duration"});
  check_err(user.run({"tune", "--wanted", "--for", "1min"}), 0, {"Nothing is wanted"});
  CHECK(json::parse(user.run({"tune", "--wanted", "--json"}).out)["reports"].empty());
}

TEST_CASE("without a GPU, or where others could change the sources, nothing of the list is tuned and all of it stays") {
  const Misser user;
  user.miss("scale", "n=1", 1);
  check_error(user.run({"tune", "--wanted"}), 3, {"replay a recording"});
  CHECK(chmod(user.file().c_str(), 0622) == 0);
  check_error(user.run({"tune", "--wanted"}), 5, {"Sources in ", "are not compiled", "writable by its group"});
  CHECK(user.problems() == std::vector<std::string>{"n=1"});
}
