#include "tuner/engine/sizes/pack_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "search/portfolio/portfolio.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

/// With a limit on binaries a configuration that loses more than this on every problem is not considered.
constexpr double kConsidered = 0.1;
/// Of two that are equally fast as far as is known, the one that the race saw serves.
constexpr double kUnraced = 1e-9;

/// A configuration on one problem.
struct Timed {
  double slower = 1;  ///< its time / the winner's, at least 1
  PackedBy by = PackedBy::screened;
  cache::Hash binary_hash;
  std::string launch;
};
using TimedConfigurations = std::map<std::string, Timed>;

/// The latest of each configuration that was described and measured as the decision was.
std::map<std::string, cache::Trial> latest_trials(const cache::Decision& decision, const cache::Database& store) {
  const bool is_measured = decision.origin == cache::Origin::measured;
  std::map<std::string, cache::Trial> latest;
  for (cache::Trial& trial : is_measured ? store.find_reusable(decision) : store.find_trials(decision.key)) {
    if (trial.reuse_hash == decision.reuse_hash && trial.conditions == decision.conditions)
      latest.insert_or_assign(trial.configuration, std::move(trial));
  }
  return latest;
}

/// What can be served for a decision's problem.
TimedConfigurations timed_configurations(const cache::Decision& decision, const cache::Database& store) {
  const std::map<std::string, cache::Trial> latest = latest_trials(decision, store);
  TimedConfigurations timed;
  const auto winner = latest.find(decision.configuration);
  const auto is_timed = [](const cache::Trial& trial) {
    return trial.outcome == Outcome::ok && trial.time_ns && *trial.time_ns > 0 && !trial.censored;
  };
  for (const auto& [configuration, trial] : latest) {
    if (!is_timed(trial) || winner == latest.end() || !is_timed(winner->second)) continue;
    const double slower = std::max(1.0, *trial.time_ns / *winner->second.time_ns) * (1 + kUnraced);
    timed[configuration] = {slower, PackedBy::screened, trial.facts.binary_hash, trial.launch};
  }
  for (const cache::Tie& tie : decision.ties) {
    const auto trial = latest.find(tie.configuration);
    if (trial == latest.end() || trial->second.outcome != Outcome::ok) continue;
    timed[tie.configuration] = {std::max(1.0, tie.relative_time), PackedBy::raced, trial->second.facts.binary_hash,
                                trial->second.launch};
  }
  timed[decision.configuration] = {1, PackedBy::won, decision.binary_hash, decision.launch};
  // A database may come from anywhere.
  std::erase_if(timed, [](const auto& one) { return !std::isfinite(one.second.slower); });
  return timed;
}

/// The decision where this one serves in the winner's place: nothing is said of it that was not measured.
cache::Decision served_by(const cache::Decision& decision, const std::string& configuration, const Timed& timed) {
  cache::Decision packed = decision;
  if (timed.by == PackedBy::won) return packed;
  const double slower = timed.slower;
  packed.configuration = configuration;
  packed.time_ns = decision.time_ns * slower;
  packed.binary_hash = timed.binary_hash;
  packed.launch = timed.launch;
  if (packed.speedup) packed.speedup = configuration == packed.baseline ? 1 : *packed.speedup / slower;
  packed.speedup_low = packed.speedup_high = std::nullopt;
  packed.verified = false;
  packed.awkward_sizes = 0;
  packed.counters[kPackedCounter] = std::llround(std::min(slower - 1, 1e6) * 1e6);
  if (timed.by == PackedBy::raced) {
    for (cache::Tie& tie : packed.ties) tie.relative_time /= slower;
  } else {
    packed.ties = {{configuration, 1}};
    packed.race_blocks = 0;
  }
  return packed;
}

std::optional<std::string> key_of(const Task* task, const std::string& configuration) {
  if (task == nullptr) return std::nullopt;
  try {
    return binary_key(*task, task->space().parse(configuration));
  } catch (const Error&) {
    return std::nullopt;  // of an earlier description: no program asks for it
  }
}

/// One decision with everything that could serve it.
struct Choice {
  cache::Decision decision;
  std::shared_ptr<const Task> task;
  std::string why_no_task;
  TimedConfigurations timed;
  /// By binary, the fastest configuration that is compiled to it.
  std::map<std::string, std::string> binaries;
  std::string winner;  ///< the binary
};

