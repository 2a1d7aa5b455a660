#include "tuner/page/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cache/store/samples.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/report/payback.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/page/effects.hpp"
#include "tuner/page/table.hpp"

namespace tuner::page {

namespace {

using Json = OrderedJson;

/// Of the fastest trials their samples are shown one by one.
constexpr std::size_t kWithSamples = 40;
constexpr std::size_t kMostSamples = 200;   ///< of one trial
constexpr std::size_t kMostFinalists = 24;  ///< and the winner and the baseline
constexpr std::size_t kMostOfRace = 1000;   ///< samples of one finalist

/// Texts that many trials share, each once, and their numbers.
class Texts {
 public:
  std::size_t number_of(const std::string& text) {
    const auto [known, is_new] = numbers_.emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  Json json() const { return texts_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

/// Positions of those whose samples are shown.
std::set<std::size_t> with_samples(std::span<const cache::Trial> trials, const std::string& baseline) {
  std::vector<std::size_t> timed;
  std::set<std::size_t> shown;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].outcome == Outcome::ok && trials[i].time_ns && !trials[i].censored) timed.push_back(i);
    if (trials[i].configuration == baseline) shown.insert(i);
  }
  std::stable_sort(timed.begin(), timed.end(),
                   [&](std::size_t a, std::size_t b) { return *trials[a].time_ns < *trials[b].time_ns; });
  timed.resize(std::min(timed.size(), kWithSamples));
  shown.insert(timed.begin(), timed.end());
  return shown;
}

Json samples_json(const cache::Trial& trial) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(trial.samples_ns.size(), kMostSamples));
  return std::vector<double>(trial.samples_ns.begin(), trial.samples_ns.begin() + count);
}

std::optional<int> shared_bytes(const cache::ResourceFacts& facts) {
  if (!facts.static_shared_bytes && !facts.dynamic_shared_bytes) return std::nullopt;
  return facts.static_shared_bytes.value_or(0) + facts.dynamic_shared_bytes.value_or(0);
}

std::optional<int> spilled(const cache::ResourceFacts& facts) {
  if (!facts.spill_store_bytes && !facts.spill_load_bytes) return std::nullopt;
  return facts.spill_store_bytes.value_or(0) + facts.spill_load_bytes.value_or(0);
}

/// A list for each column, which takes a fraction of what an object for each trial would.
class Columns {
 public:
  Columns() {
    for (const char* name : {"rows", "time", "censored", "outcome", "message", "registers", "spills", "shared",
                             "occupancy", "limiter", "compile", "duplicate", "samples"}) {
      columns_[name] = Json::array();
    }
  }
  void add(const char* name, Json value) { columns_.at(name).push_back(std::move(value)); }
  Json json() && { return std::move(columns_); }

 private:
  Json columns_ = Json::object();
};

Json effects_json(const Table& table, std::span<const cache::Trial> trials, const std::string& winner) {
  Json list = Json::array();
  for (const ParameterEffect& effect : parameter_effects(table, trials, winner)) {
    Json values = Json::array();
    for (const ValueEffect& value : effect.values) {
      values.push_back({{"value", value.value},
                        {"timed", value.timed},
                        {"best", or_null(value.best_ns)},
                        {"ratio", or_null(value.ratio)},
                        {"compared", value.compared},
                        {"around_winner", or_null(value.around_winner)}});
    }
    list.push_back({{"name", effect.name}, {"range", or_null(effect.range)}, {"values", std::move(values)}});
  }
  return list;
}

/// Where the kernel's file lies is not stored with a decision.
std::string command_of(const cache::Decision& decision) {
  std::string command = "tuner tune KERNEL_FILE --kernel " + shell_word(decision.key.kernel_name);
  if (!decision.key.problem.empty()) command += " --problem " + shell_word(decision.key.problem);
  if (decision.key.mode != "cold") command += " --mode " + shell_word(decision.key.mode);
  if (decision.effort) command += fmt::format(" --effort {}", to_string(*decision.effort));
  return command + " --fresh";
}

/// Where the configuration is among the trials; -1 if it is not.
std::ptrdiff_t position_of(std::span<const cache::Trial> trials, const std::string& configuration) {
  const auto found = std::find_if(trials.begin(), trials.end(), [&](const cache::Trial& trial) {
    return !configuration.empty() && trial.configuration == configuration;
  });
  return found == trials.end() ? -1 : found - trials.begin();
}

