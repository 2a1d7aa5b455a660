// Which rung answers a request, and why. Everything is validated elsewhere: see validation_test.cpp.
#include <chrono>

#include "cache/store/sqlite_store.hpp"
#include "tests/runtime/machine.hpp"
#include "tuner/core/sizes/sizes.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// What serves kWave where all this was tuned.
Provenance served_after(std::initializer_list<Stored> tuned) {
  Program program;
  for (const Stored& each : tuned) program.tuned(each);
  return program.request().provenance();
}

}  // namespace

TEST_CASE_FIXTURE(Program, "a stored winner is served and launched, and says everything that is known of it") {
  const std::int64_t row = decide({});
  compile({});
  const Instance& instance = request();
  const Provenance provenance = instance.provenance();
  INFO(provenance.why);
  CHECK(instance.rung() == Rung::exact);
  CHECK(instance.runnable());
  CHECK(provenance.rung == Rung::exact);
  CHECK(provenance.configuration == Stored{}.configuration);
  CHECK(provenance.problem == "TYPE=float,columns=1000,halo=1,rows=100");
  CHECK(provenance.device == gpu().identity());
  REQUIRE(provenance.expected_time);
  CHECK(provenance.expected_time->count() == 20000);
  CHECK(provenance.speedup == 1.5);
  CHECK(provenance.speedup_low == 1.4);
  CHECK(provenance.speedup_high == 1.6);
  CHECK(provenance.confidence == 0.9973);
  CHECK(provenance.ties == std::vector<std::string>{Stored{}.configuration});
  CHECK(provenance.database == home() / "decisions.db");
  CHECK(provenance.decision_id == row);
  CHECK_FALSE(provenance.contended);
  CHECK_FALSE(provenance.noisy);
  CHECK_FALSE(provenance.tuning);
  CHECK_FALSE(provenance.effort);
  CHECK(provenance.why == "Stored for this problem on this GPU model.");
  CHECK(launched(instance) == Stored{}.configuration);
  CHECK(notices().empty());
}

TEST_CASE("what is doubtful about a decision is said") {
  const Provenance provenance = served_after({{.edit = [](cache::Decision& decision) {
    decision.contended = true;
    decision.noisy = true;
  }}});
  CHECK(provenance.rung == Rung::exact);
  CHECK(provenance.contended);
  CHECK(provenance.noisy);
}

TEST_CASE("a decision says how thoroughly the space was searched, and of a quick search how little") {
  const auto served_with = [](Effort effort, std::optional<std::int64_t> evaluated) {
    return served_after({{.edit = [&](cache::Decision& decision) {
      decision.effort = effort;
      decision.evaluated = evaluated;
      decision.space_size = 9921;
    }}});
  };
  const Provenance quick = served_with(Effort::quick, 60);
  CHECK(quick.rung == Rung::exact);
  CHECK(quick.effort == Effort::quick);
  CHECK(quick.why == "Stored for this problem on this GPU model, after a quick search of 60 of 9,921 configurations.");
  CHECK(served_with(Effort::quick, 9921).why ==
        "Stored for this problem on this GPU model, after a quick search of all 9,921 configurations.");
  CHECK(served_with(Effort::quick, std::nullopt).why ==
        "Stored for this problem on this GPU model, after a quick search.");
  const Provenance full = served_with(Effort::full, 9921);
  CHECK(full.effort == Effort::full);
  CHECK(full.why == "Stored for this problem on this GPU model.");
}

TEST_CASE_FIXTURE(Machine, "a decision of the other timing mode is another decision") {
  tuned({.configuration = "BLOCK=64,ITEMS=4,STORE=plain", .mode = "warm"});
  tuned();
  Runtime cold(options());
  CHECK(launched(cold.kernel(wave()).request({100, 1000})) == Stored{}.configuration);
  Runtime warm(options({.timing = Timing::warm}));
  CHECK(launched(warm.kernel(wave()).request({100, 1000})) == "BLOCK=64,ITEMS=4,STORE=plain");
}