std::string binary_text(const Choice& choice, const std::string& configuration) {
  if (const auto key = key_of(choice.task.get(), configuration)) return *key;
  const cache::Hash& hash = choice.timed.at(configuration).binary_hash;
  return hash.empty() ? fmt::format("{} of {}", configuration, choice.decision.key.text()) : hash.text;
}

void find_binaries(Choice& choice, const std::set<std::string>& considered) {
  choice.winner = binary_text(choice, choice.decision.configuration);
  for (const auto& [configuration, timed] : choice.timed) {
    if (!considered.contains(configuration)) continue;
    const auto [best, is_new] = choice.binaries.emplace(binary_text(choice, configuration), configuration);
    if (!is_new && timed.slower < choice.timed.at(best->second).slower) best->second = configuration;
  }
  choice.binaries[choice.winner] = choice.decision.configuration;
}

PackedDecision packed(Choice choice, const std::string& binary) {
  const std::string configuration = choice.binaries.at(binary);
  const Timed& timed = choice.timed.at(configuration);
  PackedDecision result;
  result.by = timed.by;
  result.loss = timed.slower - 1;
  result.decision = served_by(choice.decision, configuration, timed);
  result.binary = binary;
  result.key = key_of(choice.task.get(), configuration);
  result.task = std::move(choice.task);
  result.why_no_task = std::move(choice.why_no_task);
  return result;
}

PackGroup choose(std::vector<Choice> choices, const PackLimits& limits) {
  std::set<std::string> considered, names, winners;
  const double near = limits.most ? kConsidered : limits.within;
  for (const Choice& choice : choices) {
    for (const auto& [configuration, timed] : choice.timed) {
      if (timed.slower <= 1 + near) considered.insert(configuration);
    }
  }
  for (Choice& choice : choices) {
    find_binaries(choice, considered);
    for (const auto& [binary, configuration] : choice.binaries) names.insert(binary);
    winners.insert(choice.winner);
  }
  const std::vector<std::string> columns(names.begin(), names.end());
  std::vector<std::vector<std::optional<double>>> times;
  for (const Choice& choice : choices) {
    auto& row = times.emplace_back(columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const auto found = choice.binaries.find(columns[i]);
      if (found != choice.binaries.end()) row[i] = choice.timed.at(found->second).slower;
    }
  }
  const search::LossMatrix losses(times);
  const search::Portfolio portfolio =
      limits.most ? best_portfolio(losses, *limits.most) : smallest_portfolio(losses, limits.within);

  PackGroup group{.winners = std::move(winners), .exact = portfolio.exact};
  std::set<std::string> members;
  for (const std::size_t member : portfolio.members) members.insert(columns[member]);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Choice& choice = choices[i];
    group.key = choice.decision.key;
    if (!portfolio.serves[i]) {
      group.left_out.push_back(choice.decision.key.problem);
      continue;
    }
    // The winner serves wherever it is there at all, however many are as fast as far as is known.
    const std::string binary = members.contains(choice.winner) ? choice.winner : columns[*portfolio.serves[i]];
    group.members.insert(binary);
    group.decisions.push_back(packed(std::move(choice), binary));
  }
  group.key.problem.clear();
  return group;
}

}  // namespace

std::vector<PackGroup> choose_for_pack(const cache::Database& store, const FindTask& task_of,
                                       const std::function<bool(const cache::DecisionKey&)>& wanted,
                                       const PackLimits& limits) {
  std::map<std::string, std::vector<Choice>> groups;
  for (cache::Decision& decision : store.list_decisions({})) {
    if (decision.origin == cache::Origin::replay || !wanted(decision.key)) continue;
    cache::DecisionKey key = decision.key;
    key.problem.clear();
    auto [task, why] = task_of(decision);
    TimedConfigurations timed = timed_configurations(decision, store);
    groups[key.text()].push_back({std::move(decision), std::move(task), std::move(why), std::move(timed), {}, {}});
  }
  std::vector<PackGroup> packed;
  for (auto& [key, choices] : groups) {
    std::sort(choices.begin(), choices.end(),
              [](const Choice& a, const Choice& b) { return a.decision.key.problem < b.decision.key.problem; });
    packed.push_back(choose(std::move(choices), limits));
  }
  return packed;
}

}  // namespace tuner::engine