void add_trials(const Subject& subject, Json& object) {
  const std::span<const cache::Trial> trials = subject.trials;
  const Table table = table_of(trials);
  Texts outcomes, messages, limiters;
  Columns columns;
  Json unread = Json::object();
  const std::set<std::size_t> sampled = with_samples(trials, subject.decision.baseline);
  double compile_ms = 0, verify_ms = 0, timing_ms = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const cache::Trial& trial = trials[i];
    columns.add("rows", table.rows[i]);
    if (table.rows[i].empty()) unread[std::to_string(i)] = trial.configuration;
    columns.add("time", trial.outcome == Outcome::ok ? or_null(trial.time_ns) : Json(nullptr));
    columns.add("censored", trial.censored ? 1 : 0);
    columns.add("outcome", outcomes.number_of(std::string(to_string(trial.outcome))));
    columns.add("message", messages.number_of(trial.message));
    columns.add("registers", or_null(trial.facts.registers));
    columns.add("spills", or_null(spilled(trial.facts)));
    columns.add("shared", or_null(shared_bytes(trial.facts)));
    columns.add("occupancy", or_null(trial.facts.occupancy));
    columns.add("limiter", limiters.number_of(trial.facts.occupancy_limiter));
    columns.add("compile", trial.compile_ms);
    columns.add("duplicate", trial.duplicate_of.empty() ? 0 : 1);
    columns.add("samples", sampled.contains(i) ? samples_json(trial) : Json(0));
    compile_ms += trial.compile_ms;
    verify_ms += trial.verify_ms;
    timing_ms += trial.timing_ms;
  }
  Json parameters = Json::array();
  for (const Parameter& parameter : table.parameters) {
    parameters.push_back({{"name", parameter.name}, {"values", parameter.values}});
  }
  Json tied = Json::array();
  for (const cache::Tie& tie : subject.decision.ties) tied.push_back(position_of(trials, tie.configuration));
  object.update({{"parameters", std::move(parameters)},
                 {"outcomes", outcomes.json()},
                 {"messages", messages.json()},
                 {"limiters", limiters.json()},
                 {"unread", std::move(unread)},
                 {"winner_at", position_of(trials, subject.decision.configuration)},
                 {"baseline_at", position_of(trials, subject.decision.baseline)},
                 {"tied_at", std::move(tied)},
                 {"spent", {{"compile", compile_ms}, {"verify", verify_ms}, {"timing", timing_ms}}},
                 {"effects", effects_json(table, trials, subject.decision.configuration)},
                 {"trials", std::move(columns).json()}});
}

double median(std::vector<double> samples) {
  const std::size_t half = samples.size() / 2;
  std::sort(samples.begin(), samples.end());
  return samples.size() % 2 == 1 ? samples[half] : (samples[half - 1] + samples[half]) / 2;
}