TEST_CASE_FIXTURE(Program, "where nothing is stored for a problem, the winner of the nearest one serves") {
  const std::string nearest = "BLOCK=512,ITEMS=1,STORE=plain", far = "BLOCK=64,ITEMS=1,STORE=plain";
  // Distances are powers of two, the greatest of both sizes: 1.58, 1, and 1 in both.
  tuned({.configuration = far, .problem = "rows=300,columns=1000"});
  tuned({.configuration = nearest, .problem = "rows=200,columns=2000"});
  tuned({.configuration = far, .problem = "rows=100,columns=350"});
  compile({.configuration = nearest});
  const Instance& instance = request();
  const Provenance provenance = instance.provenance();
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::near_size);
  CHECK(provenance.configuration == nearest);
  CHECK(provenance.problem == "TYPE=float,columns=2000,halo=1,rows=200");
  CHECK(contains(provenance.why, "rows=200"));
  // Launched for the size that was asked for, not for the one it was tuned for.
  inspector().take_launches();
  CHECK(launch(instance));
  CHECK(only_launch().grid == std::array<unsigned, 3>{2, 100, 1});
}

TEST_CASE("of decisions that are equally near the newer one serves") {
  const std::string older = "BLOCK=64,ITEMS=1,STORE=plain", newer = "BLOCK=512,ITEMS=1,STORE=plain";
  const auto made_at = [](std::int64_t time) {
    return [time](cache::Decision& decision) { decision.created_unix_ms = time; };
  };
  CHECK(served_after({{.configuration = newer, .problem = "rows=50,columns=1000", .edit = made_at(2000)},
                      {.configuration = older, .problem = "rows=200,columns=1000", .edit = made_at(1000)}})
            .configuration == newer);
}

TEST_CASE("a size may be four times as large or small, and no more") {
  for (const auto& [problem, rung] : std::initializer_list<std::pair<const char*, Rung>>{
           {"rows=400,columns=1000", Rung::near_size},
           {"rows=401,columns=1000", Rung::baseline},
           {"rows=25,columns=1000", Rung::near_size},
           {"rows=24,columns=1000", Rung::baseline},
           {"rows=400,columns=4000", Rung::near_size},
           {"rows=100,columns=4001", Rung::baseline},
       }) {
    const Provenance served = served_after({{.configuration = "BLOCK=64,ITEMS=1,STORE=plain", .problem = problem}});
    INFO(problem, ": ", served.why);
    CHECK(served.rung == rung);
  }
}

TEST_CASE("exact properties and constants must match, however near the sizes are") {
  for (const char* problem : {"rows=100,columns=1000,halo=2", "rows=100,columns=1000,TYPE=double"}) {
    const Provenance served =
        served_after({{.problem = problem}, {.configuration = kBaseline, .problem = "rows=65000,columns=99000"}});
    INFO(problem, ": ", served.why);
    CHECK(served.rung == Rung::baseline);
  }
}

TEST_CASE_FIXTURE(Program, "a winner that was not checked at awkward sizes serves its own size only") {
  tuned({.problem = "rows=200,columns=1000", .awkward_sizes = 0});
  CHECK(request({200, 1000}).rung() == Rung::exact);
  const Provenance provenance = request().provenance();
  CHECK(provenance.rung == Rung::baseline);
  CHECK(contains(provenance.why, "near size"));
}

TEST_CASE("a near winner that the problem's own size forbids gives way to the next nearest") {
  const Provenance provenance =
      served_after({{.configuration = "BLOCK=512,ITEMS=4,STORE=plain", .problem = "rows=100,columns=2100"},
                    {.configuration = "BLOCK=256,ITEMS=1,STORE=plain", .problem = "rows=100,columns=3000"}});
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::near_size);
  CHECK(provenance.configuration == "BLOCK=256,ITEMS=1,STORE=plain");
}

/// What a rule says that was made by hand: `few` where rows <= 150, else `many`; it holds from 10 to 10,000 rows.
std::string rule(const std::string& few, const std::string& many, bool nearest) {
  KernelSizes sizes;
  sizes.kernel = "wave";
  sizes.configurations = {few, many};
  sizes.rule.nodes = {search::RuleQuestion{search::Expression::parse("rows"), 150, 1, 2},
                      search::RuleLeaf{0, 0.011, 3, nearest}, search::RuleLeaf{1, 0.012, 3, nearest}};
  sizes.rule.domain = {
      {"TYPE", 1, 0, {"float"}}, {"columns", 10, 10'000, {}}, {"halo", 1, 1, {}}, {"rows", 10, 10'000, {}}};
  return sizes_json(sizes);
}

