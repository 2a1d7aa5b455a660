#include "tuner/cli/given/decisions.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/expression/expression.hpp"
#include "tuner/cli/given/stores.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/core/task/doubts_json.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::cli {

namespace {

using Json = OrderedJson;

/// Makes one line of each text of a record.
struct OneLine {
  void operator()(const char*, std::string& text) const { text = one_line(text); }
  void operator()(const char* name, cache::Hash& hash) const { (*this)(name, hash.text); }
  template <class T>
  void operator()(const char*, T&) const {}
};

/// Of each configuration the trial that was recorded last, in order.
std::vector<cache::Trial> latest(std::vector<cache::Trial> trials) {
  std::vector<bool> is_last(trials.size());
  {
    std::unordered_set<std::string_view> seen;
    seen.reserve(trials.size());
    for (std::size_t i = trials.size(); i-- > 0;) is_last[i] = seen.insert(trials[i].configuration).second;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (!is_last[i]) continue;
    if (count != i) trials[count] = std::move(trials[i]);
    ++count;
  }
  trials.resize(count);
  return trials;
}

}  // namespace

std::optional<std::size_t> number_in(const std::string& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::vector<NumberedDecision> numbered_decisions(const cache::Database& store) {
  std::vector<NumberedDecision> numbered;
  std::vector<cache::Decision> decisions = store.list_decisions({});
  std::size_t number = decisions.size();
  for (cache::Decision& decision : decisions) numbered.push_back({number--, std::move(decision)});
  return numbered;
}

cache::Decision shown(cache::Decision decision) {
  const OneLine show;
  describe(show, decision);
  for (cache::Tie& tie : decision.ties) describe(show, tie);
  std::map<std::string, std::int64_t> counters;
  for (const auto& [name, count] : decision.counters) counters[one_line(name)] = count;
  decision.counters = std::move(counters);
  return decision;
}

Json decision_json(const NumberedDecision& numbered) {
  const cache::Decision& decision = numbered.decision;
  RecordJson fields;
  describe_columns(fields, decision);
  Json object = std::move(fields.object);
  object.update({{"number", numbered.number},
                 {"kernel", decision.key.kernel_name},
                 {"kernel_identity", decision.key.kernel_identity},
                 {"problem", decision.key.problem},
                 {"device", decision.key.device},
                 {"mode", decision.key.mode},
                 {"objective", decision.key.objective},
                 {"configuration", decision.configuration},
                 {"ties", ties_json(decision.ties)},
                 {"not_compared", not_compared_json(not_compared_in(decision.counters))},
                 {"unproven", unproven_json(unproven_in(decision.counters))},
                 {"beyond_memory", beyond_memory_json(beyond_memory_in(decision.counters))},
                 {"like_rounding", like_rounding_json(like_rounding_in(decision.counters))},
                 {"effort", decision.effort ? Json(to_string(*decision.effort)) : Json(nullptr)},
                 {"counters", decision.counters},
                 {"conditions", conditions_json(decision.conditions)},
                 {"origin", cache::to_string(decision.origin)},
                 {"session", decision.session}});
  Json ordered = chosen(object, {"number",      "kernel",         "kernel_identity",  "problem",
                                 "device",      "mode",           "objective",        "configuration",
                                 "time_us",     "baseline",       "baseline_time_us", "speedup",
                                 "speedup_low", "speedup_high",   "confidence",       "race_blocks",
                                 "ties",        "verified",       "awkward_sizes",    "not_compared",
                                 "unproven",    "noisy",          "contended",        "launch",
                                 "binary_hash", "counters",       "conditions",       "origin",
                                 "session",     "created_unix_ms"});
  ordered.update(object);  // what was added since goes last
  return ordered;
}

Json quarantined_json(const cache::Quarantined& quarantined) {
  return {{"kernel", quarantined.key.kernel_name},
          {"kernel_identity", quarantined.key.kernel_identity},
          {"problem", quarantined.key.problem},
          {"device", quarantined.key.device},
          {"mode", quarantined.key.mode},
          {"configuration", quarantined.configuration},
          {"outcome", to_string(quarantined.outcome)},
          {"message", text_or_null(quarantined.message)},
          {"launch", quarantined.launch},
          {"binary_hash", quarantined.binary_hash.text},
          {"driver", text_or_null(quarantined.driver)},
          {"session", quarantined.session},
          {"created_unix_ms", quarantined.created_unix_ms}};
}

Json trial_json(const cache::Trial& trial) {
  RecordJson fields;
  describe_columns(fields, trial);
  fields.object["configuration"] = trial.configuration;
  fields.object["conditions"] = conditions_json(trial.conditions);
  fields.object["origin"] = cache::to_string(trial.origin);
  fields.object["session"] = trial.session;
  return chosen(
      fields.object,
      {"configuration", "outcome",           "message",          "time_us",   "censored",          "samples_us",
       "registers",     "spill_store_bytes", "spill_load_bytes", "occupancy", "occupancy_limiter", "launch",
       "duplicate_of",  "compile_ms",        "verify_ms",        "timing_ms", "conditions",        "origin",
       "session",       "sequence",          "created_unix_ms"});
}

std::vector<NumberedDecision> called(const std::string& name, const std::vector<NumberedDecision>& all,
                                     const cache::Database& store, const std::string& path,
                                     const std::string& elsewhere) {
  std::vector<NumberedDecision> found;
  std::vector<std::string> kernels;
  const std::optional<std::size_t> number = number_in(name);
  for (const NumberedDecision& numbered : all) {
    kernels.push_back(numbered.decision.key.kernel_name);
    if (number ? numbered.number == *number : kernels.back() == name) found.push_back(numbered);
  }
  if (!found.empty()) return found;
  if (number) {
    say(fmt::format("There is no decision number {}; `tuner list` shows the numbers.{}", name, elsewhere));
  } else if (!store.list_keys({.kernel_name = name}).empty()) {
    say(no_decision(&store, name, path) + elsewhere);
  } else {
    const std::string nearest = search::nearest_name(name, kernels);
    say(fmt::format("Nothing is stored for a kernel `{}`.{} `tuner list` shows what is stored.{}", name,
                    nearest.empty() ? "" : fmt::format(" Did you mean `{}`?", nearest), elsewhere));
  }
  return found;
}

std::vector<cache::Trial> trials_behind(const cache::Decision& decision, const cache::Database& store) {
  if (decision.origin == cache::Origin::measured) {
    return store.find_reusable(decision);
  }
  std::vector<cache::Trial> trials = store.find_trials(decision.key);
  std::erase_if(trials, [&](const cache::Trial& trial) { return trial.session != decision.session; });
  return latest(std::move(trials));
}

void print_json(const Json& object) {
  std::fputs((printable_json(object.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n").c_str(), stdout);
}

}  // namespace tuner::cli
