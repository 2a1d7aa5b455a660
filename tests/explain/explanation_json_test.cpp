#include "tuner/explain/explanation_json.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tuner/explain/rules.hpp"

namespace tuner::explain {
namespace {

ConfigurationFacts side(const char* name, int registers) {
  ConfigurationFacts facts;
  facts.name = name;
  facts.configuration = "REGISTERS=" + std::to_string(registers);
  facts.time_ns = 1000.0 * registers;
  facts.geometry = {.grid = {528, 2, 3}, .block = {32, 4, 1}, .shared_bytes = 1024};
  facts.resources.registers = registers;
  facts.resources.spill_store_bytes = 8;
  facts.resources.occupancy = 0.25;
  facts.resources.occupancy_limiter = "registers";
  facts.resources.binary_hash.text = "e4c511ca47bb0a6d174be4d683496243";
  facts.idle_registers = 3;
  MachineCode& code = facts.code.emplace();
  code.all.instructions = 99;
  code.all.by_work[static_cast<std::size_t>(Work::local)] = 5;
  code.all.local_loads = 3;
  code.all.local_stores = 2;
  code.all.shared_loads = {0, 1, 2, 3};
  code.all.shared_stores = {1, 0, 0, 0};
  code.all.global_atomics = 1;
  code.all.shared_atomics = 4;
  code.all.double_conversions = 6;
  code.loop = CodeCounts{.instructions = 40};
  code.loads.to_registers = {0, 4, 0, 1};
  code.loads.to_shared = {0, 0, 0, 2};
  code.loads.waits_in_loop = 3;
  code.under_way = {.loads = 2, .bytes = 32, .in_loop = true};
  facts.counters = {{std::string(counter::kInstructions), 5837568},
                    {std::string(counter::kIssueActive), 0.5},
                    {std::string(counter::kWarpLatency), 20}};
  add_derived(facts, known_device("H200"));
  return facts;
}

Explanation everything() {
  Explanation explanation;
  explanation.kernel = "count_kinds";
  explanation.file = "count \"kinds\".cu";
  explanation.problem = "n=1";
  explanation.device = "NVIDIA H200";
  explanation.mode = "cold";
  explanation.from = side("the baseline", 96);
  explanation.to = side("the winner", 32);
  explanation.time = TimeRatio{0.45, 0.5, 0.55};
  explanation.blocks = 39;
  explanation.is_noisy = true;
  explanation.path = {{"REGISTERS=32", {0.4, 0.5, 0.6}, 0.9, false}, {"UNROLL=2", {0.99, 1, 1.01}, 0.1, true}};
  explanation.interactions = {{"REGISTERS=32", "UNROLL=2", {1, 1.1, 1.2}}};
  explanation.path_failures = {"it fails"};
  explanation.next_steps = {"24 registers would let more blocks be resident"};
  explanation.roofline = RooflineReport{{}, {.time_ns = 500}, "its bytes take 0.5 us", 0.8};
  explanation.no_counters = "Counters are refused.";
  explanation.warnings = {"one", "two"};
  explain_again(explanation, known_device("H200"));
  return explanation;
}

}  // namespace

TEST_CASE("an explanation is read as it was written, in JSON, in words, and to the rules") {
  const Explanation written = everything();
  REQUIRE_FALSE(written.findings.empty());
  std::optional<Explanation> read = explanation_from_json(to_json(written));
  REQUIRE(read);
  CHECK(to_json(*read) == to_json(written));
  CHECK(to_text(*read, 100) == to_text(written, 100));
  CHECK(to_markdown(*read) == to_markdown(written));
  const std::string sentence = written.findings.front().sentence;
  explain_again(*read, known_device("H200"));
  CHECK(to_json(*read) == to_json(written));
  CHECK(read->findings.front().sentence == sentence);
}

TEST_CASE("why there is no path stands under a heading of its own") {
  Explanation explanation = everything();
  explanation.path.clear();
  explanation.path_note = "the time was spent";
  CHECK(to_text(explanation, 100)
            .find("\n\nThe path from the baseline to the winner\n  path       not found: the time was spent\n") !=
        std::string::npos);
}

TEST_CASE("a page has what the text has: what failed on the way, a note on the path, the next steps") {
  Explanation explanation = everything();
  explanation.path_note = "half of the time was spent";
  const std::string page = to_markdown(explanation);
  for (const char* part : {"\n\nNote: half of the time was spent.\n\n- On the way: it fails\n\n| |",
                           "\n\n- Further: 24 registers would let more blocks be resident\n"}) {
    CAPTURE(part);
    CHECK(page.find(part) != std::string::npos);
  }
}

TEST_CASE("a page names the configuration of a kernel without parameters") {
  Explanation explanation = everything();
  explanation.to.configuration = "";
  CHECK(to_markdown(explanation).find(": `(no parameters)`\n") != std::string::npos);
}

TEST_CASE("what is not known of a configuration is not known after reading either") {
  Explanation nothing;
  const std::optional<Explanation> read = explanation_from_json(to_json(nothing));
  REQUIRE(read);
  CHECK(to_json(*read) == to_json(nothing));
  CHECK_FALSE(read->time);
  CHECK_FALSE(read->to.code);
  CHECK_FALSE(read->to.resources.registers);
  CHECK_FALSE(read->roofline);
}

TEST_CASE("what is no explanation is nothing, and what is damaged in one is not known") {
  for (const char* text : {"", "{", "[]", "null", "{}", R"({"format":1})", R"({"format":2,"from":{},"to":{}})",
                           R"({"format":1,"from":[],"to":{}})", "\xff"})
    CHECK_FALSE(explanation_from_json(text));
  const auto read = explanation_from_json(
      R"({"format":1,"from":{"launch":"grid=4294967296x1x1 block=1x1x1 shared=0","facts":{"registers":1e300},
          "counters":{"a":"b"},"code":{"all":[],"loop":3}},"to":{"facts":7,"time_us":true},"kernel":9,"blocks":-1,
          "time":{"ratio":0,"low":-1},"findings":[4,{"claim":"guess","sentence":"x"},
          {"claim":"cause","cause":"later","sentence":"y"}],"path":{},"interactions":[null],"warnings":[1,"w"]})");
  REQUIRE(read);
  CHECK(read->kernel.empty());
  CHECK(read->from.geometry == Geometry{});
  CHECK_FALSE(read->from.resources.registers);
  CHECK(read->from.counters.empty());
  CHECK_FALSE(read->from.code->loop);
  CHECK_FALSE(read->to.time_ns);
  CHECK(read->blocks == 0);
  REQUIRE(read->findings.size() == 1);
  CHECK(read->findings[0].cause.empty());
  CHECK(read->warnings == std::vector<std::string>{"w"});
  CHECK_FALSE(to_text(*read, 80).empty());
}

