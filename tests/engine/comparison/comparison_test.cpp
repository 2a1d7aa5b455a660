// Configurations side by side: pairs that are compared, and the path from one to another.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "tests/engine/session/laboratory.hpp"
#include "tuner/engine/comparison/pair.hpp"
#include "tuner/engine/comparison/path.hpp"

namespace tuner::engine {
namespace {

/// The laboratory's lanes without a session.
struct Arena {
  explicit Arena(BehaviourOf behaviour, Task its_task = make_task())
      : laboratory(std::move(its_task), std::move(behaviour), 16) {}

  search::Configuration configuration(const std::string& text) const { return laboratory.task.space().parse(text); }

  Laboratory laboratory;
  SessionOptions options;
  SessionParts parts{laboratory.compile,  laboratory.device, laboratory.store, nullptr,
                     laboratory.observer, laboratory.stop};
  SideBySide side_by_side{laboratory.task, options, parts};
};

PairResult compared(Arena& arena, const std::string& first, const std::string& second, PairOptions options = {}) {
  const auto both = arena.side_by_side.add(
      {{&arena.laboratory.task, arena.configuration(first)}, {&arena.laboratory.task, arena.configuration(second)}});
  return race_pair(arena.side_by_side, both[0], both[1], options);
}

BehaviourOf times(double of_256) {
  return changed([of_256](const std::string& configuration, Behaviour& behaviour) {
    behaviour.time_ns = configuration.starts_with("BLOCK=256") ? of_256 : 1e5;
  });
}

TEST_CASE("a pair is faster, slower or the same by its whole interval") {
  struct Case {
    double time_ns;
    Verdict verdict;
  };
  for (const Case& one : {Case{1e5, Verdict::same}, Case{1.003e5, Verdict::same}, Case{0.97e5, Verdict::faster},
                          Case{1.03e5, Verdict::slower}}) {
    CAPTURE(one.time_ns);
    Arena arena(times(one.time_ns));
    const PairResult result = compared(arena, "BLOCK=128", "BLOCK=256");
    CHECK(result.verdict == one.verdict);
    CHECK(result.ratio.ratio == doctest::Approx(one.time_ns / 1e5).epsilon(0.002));
    CHECK(result.blocks >= 12);
    CHECK(result.second_ns == doctest::Approx(one.time_ns).epsilon(0.003));
  }
}

TEST_CASE("what cannot be told within the time is undecided") {
  Arena arena(times(1.0100e5));
  const PairResult result = compared(arena, "BLOCK=128", "BLOCK=256", {.limit = std::chrono::milliseconds(20)});
  CHECK(result.verdict == Verdict::undecided);
}

TEST_CASE("one that is wrong is not raced, and one that becomes wrong decides nothing") {
  Arena wrong(except("BLOCK=256,UNROLL=1", [](Behaviour& behaviour) { behaviour.run = Outcome::wrong_result; }));
  wrong.side_by_side.add({{&wrong.laboratory.task, wrong.configuration("BLOCK=256")}});
  REQUIRE(wrong.side_by_side[0].failure);
  CHECK(wrong.side_by_side[0].failure->outcome == Outcome::wrong_result);

  Arena later(except("BLOCK=256,UNROLL=1", [](Behaviour& behaviour) { behaviour.wrong_from = 10; }));
  CHECK(compared(later, "BLOCK=128", "BLOCK=256").verdict == Verdict::undecided);
  CHECK(later.side_by_side[1].failure->outcome == Outcome::wrong_result);

  // Once is a hiccup of the GPU, twice is its own doing.
  Arena hiccup(except("BLOCK=256,UNROLL=1", [](Behaviour& behaviour) { behaviour.faults = {3}; }));
  CHECK(compared(hiccup, "BLOCK=128", "BLOCK=256").verdict == Verdict::faster);
  CHECK_FALSE(hiccup.side_by_side[1].failure);
  Arena faults(except("BLOCK=256,UNROLL=1", [](Behaviour& behaviour) { behaviour.faults = {3, 4}; }));
  CHECK(compared(faults, "BLOCK=128", "BLOCK=256").verdict == Verdict::undecided);
  CHECK(faults.side_by_side[1].failure->outcome == Outcome::illegal_access);
  CHECK_FALSE(faults.side_by_side[0].failure);
}

TEST_CASE("two versions run on the same buffers only if they take the same arguments") {
  Arena arena(ordinary);
  const Task same = make_task({}, kernel_with("{}", "{ }"));
  CHECK_NOTHROW(arena.side_by_side.add({{&same, arena.configuration("BLOCK=128")}}));
  const Task more =
      make_task({}, kernel_with("UNROLL, 1, 2, 4; default 1)", "UNROLL, 1, 2, 8; default 2) define(D = 3)"));
  CHECK_NOTHROW(arena.side_by_side.add({{&more, *more.baseline()}}));
  const Task other = make_task({}, kernel_with("in(x, float, n)", "in(x, float, n + 1)"));
  CHECK_THROWS_WITH_AS(arena.side_by_side.add({{&other, arena.configuration("BLOCK=128")}}),
                       doctest::Contains("they differ in the length of `x`"), Error);
}

/// BLOCK makes it 0.5, UNROLL 0.9 of the time, VECTOR nothing; BLOCK=256 needs VECTOR=2 beside it in `bound`.
constexpr const char* kThree = "#pragma tuner param(VECTOR, 1, 2; default 1)\n#pragma tuner param(BLOCK";

Task three_parameters(bool bound = false) {
  std::string text = kernel_with("#pragma tuner param(BLOCK", kThree);
  if (bound) text.replace(text.find("#pragma tuner grid"), 0, "#pragma tuner constraint(BLOCK < 256 or VECTOR == 2)\n");
  return make_task({}, text);
}

BehaviourOf three_effects(double together = 1) {
  return [together](const std::string& configuration) {
    Behaviour behaviour;
    behaviour.time_ns = 1e5;
    const bool block = configuration.find("BLOCK=256") != std::string::npos;
    const bool unroll = configuration.find("UNROLL=2") != std::string::npos;
    if (block) behaviour.time_ns *= 0.5;
    if (unroll) behaviour.time_ns *= 0.9;
    if (block && unroll) behaviour.time_ns *= together;
    return behaviour;
  };
}

Path path(Arena& arena, const PathOptions& options = {}) {
  const auto ends =
      arena.side_by_side.add({{&arena.laboratory.task, arena.configuration("BLOCK=64")},
                              {&arena.laboratory.task, arena.configuration("BLOCK=256,UNROLL=2,VECTOR=2")}});
  return find_path(arena.side_by_side, ends[0], ends[1], options);
}

TEST_CASE("a path makes the changes that bring most first, and says what could stay") {
  Arena arena(three_effects(), three_parameters());
  const Path found = path(arena);
  REQUIRE(found.is_complete);
  REQUIRE(found.steps.size() == 3);
  CHECK(found.steps[0].assignments == "BLOCK=256");
  CHECK(found.steps[1].assignments == "UNROLL=2");
  CHECK(found.steps[2].assignments == "VECTOR=2");
  CHECK(found.steps[0].time.ratio == doctest::Approx(0.5).epsilon(0.01));
  CHECK(*found.steps[0].share == doctest::Approx(std::log(0.5) / std::log(0.45)).epsilon(0.02));
  CHECK_FALSE(found.steps[1].is_idle);
  CHECK(found.steps[2].is_idle);
  CHECK(found.whole.ratio == doctest::Approx(0.45).epsilon(0.01));
  CHECK(found.interactions.empty());
  double product = 1;
  for (const PathStep& step : found.steps) product *= step.time.ratio;
  CHECK(product >= found.whole.low);
  CHECK(product <= found.whole.high);
}

TEST_CASE("parameters that a constraint binds are one step") {
  Arena arena(three_effects(), three_parameters(true));
  const Path found = path(arena);
  REQUIRE(found.is_complete);
  REQUIRE(found.steps.size() == 2);
  CHECK(found.steps[0].assignments == "VECTOR=2,BLOCK=256");
  CHECK(found.steps[1].assignments == "UNROLL=2");
}

TEST_CASE("two changes that do more together are said to") {
  Arena arena(three_effects(0.7), three_parameters());
  const Path found = path(arena);
  REQUIRE(found.interactions.size() == 1);
  CHECK(found.interactions[0].time.ratio == doctest::Approx(0.7).epsilon(0.01));
}

TEST_CASE("a path goes around a configuration that fails while it is timed") {
  Arena arena(
      [](const std::string& configuration) {
        Behaviour behaviour = three_effects()(configuration);
        if (configuration == "BLOCK=256,UNROLL=1,VECTOR=1") behaviour.wrong_from = 10;
        return behaviour;
      },
      three_parameters());
  const Path found = path(arena);
  REQUIRE(found.is_complete);
  CHECK(found.steps[0].assignments == "UNROLL=2");
  CHECK(found.failures.size() == 1);
}

TEST_CASE("a path that has no time says so") {
  Arena none(three_effects(), three_parameters());
  const Path nothing = path(none, {std::chrono::milliseconds(0)});
  CHECK_FALSE(nothing.is_complete);
  CHECK(nothing.note.find("--limit gives it more") != std::string::npos);
}

TEST_CASE("a path that changes nothing has no shares") {
  Arena arena([](const std::string&) { return Behaviour{.time_ns = 1e5}; }, three_parameters());
  const Path found = path(arena);
  REQUIRE(found.is_complete);
  for (const PathStep& step : found.steps) {
    CHECK_FALSE(step.share);
    CHECK(step.is_idle);
  }
}

TEST_CASE("a path goes around a configuration that does not run") {
  Arena arena(
      [](const std::string& configuration) {
        Behaviour behaviour = three_effects()(configuration);
        if (configuration == "BLOCK=256,UNROLL=1,VECTOR=1") behaviour.run = Outcome::launch_refused;
        return behaviour;
      },
      three_parameters());
  const Path found = path(arena);
  REQUIRE(found.is_complete);
  CHECK(found.steps[0].assignments == "UNROLL=2");
  CHECK(found.steps[1].assignments == "BLOCK=256");
  REQUIRE(found.failures.size() == 1);
  CHECK(found.failures[0].starts_with("BLOCK=256,UNROLL=1,VECTOR=1 fails"));
}

}  // namespace
}  // namespace tuner::engine
