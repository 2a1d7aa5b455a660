// What searches of the three efforts try, and what of it is stored and served: the table in docs/searching.md, row by
// row.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/engine/session/laboratory.hpp"
#include "tuner/engine/effort/effort_limits.hpp"

namespace tuner::engine {
namespace {

std::string numbers_to(int last) {
  std::string list = "1";
  for (int i = 2; i <= last; ++i) list += ", " + std::to_string(i);
  return list;
}

/// Four times `unrolls` configurations.
std::string kernel_of(int unrolls) {
  std::string text = kernel_with("UNROLL, 1, 2, 4;", "UNROLL, " + numbers_to(unrolls) + ";");
  const std::string constraint = "#pragma tuner constraint(BLOCK * UNROLL <= 512)\n";
  return text.replace(text.find(constraint), constraint.size(), "");
}
Task task_of(int unrolls) {
  return make_task({}, kernel_of(unrolls));
}

/// The fastest is BLOCK=128,UNROLL=37, in a wide basin.
Behaviour basin(const std::string& configuration) {
  static const Task task = task_of(300);
  const search::Configuration parsed = task.space().parse(configuration.empty() ? "BLOCK=64" : configuration);
  Behaviour behaviour;
  behaviour.time_ns = 1e5 * (1 + std::abs(task.space().value(parsed, 0).as_real() - 128) / 256 +
                             std::abs(task.space().value(parsed, 1).as_real() - 37) / 50);
  return behaviour;
}

constexpr std::array kAllEfforts{Effort::quick, Effort::normal, Effort::full};

SessionOptions with(Effort effort) {
  SessionOptions options;
  options.effort = effort;
  options.takes_stored = true;
  return options;
}

/// So long takes the fake compiler for each that a complete search does not pay.
constexpr double kDear = 100;

TEST_CASE("as long as it is not known what a result costs, efforts end a search by counts") {
  CHECK(limits_of(Effort::quick, 2000).evaluations == 60);
  CHECK(limits_of(Effort::quick, 2000).weighs);
  CHECK_FALSE(limits_of(Effort::normal, 101).evaluations);
  CHECK(limits_of(Effort::normal, 101).weighs);
  CHECK_FALSE(limits_of(Effort::normal, 100).weighs);
  for (const Effort effort : kAllEfforts) {
    CHECK_FALSE(limits_of(effort, 60).evaluations);
    CHECK_FALSE(limits_of(effort, 60).weighs);
  }
  for (const std::uint64_t size : {1, 400, 1'000'000}) {
    const Budget full = limits_of(Effort::full, size);
    CHECK_FALSE(full.evaluations);
    CHECK_FALSE(full.weighs);
  }
}

TEST_CASE("a complete search that costs little is done, and of a dear one a part") {
  const auto most = [](Effort effort, std::uint64_t size, double result_s, double percent_s = 2) {
    return spending_of(effort, size, result_s, std::chrono::duration<double>(percent_s)).most;
  };
  CHECK_FALSE(most(Effort::normal, 3000, 0.005));
  CHECK(most(Effort::normal, 3000, 0.01) == 1095);  // twenty roots
  CHECK(most(Effort::normal, 600, 0.1) == 200);     // a third, which is less
  CHECK(most(Effort::normal, 600, 0.06) == 300);    // a third is less than 18 s
  CHECK(most(Effort::normal, 1'000'000'000, 0.01) == 4000);
  CHECK_FALSE(most(Effort::normal, 3000, 0.05, 20));
  CHECK(most(Effort::normal, 3000, 0.005, 1) == 774);  // so many by the square root of two fewer
  CHECK_FALSE(most(Effort::quick, 400, 0.005));
  CHECK(most(Effort::quick, 3000, 0.01) == 200);
  CHECK(most(Effort::quick, 3000, 0.1) == 60);
}

TEST_CASE("going on pays while the chance of one per cent is a tenth, and longer where results are cheap") {
  const auto pays = [](double chance, double result_s, double percent_s = 2) {
    return Spending{.most = 500, .result_s = result_s, .percent_worth = std::chrono::duration<double>(percent_s)}.pays(
        {.told = 200, .chance = chance});
  };
  CHECK(pays(0.11, 1));
  CHECK_FALSE(pays(0.09, 1));
  CHECK(pays(0.09, 0.01));
  CHECK(pays(0.06, 0.01));
  CHECK_FALSE(pays(0.04, 0.01));
  CHECK(pays(0.02, 1, 20));
  CHECK_FALSE(pays(0.5, 1, 0.2));
}

TEST_CASE("of a small space no more is asked for before its results are known to be dear than is tried then") {
  for (const std::uint64_t size : {101, 120, 143}) {
    CHECK(most_before_cost_is_known(size) == spending_of(Effort::normal, size, 10, std::chrono::seconds(2)).most);
    CHECK(spending_of(Effort::quick, size, 10, std::chrono::seconds(2)).most == most_before_cost_is_known(size));
  }
  CHECK(most_before_cost_is_known(61) == 25);
}

TEST_CASE("no belief ends a search before nine roots of the size were tried") {
  const Spending spending = spending_of(Effort::normal, 10'000, 0.1, std::chrono::duration<double>(2));
  CHECK(spending.pays({.told = 899, .chance = 0}));
  CHECK_FALSE(spending.pays({.told = 900, .chance = 0}));
}

TEST_CASE("the more problems are known, the less is searched on the next, but never less than forty in a row") {
  CHECK(limits_of(Effort::quick, 2000, 1).evaluations == 40);
  CHECK_FALSE(limits_of(Effort::quick, 40, 1).evaluations);
  CHECK_FALSE(limits_of(Effort::normal, 10'000, 1).weighs);
  CHECK(limits_of(Effort::normal, 10'000, 1).idle == 90);
  CHECK(limits_of(Effort::normal, 10'000, 1).least_for_idle == 180);
  CHECK(limits_of(Effort::normal, 10'000, 2).idle == 60);
  CHECK(limits_of(Effort::normal, 10'000, 100).idle == 40);
  CHECK(limits_of(Effort::normal, 300, 1).idle == 75);
  CHECK(limits_of(Effort::normal, 300, 100).idle == 40);
  CHECK_FALSE(limits_of(Effort::normal, 40, 1).idle);
  CHECK_FALSE(limits_of(Effort::full, 10'000, 1).idle);
}

TEST_CASE("what one per cent is worth had no effect where other problems were known") {
  const auto limits = [](Effort effort, std::uint64_t known_problems, double percent_s) {
    return limits_of(effort, 10'000, known_problems, std::chrono::duration<double>(percent_s));
  };
  CHECK(limits(Effort::quick, 1, 8).evaluations == 80);
  CHECK(limits(Effort::normal, 1, 8).idle == 180);
  CHECK(limits(Effort::normal, 1, 8).least_for_idle == 360);
  CHECK(limits(Effort::normal, 100, 8).idle == 80);
  CHECK(limits(Effort::normal, 100, 0.5).idle == 20);
  CHECK(limits(Effort::normal, 100, 1e-6).idle == 1);
  CHECK(limits(Effort::quick, 1, 1e-6).evaluations == 1);
  Laboratory laboratory(task_of(300), basin);
  SessionOptions options = with(Effort::quick);
  options.known_problems = 1;
  options.percent_worth = std::chrono::seconds(8);
  CHECK(laboratory.tune(options).decision.evaluated == 80);
}

TEST_CASE("more effort finds the same or better, stores what it did and says why it ended") {
  Laboratory laboratory(task_of(300), basin);
  laboratory.compile.milliseconds = kDear;
  const TuneReport quick = laboratory.tune(with(Effort::quick));
  CHECK(quick.decision.effort == Effort::quick);
  CHECK(quick.decision.evaluated == 60);
  CHECK(quick.decision.space_size == 1200);
  CHECK(quick.decision.stopped_because == "more than 60 configurations, the least that is tried, do not pay");
  CHECK_FALSE(quick.chance_left);
  const TuneReport normal = laboratory.tune_again(with(Effort::normal));
  CHECK(normal.decision.effort == Effort::normal);
  CHECK(*normal.decision.evaluated >= 312);  // nine roots, the baseline among them
  CHECK(*normal.decision.evaluated < 400);   // a third, which is the most
  CHECK(normal.decision.stopped_because == "what is believed left to gain does not pay for going on");
  CHECK(normal.chance_left.value() < 0.1);
  CHECK(normal.decision.time_ns <= 1.01 * quick.decision.time_ns);
  const TuneReport full = laboratory.tune_again(with(Effort::full));
  CHECK(full.decision.effort == Effort::full);
  CHECK(full.decision.evaluated == 1200);
  CHECK(full.decision.stopped_because.empty());
  CHECK_FALSE(full.chance_left);
  CHECK(full.decision.configuration == "BLOCK=128,UNROLL=37");
  CHECK(full.decision.counters.at("reused") >= *normal.decision.evaluated);
  const TuneReport stored = laboratory.tune_again(with(Effort::quick));
  CHECK(stored.from_store);
  REQUIRE(full.bytes_per_second);
  CHECK(stored.bytes_per_second == full.bytes_per_second);
}

TEST_CASE("a normal search of a space that costs little is complete") {
  Laboratory laboratory(task_of(100), basin);
  const TuneReport report = laboratory.tune(with(Effort::normal));
  CHECK(report.decision.effort == Effort::normal);
  CHECK(report.decision.evaluated == 400);
  CHECK(report.decision.stopped_because.empty());
  // In the order of the space, once that is known.
  const search::Space& space = laboratory.task.space();
  const std::vector<std::string>& submitted = laboratory.compile.submitted;
  std::vector<std::string>::difference_type before = -1;
  for (std::uint64_t i = 390; i < space.size(); ++i) {
    const auto at = std::ranges::find(submitted, space.text(space.at(i))) - submitted.begin();
    if (at < 50) continue;  // the model asked for it
    CHECK(at > before);
    before = at;
  }
  CHECK(before > 300);
}

/// The costs of a result that are stored.
std::vector<double> costs_ms(const Laboratory& laboratory) {
  std::vector<double> costs;
  for (const cache::Trial& trial : laboratory.rows()) {
    if (trial.result_cost_ms) costs.push_back(*trial.result_cost_ms);
  }
  return costs;
}

TEST_CASE("a search that goes on when results cost ten times as much asks for the same") {
  SessionOptions options = with(Effort::normal);
  options.early_kill = true;
  options.seed = 4;
  const auto prepare = [](Laboratory& laboratory) {
    laboratory.device.is_exact = true;
    laboratory.compile.milliseconds = kDear;
  };
  Laboratory whole(task_of(200), basin);
  prepare(whole);
  whole.tune(options);
  const std::vector<std::string> expected = whole.compile.submitted;
  REQUIRE(costs_ms(whole).size() == 1);

  Laboratory laboratory(task_of(200), basin);
  prepare(laboratory);
  laboratory.stop_after(60);
  laboratory.tune(options);
  std::set<std::string> submitted(laboratory.compile.submitted.begin(), laboratory.compile.submitted.end());
  laboratory.compile.milliseconds = 10 * kDear;
  laboratory.tune_again(options);
  submitted.insert(laboratory.compile.submitted.begin(), laboratory.compile.submitted.end());
  CHECK(costs_ms(laboratory) == costs_ms(whole));
  CHECK(submitted == std::set<std::string>(expected.begin(), expected.end()));
}

TEST_CASE("what a result costs was lost when the trial that it is stored with was measured again") {
  SessionOptions options = with(Effort::normal);
  options.early_kill = true;
  Laboratory laboratory(task_of(200), basin);
  laboratory.compile.milliseconds = kDear;
  laboratory.stop_after(60);
  laboratory.tune(options);
  const std::vector<double> settled = costs_ms(laboratory);
  REQUIRE(settled.size() == 1);
  // It may have been a fluke, and is tried again.
  const std::vector<cache::Trial> rows = laboratory.rows();
  cache::Trial fluke =
      *std::ranges::find_if(rows, [](const cache::Trial& row) { return row.result_cost_ms.has_value(); });
  fluke.outcome = Outcome::compile_timeout;
  laboratory.store.record_trials({&fluke, 1});
  laboratory.compile.milliseconds = 10 * kDear;
  laboratory.tune_again(options);
  const auto is_same = [&](const cache::Trial& row) { return row.configuration == fluke.configuration; };
  const std::vector<cache::Trial> after = laboratory.rows();
  REQUIRE(std::ranges::count_if(after, is_same) == 3);
  CHECK(std::find_if(after.rbegin(), after.rend(), is_same)->result_cost_ms == settled.front());
}

TEST_CASE("what a result costs is settled anew where everything is measured again") {
  SessionOptions options = with(Effort::normal);
  Laboratory laboratory(task_of(200), basin);
  laboratory.compile.milliseconds = kDear;
  laboratory.tune(options);
  options.reuse = false;
  laboratory.compile.milliseconds = 10 * kDear;
  laboratory.tune_again(options);
  const std::vector<double> costs = costs_ms(laboratory);
  REQUIRE(costs.size() == 2);
  CHECK(costs[1] > 2 * costs[0]);
}

TEST_CASE("a search that was stopped before its cost was settled went on as another one") {
  for (const Effort effort : {Effort::quick, Effort::normal}) {
    for (const std::size_t stopped : {3u, 12u, 23u}) {
      const auto prepare = [](Laboratory& laboratory) {
        laboratory.device.is_exact = true;
        laboratory.compile.milliseconds = kDear;
      };
      Laboratory whole(task_of(200), basin);
      prepare(whole);
      whole.tune(with(effort));
      const std::set<std::string> expected(whole.compile.submitted.begin(), whole.compile.submitted.end());

      Laboratory laboratory(task_of(200), basin);
      prepare(laboratory);
      laboratory.stop_after(stopped);
      laboratory.tune(with(effort));
      std::set<std::string> submitted(laboratory.compile.submitted.begin(), laboratory.compile.submitted.end());
      laboratory.tune_again(with(effort));
      submitted.insert(laboratory.compile.submitted.begin(), laboratory.compile.submitted.end());
      CHECK(submitted == expected);
    }
  }
}

TEST_CASE("a seed asks for the same and ends in the same place, whichever candidate is compiled first") {
  for (const Effort effort : {Effort::quick, Effort::normal}) {
    const auto asked = [effort](std::size_t workers, std::uint64_t timing) {
      // Every time is the same in every session, so that results differ in nothing but when they come.
      Laboratory laboratory(task_of(200), basin, 64);
      laboratory.device.is_exact = true;
      laboratory.compile.milliseconds = kDear;
      SessionOptions options = with(effort);
      options.seed = 3;
      options.early_kill = false;
      laboratory.tune_unordered(options, workers, timing);
      return laboratory.compile.submitted;
    };
    const std::vector<std::string> first = asked(4, 1);
    CHECK(first.size() > 60);
    CHECK(asked(4, 2) == first);
    CHECK(asked(15, 3) == first);
    CHECK(asked(64, 4) == first);
  }
}

TEST_CASE("a target that is met while the rest is under way is worth a quick search") {
  Laboratory laboratory(task_of(9), basin, 64);
  SessionOptions options;
  options.budget.target_speedup = 1.01;
  const TuneReport report = laboratory.tune_unordered(options, 64, 1);
  CHECK_FALSE(report.stopped_because.empty());
  CHECK(report.decision.effort == Effort::quick);
  CHECK(*report.decision.evaluated < 36);
  CHECK(report.decision.evaluated == report.decision.counters.at("asked"));
  const TuneReport more = laboratory.tune_again(with(Effort::normal));
  CHECK_FALSE(more.from_store);
  CHECK(*more.decision.evaluated == 36);
}

TEST_CASE("rules of the user's own end a search that is worth a quick one, unless it tried everything") {
  Laboratory laboratory(task_of(100), basin);
  CHECK(laboratory.tune({.budget = {.evaluations = 390}}).decision.effort == Effort::quick);
  CHECK(laboratory.tune_again().decision.effort == Effort::full);
  // What raced against the winner of a complete search is worth as much.
  const TuneReport after = laboratory.tune_again({.budget = {.evaluations = 20}});
  CHECK(after.decision.effort == Effort::full);
  CHECK(after.decision.evaluated == 400);
}

TEST_CASE("a search in which a per cent is worth less time than by default is worth a quick one") {
  for (const bool is_hasty : {false, true}) {
    Laboratory laboratory(task_of(100), basin);
    laboratory.compile.milliseconds = kDear;
    SessionOptions options = with(Effort::normal);
    options.percent_worth = is_hasty ? std::chrono::milliseconds(1) : std::chrono::seconds(4);
    CHECK(laboratory.tune(options).decision.effort == (is_hasty ? Effort::quick : Effort::normal));
  }
}

TEST_CASE("a short search with rules of the user's own took the place of a longer one in what the decision says") {
  Laboratory laboratory(task_of(100), basin);
  laboratory.compile.milliseconds = kDear;
  CHECK(laboratory.tune(with(Effort::quick)).decision.evaluated == 60);
  const TuneReport after = laboratory.tune_again({.budget = {.evaluations = 5}});
  CHECK(after.stopped_because == "the budget of 5 configurations is spent");
  CHECK(after.decision.effort == Effort::quick);
  CHECK(after.decision.evaluated == 60);
  CHECK(after.decision.stopped_because == "more than 60 configurations, the least that is tried, do not pay");
  CHECK(laboratory.tune_again({.budget = {.evaluations = 90}}).decision.evaluated == 90);
}

TEST_CASE("whoever asks for more than effort has it measured, and a longer search keeps its name") {
  Laboratory laboratory(task_of(50), basin);
  laboratory.tune(with(Effort::full));
  CHECK(laboratory.tune(with(Effort::quick)).from_store);
  const auto is_measured = [&](const Task& task, const std::function<void(SessionOptions&)>& change) {
    SessionOptions options = with(Effort::quick);
    change(options);
    return !laboratory.tune(task, options).from_store && laboratory.decided()->effort == Effort::full;
  };
  CHECK(is_measured(laboratory.task, [](SessionOptions& options) { options.reuse = false; }));
  CHECK(is_measured(laboratory.task, [](SessionOptions& options) { options.early_kill = false; }));
  CHECK(is_measured(laboratory.task, [](SessionOptions& options) { options.hints = {kFastest}; }));
  CHECK(is_measured(laboratory.task, [](SessionOptions& options) { options.effort.reset(); }));
  CHECK(is_measured(make_task({"BLOCK == 128"}, kernel_of(50)), [](SessionOptions&) {}));
}

TEST_CASE("a search elsewhere lends its effort to no other") {
  Laboratory laboratory(task_of(100), basin);
  CHECK(laboratory.tune(with(Effort::full)).decision.effort == Effort::full);
  cache::Decision imported = *laboratory.decided();
  imported.origin = cache::Origin::imported;
  imported.created_unix_ms += 1;
  laboratory.store.record_decision(imported);
  CHECK(laboratory.tune_again({.budget = {.evaluations = 20}}).decision.effort == Effort::quick);
}

TEST_CASE("a part of the space, searched completely, is a quick search of the space") {
  Laboratory laboratory(make_task({"BLOCK == 128"}, kernel_of(100)), basin);
  CHECK(laboratory.tune(with(Effort::full)).decision.effort == Effort::quick);
}

TEST_CASE("a search that ran out of time decides if enough was timed") {
  for (const std::size_t least : {0, 20, 1000}) {
    CAPTURE(least);
    Laboratory laboratory(task_of(100), basin);
    SessionOptions options = with(Effort::normal);
    options.least_timed = least;
    options.budget.time = std::chrono::milliseconds(1);
    const TuneReport report = laboratory.tune(options);
    CHECK(report.out_of_time);
    CHECK(report.decision.effort == Effort::quick);
    // The baseline is among the trials, and not among what was asked for where the time was spent before the first.
    const auto trials = laboratory.rows();
    const auto timed = std::count_if(trials.begin(), trials.end(),
                                     [](const cache::Trial& trial) { return trial.outcome == Outcome::ok; });
    CHECK(timed > 0);
    CHECK(laboratory.decided().has_value() == (static_cast<std::size_t>(timed) > least));
  }
}

/// Does one step: q, n, f: a search of that effort; i: one that is interrupted; g: forget; s: the source changes,
/// p: the space does, c: what candidates are compared with does; d: another driver; m: what is stored comes from
/// elsewhere, u: from an earlier version; r: what is stored is measured afresh, with effort normal.
struct Story {
  Story() { laboratory.compile.milliseconds = kDear; }

  Laboratory laboratory{task_of(100), basin};
  std::string text = kernel_of(100);
  std::string driver = known_device("H200").driver_version;
  bool answered_from_store = false;
  std::optional<Effort> told;

  Task task() const {
    DeviceInfo device = known_device("H200");
    device.driver_version = driver;
    return Task(parse_descriptions(text, "saxpy.cu").front(), {{"n", 1000}}, device);
  }

  void search(const SessionOptions& options) {
    laboratory.stop = false;
    const TuneReport report = laboratory.tune(task(), options);
    answered_from_store = report.from_store;
    told = report.decision.effort;
  }

  void step(char what) {
    switch (what) {
      case 'q':
        return search(with(Effort::quick));
      case 'n':
        return search(with(Effort::normal));
      case 'f':
        return search(with(Effort::full));
      case 'r': {
        SessionOptions options = with(Effort::normal);
        options.reuse = false;
        return search(options);
      }
      case 'i': {
        laboratory.device.screened.clear();
        laboratory.stop_after(30);
        search(with(Effort::full));
        laboratory.device.on_submit = {};
        return;
      }
      case 'g':
        static_cast<void>(laboratory.store.forget({}, cache::Forget::everything));
        return;
      case 's':
        text += "\n__device__ int unused;\n";
        return;
      case 'p':
        text = kernel_of(99);
        return;
      case 'c':
        text.replace(text.find("default 1"), 9, "default 2");  // the baseline
        return;
      case 'd':
        driver += "1";
        return;
      case 'm':
        return replace([](cache::Decision& decision) { decision.origin = cache::Origin::imported; });
      case 'u':
        return replace([](cache::Decision& decision) { decision.effort.reset(); });
      default:
        FAIL("no such step");
    }
  }

  std::optional<cache::Decision> decided() const { return laboratory.store.find_decision(task().key("cold")); }

  void replace(const std::function<void(cache::Decision&)>& change) {
    cache::Decision decision = decided().value();
    change(decision);
    laboratory.store.record_decision(decision);
  }

  std::string stored() const {
    const auto decision = decided();
    return decision ? std::string(to_string(decision->effort.value())) : "nothing";
  }
};

TEST_CASE("what is served and stored after searches of several efforts") {
  struct Row {
    const char* steps;
    const char* stored;
    bool from_store;  ///< what the last search answered
  };
  for (const Row& row : std::vector<Row>{
           // One search.
           {"q", "quick", false},
           {"n", "normal", false},
           {"f", "full", false},
           // The same effort again goes on, and is no more than that.
           {"qq", "quick", false},
           {"nn", "normal", false},
           {"ff", "full", false},
           // More effort takes the place of less.
           {"qn", "normal", false},
           {"qf", "full", false},
           {"nf", "full", false},
           {"qnf", "full", false},
           // Less effort is answered with what is stored.
           {"nq", "normal", true},
           {"fq", "full", true},
           {"fn", "full", true},
           {"fnq", "full", true},
           {"qnq", "normal", true},
           {"qfn", "full", true},
           // An interrupted search decides nothing, and what was stored stays.
           {"i", "nothing", false},
           {"qi", "quick", false},
           {"iq", "quick", false},
           {"in", "normal", false},
           {"ni", "normal", false},
           {"niq", "normal", true},
           // Forgotten: from the beginning.
           {"fg", "nothing", false},
           {"fgq", "quick", false},
           {"ngn", "normal", false},
           // Another source has no decision yet; another space, or another driver, is searched anew.
           {"fs", "nothing", false},
           {"fsq", "quick", false},
           {"fsqn", "normal", false},
           {"fpq", "quick", false},
           {"fpn", "normal", false},
           {"npf", "full", false},
           {"fdq", "quick", false},
           {"fdnq", "normal", true},
           {"fdn", "normal", false},
           {"fdf", "full", false},
           // So is what is compared with another reference, what an earlier version stored, and what comes from
           // elsewhere.
           {"fcq", "quick", false},
           {"fcn", "normal", false},
           {"fcf", "full", false},
           {"fuq", "quick", false},
           {"fun", "normal", false},
           {"fuf", "full", false},
           {"fmq", "quick", false},
           {"fmn", "normal", false},
           {"fmf", "full", false},
           // Measured afresh, whatever is stored; a winner of more effort has raced then.
           {"nr", "normal", false},
           {"fr", "full", false},
       }) {
    CAPTURE(std::string(row.steps));
    Story story;
    for (const char* step = row.steps; *step != 0; ++step) story.step(*step);
    CHECK(story.stored() == row.stored);
    CHECK(story.answered_from_store == row.from_store);
    if (row.from_store) CHECK(to_string(story.told.value()) == row.stored);
  }
}

}  // namespace
}  // namespace tuner::engine
