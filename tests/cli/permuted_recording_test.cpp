#include "tuner/cli/simulate/permuted_recording.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tuner/core/task/task.hpp"

namespace tuner::cli {
namespace {

/// Every kind of text in which a parameter's name may stand, and places where the same letters are something else.
engine::Recording tangled() {
  engine::Recording recording;
  recording.file = "tangled.csv";
  recording.kernel = "A";
  recording.device.name = "NVIDIA H200";
  recording.device.max_threads_per_block = 1024;
  recording.problem = "n=100";
  recording.parameters = {{"A", {1, 2, 4}, 1}, {"AB", {1, 2, 4}, 1}, {"T", {"float", "A_fast"}, "float"}};
  recording.lets = {{"AREA", "A * AB * sizeof(T)"}};
  recording.restrictions = {"AREA <= 32 and A<=AB", "T == float or T == A_fast", "T != 'A' && AB != 3"};
  recording.grid = {"ceil_div(n, A)"};
  recording.block = {"32 * AB"};
  for (std::uint32_t a = 0; a < 3; ++a) {
    for (std::uint32_t b = a; b < 3; ++b) {
      if ((1 << a) * (1 << b) * 4 > 32) continue;
      engine::RecordedTrial trial;
      trial.configuration.choice = {a, b, 0};
      trial.time_ns = 100 * a + b + 1;
      trial.samples_ns = {trial.time_ns};
      recording.trials.push_back(trial);
    }
  }
  return recording;
}

TEST_CASE("every expression follows the new names, and nothing else changes") {
  engine::Recording recording = tangled();
  recording.parameters[2].values = {"float"};
  recording.restrictions[1] = "T == float";
  std::set<std::vector<std::size_t>> orders;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const PermutedRecording other = permuted(recording, seed);
    orders.insert(other.order);
    const Task before = engine::recorded_task(recording);
    const Task after = engine::recorded_task(other.recording);
    REQUIRE(after.space().size() == before.space().size());
    for (std::size_t i = 0; i < recording.trials.size(); ++i) {
      const search::Configuration& moved = other.recording.trials[i].configuration;
      CHECK(moved == permuted(recording.trials[i].configuration, other.order));
      CHECK(other.recording.trials[i].time_ns == recording.trials[i].time_ns);
      CHECK(after.space().contains(moved));
      CHECK(after.geometry(moved) == before.geometry(recording.trials[i].configuration));
      for (std::size_t p = 0; p < other.order.size(); ++p) {
        CHECK(after.space().value(moved, p) == before.space().value(recording.trials[i].configuration, other.order[p]));
      }
    }
    for (const search::Parameter& parameter : other.recording.parameters) {
      CHECK(parameter.name != "A");
      CHECK(parameter.name != "AB");
      CHECK(parameter.name != "T");
    }
  }
  CHECK(orders.size() == 6);
}

TEST_CASE("names that only begin like a parameter, quotations and named values stay") {
  const PermutedRecording other = permuted(tangled(), 0);
  const std::string& text = other.recording.restrictions[2];
  CHECK(text.find("!= 'A' && ") != std::string::npos);
  CHECK(other.recording.restrictions[0].starts_with("AREA <= 32 and permuted_"));
  CHECK(other.recording.restrictions[1].ends_with("== A_fast"));
  CHECK(other.recording.lets[0].first == "AREA");
}

TEST_CASE("new names are none that the recording has") {
  engine::Recording recording = tangled();
  recording.lets[0].first = "permuted_1";
  recording.restrictions[0] = "permuted_1 <= 32 and A<=AB";
  for (const search::Parameter& parameter : permuted(recording, 0).recording.parameters) {
    CHECK(parameter.name.starts_with("permuted__"));
  }
}

}  // namespace
}  // namespace tuner::cli