/// A program with three winners, of which the farthest is what the rule says, and that rule.
struct Predicting : Program {
  static constexpr const char* kPredicted = "BLOCK=512,ITEMS=1,STORE=plain";
  static constexpr const char* kNearest = "BLOCK=64,ITEMS=1,STORE=plain";
  explicit Predicting(bool nearest, const std::string& text = {}, std::int64_t awkward_sizes = 4) {
    tuned({.configuration = kNearest, .problem = "rows=200,columns=1000"});
    tuned({.configuration = kNearest, .problem = "rows=9000,columns=1000"});
    Stored far{.configuration = kPredicted, .problem = "rows=2000,columns=1000", .awkward_sizes = awkward_sizes};
    tuned(far);
    compile({.configuration = kPredicted});
    compile({.configuration = kNearest});
    const std::int64_t row = decide(far);
    const cache::DecisionText sizes{cache::TextKind::sizes, "rule",
                                    text.empty() ? rule(kPredicted, kNearest, nearest) : text};
    cache::SqliteStore::open({.path = home() / "decisions.db"})->record_texts(row, {&sizes, 1});
  }
};

TEST_CASE("what a rule predicts serves before a near size, and says what it may lose") {
  Predicting program(false);
  const Instance& instance = program.request();
  const Provenance provenance = instance.provenance();
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::predicted);
  CHECK(provenance.configuration == Predicting::kPredicted);
  CHECK(provenance.problem == "TYPE=float,columns=1000,halo=1,rows=2000");
  REQUIRE(provenance.expected_loss);
  CHECK(*provenance.expected_loss == 0.011);
  CHECK(contains(provenance.why, "1.1"));
  CHECK(launched(instance) == Predicting::kPredicted);
  // What was tuned is what was tuned.
  CHECK(program.request({2000, 1000}).rung() == Rung::exact);
}

TEST_CASE("a near size that the rule says is the better choice comes first, and the rule serves where none is near") {
  Predicting program(true);
  const Provenance near = program.request().provenance();
  CHECK(near.rung == Rung::near_size);
  CHECK_FALSE(near.expected_loss);
  // 40 is within a factor of five of 200 only.
  CHECK(program.request({40, 1000}).rung() == Rung::predicted);
}

TEST_CASE("a rule does not serve outside of what was tuned, nor what was not verified at other sizes") {
  Predicting program(false);
  CHECK(program.request({9, 1000}).rung() == Rung::baseline);
  CHECK(program.request({100, 20'000}).rung() == Rung::baseline);
  Predicting unchecked(false, {}, 0);
  CHECK(unchecked.request().rung() == Rung::near_size);
}

TEST_CASE("a rule that cannot be read or names what the space lacks gives way to the nearest size") {
  Predicting damaged(false, "{\"format\": 1}");
  const Provenance provenance = damaged.request().provenance();
  CHECK(provenance.rung == Rung::near_size);
  Predicting foreign(false, rule("BLOCK=7", "BLOCK=7", false));
  CHECK(foreign.request().rung() == Rung::near_size);
}

TEST_CASE("the winner of another GPU of the same architecture serves, unless there is a near size on this one") {
  Program program;
  const std::string there = "BLOCK=512,ITEMS=1,STORE=streaming", here = "BLOCK=64,ITEMS=2,STORE=plain";
  program.tuned({.configuration = there, .device = sister_gpu()});
  const Instance& instance = program.request();
  const Provenance provenance = instance.provenance();
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::other_device);
  CHECK(provenance.device == sister_gpu().identity());
  CHECK(contains(provenance.why, "Sister GPU"));
  CHECK(launched(instance) == there);

  program.tuned({.configuration = here, .problem = "rows=300,columns=1000"});
  Runtime later(program.options());
  CHECK(later.kernel(wave()).request({100, 1000}).provenance().configuration == here);
}

TEST_CASE("of another GPU of the same architecture a near size serves where the problem itself is unknown there") {
  const std::string near = "BLOCK=64,ITEMS=1,STORE=plain", same = "BLOCK=512,ITEMS=1,STORE=streaming";
  const Stored of_near{.configuration = near, .problem = "rows=200,columns=1000", .device = sister_gpu()};
  const Provenance provenance = served_after({of_near});
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::other_device);
  CHECK(provenance.configuration == near);
  CHECK(provenance.problem == "TYPE=float,columns=1000,halo=1,rows=200");
  CHECK(contains(provenance.why, "rows=200"));
  CHECK(contains(provenance.why, "Sister GPU"));
  CHECK(served_after({of_near, {.configuration = same, .device = sister_gpu()}}).configuration == same);
  Stored unchecked = of_near;
  unchecked.awkward_sizes = 0;
  CHECK(served_after({unchecked}).rung == Rung::baseline);
}

TEST_CASE("the winner of a GPU of another architecture does not serve, nor that of a far size elsewhere") {
  const Provenance provenance = served_after(
      {{.configuration = "BLOCK=512,ITEMS=1,STORE=streaming", .device = older_gpu()},
       {.configuration = "BLOCK=64,ITEMS=1,STORE=plain", .problem = "rows=401,columns=1000", .device = sister_gpu()}});
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::baseline);
}