/// The finalists whose samples are stored, the fastest first. What is no list of samples is left out.
Json race_json(const Subject& subject) {
  const cache::Decision& decision = subject.decision;
  std::vector<std::pair<double, Json>> finalists;
  for (const cache::DecisionText& text : subject.texts) {
    if (text.kind != cache::TextKind::samples) continue;
    std::optional<std::vector<double>> samples = cache::doubles_from_json(text.text);
    if (!samples || samples->empty()) continue;
    const double median_ns = median(*samples);
    const std::size_t count = samples->size();
    samples->resize(std::min(count, kMostOfRace));
    finalists.emplace_back(
        median_ns,
        Json{{"configuration", text.name},
             {"differs", fmt::format("{}", fmt::join(differing_assignments(text.name, decision.configuration), " "))},
             {"median", median_ns},
             {"count", count},
             {"samples", *std::move(samples)}});
  }
  std::stable_sort(finalists.begin(), finalists.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Json race = Json::array();
  for (auto& [median_ns, finalist] : finalists) {
    const bool matters =
        finalist["configuration"] == decision.baseline || finalist["configuration"] == decision.configuration;
    if (matters || race.size() < kMostFinalists) race.push_back(std::move(finalist));
  }
  return race;
}

/// The objects of a list, at most as many as a page shows: what else stands there is foreign.
std::vector<Json> objects_of(const Json& list) {
  constexpr std::size_t kMost = 100;
  std::vector<Json> objects;
  if (!list.is_array()) return objects;
  for (const Json& entry : list) {
    if (entry.is_object() && objects.size() < kMost) objects.push_back(entry);
  }
  return objects;
}

/// Those of an object's fields that are texts, numbers or truth values; null for the others.
Json plain_fields(const Json& object, std::initializer_list<const char*> keys) {
  Json kept = Json::object();
  for (const char* const key : keys) {
    const Json value = object.value(key, Json(nullptr));
    kept[key] = value.is_primitive() ? value : Json(nullptr);
  }
  return kept;
}

/// A share that can be shown; null for what is none, or is beyond 1000 %.
Json share_of(const Json& object) {
  constexpr double kMost = 10;
  const Json share = object.value("share", Json(nullptr));
  return share.is_number() && std::abs(share.get<double>()) <= kMost ? share : Json(nullptr);
}

/// The steps of a path with the ratios of their times. Those that no clock gave, by themselves or with the steps before
/// them, would draw bars without an end: such a step has 1 instead of all three.
Json path_json(const Json& steps) {
  constexpr double kMost = 1e6;
  const auto is_ratio = [](double value) { return std::isfinite(value) && value > 0 && value < kMost; };
  Json path = Json::array();
  double state = 1;
  for (const Json& step : objects_of(steps)) {
    Json shown = plain_fields(step, {"change", "idle"});
    shown["share"] = share_of(step);
    const Json time = step.value("time", Json());
    bool has_ratios = time.is_object();
    for (const char* const key : {"ratio", "low", "high"}) {
      const Json value = has_ratios ? time.value(key, Json(nullptr)) : Json(nullptr);
      has_ratios = value.is_number() && is_ratio(value.get<double>());
      if (has_ratios) shown[key] = value;
    }
    if (has_ratios && is_ratio(state * time["ratio"].get<double>())) {
      state *= time["ratio"].get<double>();
    } else {
      for (const char* const key : {"ratio", "low", "high"}) shown[key] = 1;
    }
    path.push_back(std::move(shown));
  }
  return path;
}

/// What `tuner explain` found, as far as the page shows it; null where nothing is stored that can be read.
Json why_json(const Subject& subject) {
  for (const cache::DecisionText& text : subject.texts) {
    if (!cache::is_explanation(text)) continue;
    const Json found = Json::parse(text.text, nullptr, false);
    if (!found.is_object() || (found.contains("format") && found["format"] != 1)) continue;
    Json findings = Json::array();
    for (const Json& finding : objects_of(found.value("findings", Json()))) {
      findings.push_back(plain_fields(finding, {"claim", "sentence"}));
    }
    const Json roofline = found.value("roofline", Json());
    const Json share = roofline.is_object() ? share_of(roofline) : Json(nullptr);
    const bool has_text = !share.is_null() && roofline.value("text", Json()).is_string();
    return {{"findings", std::move(findings)},
            {"path", path_json(found.value("path", Json()))},
            {"share", share},
            {"bound", has_text ? roofline["text"] : Json("")}};
  }
  return nullptr;
}

Json tied_json(const cache::Decision& decision) {
  Json tied = Json::array();
  for (const cache::Tie& tie : decision.ties) tied.push_back(tie.configuration);
  return tied;
}

Json subject_json(const Subject& subject) {
  const cache::Decision& decision = subject.decision;
  const auto tuning = decision.counters.find(kTuningCounter);
  const auto pays = stored_payback(decision);
  Json object{{"number", subject.number},
              {"kernel", decision.key.kernel_name},
              {"problem", decision.key.problem},
              {"device", device_name(decision.key.device)},
              {"identity", decision.key.device},
              {"mode", decision.key.mode},
              {"origin", cache::to_string(decision.origin)},
              {"created", decision.created_unix_ms},
              {"conditions", conditions_json(decision.conditions)},
              {"winner", decision.configuration},
              {"baseline", decision.baseline},
              {"time", decision.time_ns},
              {"baseline_time", or_null(decision.baseline_time_ns)},
              {"speedup", or_null(decision.speedup)},
              {"speedup_low", or_null(decision.speedup_low)},
              {"speedup_high", or_null(decision.speedup_high)},
              {"confidence", decision.confidence},
              {"race_blocks", decision.race_blocks},
              {"ties", decision.ties.size()},
              {"tied", tied_json(decision)},
              {"race", race_json(subject)},
              {"why", why_json(subject)},
              {"noisy", decision.noisy},
              {"contended", decision.contended},
              {"launch", decision.launch},
              {"searched", searched_text(decision)},
              {"stopped", decision.stopped_because},
              {"verified", verified_text(decision)},
              {"tuning", tuning == decision.counters.end() ? Json(nullptr) : Json(tuning->second)},
              {"payback", pays ? payback_text(*pays) : std::string()},
              {"command", command_of(decision)}};
  add_trials(subject, object);
  return object;
}

/// Every text in it as people read it: what a page would hide, or show in another order, is written as its bytes.
void make_printable(Json& json, bool in_message = false) {
  if (auto* const text = json.get_ptr<std::string*>()) {
    *text = in_message ? printable(*text) : one_line(*text, std::string::npos);
  } else if (json.is_structured()) {
    for (auto& [key, value] : json.items()) make_printable(value, in_message || key == "messages");
  }
}

/// JSON that ends no script element: whatever is in a text, there is no `<` in the page's data.
std::string embeddable(const Json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', false, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string report_page(std::span<const Subject> subjects) {
  constexpr std::string_view kPlace = "PAGE_DATA";
  Json data = Json::array();
  for (const Subject& subject : subjects) make_printable(data.emplace_back(subject_json(subject)));
  std::string page(page_template());
  return page.replace(page.find(kPlace), kPlace.size(), embeddable(data));
}

}  // namespace tuner::page
