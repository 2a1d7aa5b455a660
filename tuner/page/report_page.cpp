#include "tuner/page/report_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cache/records/samples.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/report/payback.hpp"
#include "tuner/core/report/record_json.hpp"
#include "tuner/core/task/decision_text.hpp"
#include "tuner/page/effects.hpp"
#include "tuner/page/table.hpp"
#include "tuner/page/why.hpp"

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
    const auto [known, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return known->second;
  }
  Json json() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

/// The samples of the fastest and of the baseline, by position.
Json samples_json(std::span<const cache::Trial> trials, std::ptrdiff_t baseline) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].outcome == Outcome::ok && trials[i].time_ns && !trials[i].censored) shown.push_back(i);
  }
  const std::size_t count = std::min(shown.size(), kWithSamples);
  std::partial_sort(shown.begin(), shown.begin() + static_cast<std::ptrdiff_t>(count), shown.end(),
                    [&](std::size_t a, std::size_t b) {
                      return std::pair(*trials[a].time_ns, a) < std::pair(*trials[b].time_ns, b);
                    });
  shown.resize(count);
  if (baseline >= 0) shown.push_back(static_cast<std::size_t>(baseline));
  Json samples = Json::object();
  for (const std::size_t i : shown) {
    const std::vector<double>& all = trials[i].samples_ns;
    samples[std::to_string(i)] =
        std::vector<double>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), kMostSamples)));
  }
  return samples;
}

std::optional<int> shared_bytes(const cache::ResourceFacts& facts) {
  if (!facts.static_shared_bytes && !facts.dynamic_shared_bytes) return std::nullopt;
  return facts.static_shared_bytes.value_or(0) + facts.dynamic_shared_bytes.value_or(0);
}

std::optional<int> spilled(const cache::ResourceFacts& facts) {
  if (!facts.spill_store_bytes && !facts.spill_load_bytes) return std::nullopt;
  return facts.spill_store_bytes.value_or(0) + facts.spill_load_bytes.value_or(0);
}

void append(std::string& json, auto number) {
  std::array<char, 32> text{};
  const char* const end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
  // JSON knows neither infinity nor NaN.
  json.append(std::isfinite(static_cast<double>(number)) ? std::string_view(text.data(), end) : "null");
}
template <class T>
void append(std::string& json, const std::optional<T>& number) {
  if (number) {
    append(json, *number);
  } else {
    json += "null";
  }
}

/// `"name":[...]` with what `cell` makes of each. Written as text at once: a million trials as objects of a JSON
/// library take a gigabyte.
template <class Records, class Cell>
std::string column(const char* name, const Records& records, Cell cell) {
  std::string json = fmt::format("\"{}\":[", name);
  for (const auto& one : records) {
    append(json, cell(one));
    json += ',';
  }
  if (json.back() == ',') json.pop_back();
  return json + ']';
}

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
  if (timing_from_string(decision.key.mode) != Timing::cold) command += " --mode " + shell_word(decision.key.mode);
  if (decision.effort) command += fmt::format(" --effort {}", to_string(*decision.effort));
  return command + " --fresh";
}

/// Where configurations are among the trials; -1 for one that is not.
class Positions {
 public:
  Positions(std::span<const cache::Trial> trials, const cache::Decision& decision) {
    for (const std::string* text : {&decision.configuration, &decision.baseline}) first_.emplace(*text, -1);
    for (const cache::Tie& tie : decision.ties) first_.emplace(tie.configuration, -1);
    for (std::size_t i = 0; i < trials.size(); ++i) {
      const auto found = first_.find(trials[i].configuration);
      if (found != first_.end() && found->second < 0) found->second = static_cast<std::ptrdiff_t>(i);
    }
    first_[""] = -1;
  }
  /// For one that the decision names.
  std::ptrdiff_t of(const std::string& configuration) const { return first_.at(configuration); }

 private:
  std::unordered_map<std::string_view, std::ptrdiff_t> first_;
};

