#include "tuner/engine/sizes/stored_sizes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace tuner::engine {

namespace {

/// What loses more than this everywhere serves nothing.
constexpr double kWorthKeeping = 0.1;

struct Measured {
  std::map<std::string, double> times_ns;  ///< by configuration
  std::set<std::string> tried;
};

Measured measured(const cache::Decision& decision, const std::vector<cache::Trial>& trials) {
  Measured result;
  std::map<std::string, const cache::Trial*> latest;
  for (const cache::Trial& trial : trials) {
    if (trial.reuse_hash == decision.reuse_hash) latest[trial.configuration] = &trial;
  }
  const auto winner = latest.find(decision.configuration);
  const auto time_of = [](const cache::Trial& trial) {
    const bool is_time = trial.outcome == Outcome::ok && trial.time_ns && !trial.censored;
    return is_time ? trial.time_ns : std::nullopt;
  };
  const auto of_winner = winner == latest.end() ? std::nullopt : time_of(*winner->second);
  for (const auto& [configuration, trial] : latest) {
    result.tried.insert(configuration);
    const auto time = time_of(*trial);
    // Screening is on another scale than the race: an hour later, or with other clocks.
    if (time && of_winner) result.times_ns[configuration] = decision.time_ns * *time / *of_winner;
  }
  for (const cache::Tie& tie : decision.ties) result.times_ns[tie.configuration] = decision.time_ns * tie.relative_time;
  result.times_ns[decision.configuration] = decision.time_ns;
  for (const auto& [configuration, time] : result.times_ns) result.tried.insert(configuration);
  return result;
}

}  // namespace

bool StoredSizes::is_winner(std::size_t configuration) const {
  return std::any_of(decisions.begin(), decisions.end(), [&](const cache::Decision& decision) {
    return decision.configuration == configurations[configuration];
  });
}

search::LossMatrix StoredSizes::losses(const std::map<std::string, double>& weights) const {
  std::vector<double> in_order;
  for (const cache::Decision& decision : decisions) {
    const auto weight = weights.find(decision.key.problem);
    in_order.push_back(weight == weights.end() ? 1 : weight->second);
  }
  return search::LossMatrix(times_ns, std::move(in_order));
}

StoredSizes stored_sizes(const cache::Store& store, const cache::DecisionKey& key,
                         const std::map<std::string, double>* among) {
  StoredSizes sizes;
  for (const cache::Site& site : store.list_sites(key)) {
    if (site.device != key.device || (among != nullptr && !among->contains(site.problem))) continue;
    if (auto decision = store.find_decision(site.row)) sizes.decisions.push_back(*std::move(decision));
  }
  std::sort(sizes.decisions.begin(), sizes.decisions.end(),
            [](const cache::Decision& a, const cache::Decision& b) { return a.key.problem < b.key.problem; });
  std::vector<Measured> all;
  std::set<std::string> near;
  for (const cache::Decision& decision : sizes.decisions) {
    all.push_back(measured(decision, store.find_trials(decision.key)));
    for (const auto& [configuration, time] : all.back().times_ns) {
      if (time <= decision.time_ns * (1 + kWorthKeeping)) near.insert(configuration);
    }
  }
  sizes.configurations.assign(near.begin(), near.end());
  for (const Measured& one : all) {
    auto& times = sizes.times_ns.emplace_back();
    auto& tried = sizes.tried.emplace_back();
    for (const std::string& configuration : sizes.configurations) {
      const auto time = one.times_ns.find(configuration);
      times.push_back(time == one.times_ns.end() ? std::nullopt : std::optional(time->second));
      tried.push_back(one.tried.contains(configuration));
    }
  }
  return sizes;
}

}  // namespace tuner::engine