TEST_CASE("an explanation that was damaged anywhere is nothing, or can be shown and explained") {
  const std::string text = to_json(everything());
  for (std::size_t at = 0; at < text.size(); at += 3) {
    for (const char other : {'9', '-', '"', 'e', ','}) {
      std::string damaged = text;
      damaged[at] = other;
      std::optional<Explanation> read = explanation_from_json(damaged);
      if (!read) continue;
      explain_again(*read, known_device("H200"));
      CHECK_FALSE((to_text(*read, 80) + to_markdown(*read) + to_json(*read)).empty());
    }
  }
}

TEST_CASE("every beginning of an explanation's text is nothing") {
  const std::string text = to_json(everything());
  for (std::size_t length = 0; length + 2 < text.size(); length += 7)
    CHECK_FALSE(explanation_from_json(std::string_view(text).substr(0, length)));
}

TEST_CASE("of two explanations the one that stays has more parts, or is twice as certain") {
  const Explanation full = everything();
  const auto without = [&](auto take) {
    Explanation less = full;
    take(less);
    CHECK(says_more(full, less));
    CHECK_FALSE(says_more(less, full));
  };
  without([](Explanation& one) { one.path.clear(); });
  without(
      [](Explanation& one) { one.path_note = "half of the time was spent, so the last step is all that was left"; });
  without([](Explanation& one) { one.to.counters.clear(); });
  without([](Explanation& one) { one.roofline.reset(); });
  without([](Explanation& one) { one.time.reset(); });
  without([](Explanation& one) { one.time->high = 0.66; });
  without([](Explanation& one) { one.time->high = std::numeric_limits<double>::infinity(); });
  Explanation similar = full;
  similar.time->high = 0.64;
  CHECK_FALSE(says_more(full, similar));
  CHECK_FALSE(says_more(full, full));
  Explanation untimed = full;
  untimed.time.reset();
  CHECK_FALSE(says_more(untimed, untimed));
}

}  // namespace tuner::explain
