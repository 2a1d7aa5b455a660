#include "tuner/cli/tune/hints.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/engine/recording/recording.hpp"
#include "tuner/engine/searching/warm_start.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

constexpr std::size_t kMostHints = 100;

std::vector<std::string> names_of(const std::string& hint) {
  std::vector<std::string> names;
  for (const std::string& assignment : split_assignments(hint)) {
    names.push_back(one_line(assignment.substr(0, assignment.find('=')), 100));
  }
  return names;
}

}  // namespace

std::vector<std::string> read_hints(const std::filesystem::path& file) {
  const engine::Recording recording = engine::read_recording(file);
  std::vector<const engine::RecordedTrial*> ran;
  for (const engine::RecordedTrial& trial : recording.trials) {
    if (trial.outcome == Outcome::ok) ran.push_back(&trial);
  }
  if (ran.empty()) {
    throw Error(Errc::bad_recording,
                fmt::format("Every configuration in {} failed, so it has no hints.", file.string()));
  }
  std::stable_sort(ran.begin(), ran.end(), [](const auto* a, const auto* b) { return a->time_ns < b->time_ns; });
  if (ran.size() > kMostHints) ran.resize(kMostHints);
  const search::Space names(recording.parameters, {}, {}, search::Listing::when_needed);
  std::vector<std::string> hints;
  for (const engine::RecordedTrial* trial : ran) hints.push_back(names.text(trial->configuration));
  return hints;
}

void require_hints(const std::vector<std::string>& hints, const std::filesystem::path& file, const Task& task) {
  if (hints.empty()) return;
  if (!engine::hinted_configurations(task, hints).empty()) return;
  const std::string only_baseline = task.baseline() ? task.space().text(*task.baseline()) : "";
  if (hints.size() == 1 && hints.front() == only_baseline) return;  // which runs in any case
  std::vector<std::string> own;
  for (const search::Parameter& parameter : task.space().parameters()) own.push_back(parameter.name);
  throw Error(
      Errc::bad_usage,
      fmt::format("None of the {} fastest configurations in {} is one of `{}`: there the parameters are {}, here "
                  "{}. Name results of the same kernel, or leave --hints out.",
                  hints.size(), file.string(), task.description().kernel, fmt::join(names_of(hints.front()), ", "),
                  fmt::join(own, ", ")));
}

}  // namespace tuner::cli