/// A list for each column, which takes a fraction of what an object for each trial would.
std::string trials_json(std::span<const cache::Trial> trials, const Table& table, Json& object) {
  Texts outcomes, messages, limiters;
  const auto each = [&](const char* name, auto entry) { return column(name, trials, entry) + ","; };
  using cache::Trial;
  std::string json = "{";
  json += column("rows", table.numbers, [](std::uint32_t number) { return number; }) + ",";
  json += each("time", [](const Trial& t) { return t.outcome == Outcome::ok ? t.time_ns : std::nullopt; });
  json += each("censored", [](const Trial& t) { return t.censored ? 1 : 0; });
  json += each("outcome", [&](const Trial& t) { return outcomes.number_of(std::string(to_string(t.outcome))); });
  json += each("message", [&](const Trial& t) { return messages.number_of(t.message); });
  json += each("registers", [](const Trial& t) { return t.facts.registers; });
  json += each("spills", [](const Trial& t) { return spilled(t.facts); });
  json += each("shared", [](const Trial& t) { return shared_bytes(t.facts); });
  json += each("occupancy", [](const Trial& t) { return t.facts.occupancy; });
  json += each("limiter", [&](const Trial& t) { return limiters.number_of(t.facts.occupancy_limiter); });
  json += each("compile", [](const Trial& t) { return t.compile_ms; });
  json += column("duplicate", trials, [](const Trial& t) { return t.duplicate_of.empty() ? 0 : 1; });
  object["outcomes"] = outcomes.json();
  object["messages"] = messages.json();
  object["limiters"] = limiters.json();
  return json + "}";
}

/// What is known of the trials together, and the trials themselves, as the text that follows.
std::string add_trials(const Subject& subject, Json& object) {
  const std::span<const cache::Trial> trials = subject.trials;
  const Table table = table_of(trials);
  const Positions positions(trials, subject.decision);
  Json unread = Json::array();
  double compile_ms = 0, verify_ms = 0, timing_ms = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const cache::Trial& trial = trials[i];
    if (table.row(i).empty()) unread.push_back({i, trial.configuration});
    compile_ms += trial.compile_ms;
    verify_ms += trial.verify_ms;
    timing_ms += trial.timing_ms;
  }
  Json parameters = Json::array();
  for (const Parameter& parameter : table.parameters) {
    parameters.push_back({{"name", parameter.name}, {"values", parameter.values}});
  }
  Json tied = Json::array();
  for (const cache::Tie& tie : subject.decision.ties) tied.push_back(positions.of(tie.configuration));
  object.update({{"parameters", std::move(parameters)},
                 {"unread", std::move(unread)},
                 {"winner_at", positions.of(subject.decision.configuration)},
                 {"baseline_at", positions.of(subject.decision.baseline)},
                 {"tied_at", std::move(tied)},
                 {"samples", samples_json(trials, positions.of(subject.decision.baseline))},
                 {"spent", {{"compile", compile_ms}, {"verify", verify_ms}, {"timing", timing_ms}}},
                 {"effects", effects_json(table, trials, subject.decision.configuration)}});
  return trials_json(trials, table, object);
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

Json tied_json(const cache::Decision& decision) {
  Json tied = Json::array();
  for (const cache::Tie& tie : decision.ties) tied.push_back(tie.configuration);
  return tied;
}

/// Every text in it as people read it: what a page would hide, or show in another order, is written as its bytes.
void make_printable(Json& json, bool in_message = false) {
  if (auto* const text = json.get_ptr<std::string*>()) {
    *text = in_message ? printable(*text) : one_line(*text, std::string::npos);
  } else if (json.is_structured()) {
    for (auto& [key, value] : json.items()) make_printable(value, in_message || key == "messages");
  }
}

/// JSON that ends no script element: whatever is in a text, there is no `<` in the page's data. ASCII, of which a
/// browser makes half as much memory.
std::string embeddable(const Json& data) {
  std::string text;
  for (const char c : data.dump(-1, ' ', true, Json::error_handler_t::replace)) {
    if (c == '<') {
      text += "\\u003c";
    } else {
      text += c;
    }
  }
  return text;
}

std::string subject_json(const Subject& subject) {
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
              {"why", why_json(subject.texts)},
              {"noisy", decision.noisy},
              {"contended", decision.contended},
              {"launch", decision.launch},
              {"searched", searched_text(decision)},
              {"stopped", decision.stopped_because},
              {"verified", verified_text(decision)},
              {"tuning", tuning == decision.counters.end() ? Json(nullptr) : Json(tuning->second)},
              {"payback", pays ? payback_text(*pays) : std::string()},
              {"command", command_of(decision)}};
  const std::string trials = add_trials(subject, object);
  make_printable(object);
  std::string json = embeddable(object);
  json.pop_back();
  return json + ",\"trials\":" + trials + "}";
}

}  // namespace

std::string report_page(std::span<const Subject> subjects) {
  constexpr std::string_view kPlace = "PAGE_DATA";
  const std::string_view whole = page_template();
  const std::size_t place = whole.find(kPlace);
  std::string page(whole.substr(0, place));
  for (const Subject& subject : subjects) page += (page.size() == place ? "[" : ",") + subject_json(subject);
  return page.append("]").append(whole.substr(place + kPlace.size()));
}

}  // namespace tuner::page