TEST_CASE_FIXTURE(Program, "where nothing is stored the baseline serves, and says what is missing") {
  compile({.configuration = kBaseline});
  const Instance& instance = request();
  const Provenance provenance = instance.provenance();
  CHECK(provenance.configuration == kBaseline);
  CHECK(provenance.device.empty());
  CHECK(provenance.decision_id == 0);
  CHECK_FALSE(provenance.expected_time);
  CHECK_FALSE(provenance.speedup);
  check_baseline_serves(instance, "Nothing is stored for TYPE=float,columns=1000,halo=1,rows=100");
}

TEST_CASE("without a binary and a program that compiles, the caller's fallback serves") {
  std::vector<void*> seen;
  CUstream seen_stream = nullptr;
  int answer = 0;
  Program program({}, {.fallback = [&](Stream stream, std::span<void* const> arguments) {
                    seen_stream = stream;
                    seen.assign(arguments.begin(), arguments.end());
                    return answer;
                  }});
  program.decide({});
  const Instance& instance = program.request();
  const Provenance provenance = instance.provenance();
  INFO(provenance.why);
  CHECK(provenance.rung == Rung::fallback);
  CHECK(instance.runnable());
  CHECK(provenance.configuration.empty());
  CHECK(contains(provenance.why, "tuner-engine"));
  const auto stream = reinterpret_cast<CUstream>(std::uintptr_t{0x50});
  const float* const x = reinterpret_cast<const float*>(0x1000);
  const int columns = 1000;
  CHECK(instance.launch(stream, x, columns));
  CHECK(seen_stream == stream);
  REQUIRE(seen.size() == 2);
  CHECK(*static_cast<const float**>(seen[0]) == x);
  CHECK(*static_cast<int*>(seen[1]) == 1000);
  answer = 7;
  const LaunchStatus status = instance.launch(stream, x, columns);
  CHECK(status.code == 7);
  CHECK(contains(std::string(status.message), "7"));
  CHECK(instance.shape().function == nullptr);
}

TEST_CASE_FIXTURE(Program, "with no binary, no compiler and no fallback it is unrunnable, and launching says why") {
  const Instance& instance = request();
  const Provenance provenance = instance.provenance();
  CHECK(provenance.rung == Rung::unrunnable);
  CHECK_FALSE(instance.runnable());
  CHECK(contains(provenance.why, kBaseline));
  CHECK(contains(provenance.why, "tuner-engine"));
  const LaunchStatus status = launch(instance);
  CHECK(status.code == -1);
  CHECK(status.message == provenance.why);
  CHECK(instance.shape().function == nullptr);
  // Said once, not for each rung and request.
  CHECK(heard(Notice::Kind::engine).size() == 1);
}

TEST_CASE("a fallback that throws is a failed launch") {
  const Program program(
      {}, {.fallback = [](Stream, std::span<void* const>) -> int { throw std::runtime_error("no luck"); }});
  const LaunchStatus status = launch(program.request());
  CHECK(status.code == -1);
  CHECK(contains(std::string(status.message), "no luck"));
}

TEST_CASE("rungs have names") {
  CHECK(to_string(Rung::exact) == "exact");
  CHECK(to_string(Rung::near_size) == "near size");
  CHECK(to_string(Rung::other_device) == "other device");
  CHECK(to_string(Rung::baseline) == "baseline");
  CHECK(to_string(Rung::fallback) == "fallback");
  CHECK(to_string(Rung::unrunnable) == "unrunnable");
  CHECK(to_string(Rung::predicted) == "predicted");
  // Stored and passed on by others: the numbers stay.
  CHECK(static_cast<int>(Rung::unrunnable) == 5);
  CHECK(static_cast<int>(Rung::predicted) == 6);
}
