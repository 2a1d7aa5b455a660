#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "tuner/explain/explanation_json.hpp"
#include "tuner/explain/rules.hpp"

namespace tuner::explain {

namespace {

using Parsed = nlohmann::json;
/// The value of a key; null if there is none, or no object to have it.
const Parsed& at(const Parsed& object, const char* key) {
  static const Parsed kNull;
  if (!object.is_object()) return kNull;
  const auto found = object.find(key);
  return found == object.end() ? kNull : *found;
}

// Each leaves what it is given as it was where the value is of another type.

void read(const Parsed& value, std::string& text) {
  if (value.is_string()) text = value.get<std::string>();
}

void read(const Parsed& value, bool& flag) {
  if (value.is_boolean()) flag = value.get<bool>();
}

template <class T>
concept Number = std::is_arithmetic_v<T>;

template <Number T>
bool fits(double value) {
  // Nothing that is counted comes near to what the type can hold, or a double exactly, so that sums of several fit too.
  constexpr int kDigits = std::min(std::numeric_limits<T>::digits - 3, 50);
  const double most = std::ldexp(1.0, kDigits);
  return !std::is_integral_v<T> || (value < most && value >= (std::is_signed_v<T> ? -most : 0));
}

template <Number T>
void read(const Parsed& value, T& number) {
  if (value.is_number() && fits<T>(value.get<double>())) number = static_cast<T>(value.get<double>());
}

template <Number T>
void read(const Parsed& value, std::optional<T>& known) {
  if (value.is_number() && fits<T>(value.get<double>())) known = static_cast<T>(value.get<double>());
}

void read(const Parsed& value, std::vector<std::string>& texts) {
  if (!value.is_array()) return;
  for (const Parsed& one : value) {
    if (one.is_string()) texts.push_back(one.get<std::string>());
  }
}

void read(const Parsed& value, TimeRatio& ratio) {
  read(at(value, "ratio"), ratio.value);
  read(at(value, "low"), ratio.low);
  ratio.high = std::numeric_limits<double>::infinity();  // which is null
  read(at(value, "high"), ratio.high);
}

void read(const Parsed& value, GlobalLoads::ByWidth& counts) {
  constexpr std::array kWidths{"narrower", "bits_32", "bits_64", "bits_128"};
  for (std::size_t i = 0; i < kWidths.size(); ++i) read(at(value, kWidths[i]), counts[i]);
}

void read(const Parsed& value, CodeCounts& counts) {
  read(at(value, "instructions"), counts.instructions);
  for (std::size_t i = 0; i < kWorkKinds; ++i)
    read(at(at(value, "by_work"), std::string(work_name(static_cast<Work>(i))).c_str()), counts.by_work[i]);
  read(at(value, "local_loads"), counts.local_loads);
  read(at(value, "local_stores"), counts.local_stores);
  read(at(value, "shared_loads"), counts.shared_loads);
  read(at(value, "shared_stores"), counts.shared_stores);
  read(at(value, "global_atomics"), counts.global_atomics);
  read(at(value, "shared_atomics"), counts.shared_atomics);
  read(at(value, "double_conversions"), counts.double_conversions);
}

/// The fields of a described record, by their names.
class FieldReader {
 public:
  explicit FieldReader(const Parsed& object) : object_(object) {}
  void operator()(const char* name, cache::Hash& hash) { read(at(object_, name), hash.text); }
  void operator()(const char* name, auto& member) { read(at(object_, name), member); }

 private:
  const Parsed& object_;
};

bool is_launchable(const Geometry& geometry) {
  const auto& [x, y, z] = geometry.grid;
  const auto fits_block = [](std::uint32_t size) { return size <= 1024; };
  return x < 1U << 31 && y < 1U << 16 && z < 1U << 16 && geometry.shared_bytes < 1U << 28 &&
         std::all_of(geometry.block.begin(), geometry.block.end(), fits_block);
}

void read(const Parsed& value, std::optional<Residency>& resident) {
  if (!value.is_object()) return;
  resident.emplace();
  read(at(value, "blocks"), resident->blocks);
  read(at(value, "threads"), resident->threads);
  read(at(value, "occupancy"), resident->occupancy);
  std::string limiter;
  read(at(value, "limiter"), limiter);
  for (const Resource resource : {Resource::warps, Resource::registers, Resource::shared, Resource::blocks}) {
    if (limiter == resource_name(resource)) resident->limiter = resource;
  }
}

void read_code(const Parsed& value, const Parsed& loads, std::optional<MachineCode>& code) {
  if (!value.is_object()) return;
  code.emplace();
  read(at(value, "all"), code->all);
  if (const Parsed& loop = at(value, "loop"); loop.is_object()) read(loop, code->loop.emplace());
  read(at(value, "loads_under_way"), code->under_way.loads);
  read(at(value, "bytes_under_way"), code->under_way.bytes);
  read(at(value, "under_way_in_loop"), code->under_way.in_loop);
  read(at(loads, "to_registers"), code->loads.to_registers);
  read(at(loads, "to_shared"), code->loads.to_shared);
  read(at(loads, "waits_in_loop"), code->loads.waits_in_loop);
}

void read(const Parsed& value, ConfigurationFacts& facts) {
  read(at(value, "name"), facts.name);
  read(at(value, "configuration"), facts.configuration);
  read(at(value, "time_us"), facts.time_ns);
  if (facts.time_ns) *facts.time_ns *= 1e3;
  std::string launch;
  read(at(value, "launch"), launch);
  if (const auto geometry = geometry_from_text(launch); geometry && is_launchable(*geometry))
    facts.geometry = *geometry;
  const Parsed& resources = at(value, "facts");
  FieldReader fields(resources);
  describe(fields, facts.resources);
  read(at(resources, "idle_registers"), facts.idle_registers);
  read(at(value, "resident"), facts.resident);
  read(at(value, "bytes_under_way"), facts.bytes_under_way);
  read_code(at(value, "code"), at(resources, "global_loads"), facts.code);
  const Parsed& counters = at(value, "counters");
  for (auto one = counters.begin(); counters.is_object() && one != counters.end(); ++one) {
    if (one->is_number()) facts.counters[one.key()] = one->get<double>();
  }
}

/// Nothing for a claim that this program does not know; a cause that it does not know has no name.
std::optional<Finding> read_finding(const Parsed& value) {
  Finding finding;
  std::string cause, claim;
  read(at(value, "cause"), cause);
  read(at(value, "claim"), claim);
  for (const std::string_view name : rule_names()) {
    if (name == cause) finding.cause = name;
  }
  bool is_known = false;
  for (const Claim one : {Claim::cause, Claim::consequence, Claim::observation, Claim::unexplained}) {
    if (claim_name(one) != claim) continue;
    finding.claim = one;
    is_known = true;
  }
  read(at(value, "sentence"), finding.sentence);
  read(at(value, "slower"), finding.slower);
  read(at(value, "faster"), finding.faster);
  read(at(value, "strength"), finding.strength);
  return is_known && !finding.sentence.empty() ? std::optional(std::move(finding)) : std::nullopt;
}

void read_path(const Parsed& object, Explanation& explanation) {
  if (const Parsed& path = at(object, "path"); path.is_array()) {
    for (const Parsed& one : path) {
      ExplainedStep& step = explanation.path.emplace_back();
      read(at(one, "change"), step.assignments);
      read(at(one, "time"), step.time);
      read(at(one, "share"), step.share);
      read(at(one, "idle"), step.is_idle);
    }
  }
  if (const Parsed& interactions = at(object, "interactions"); interactions.is_array()) {
    for (const Parsed& one : interactions) {
      ExplainedInteraction& both = explanation.interactions.emplace_back();
      read(at(one, "first"), both.first);
      read(at(one, "second"), both.second);
      read(at(one, "time"), both.time);
    }
  }
}

/// Null if there is none.
const cache::DecisionText* kept_text(std::span<const cache::DecisionText> texts) {
  const auto found = std::find_if(texts.begin(), texts.end(), cache::is_explanation);
  return found == texts.end() ? nullptr : &*found;
}

}  // namespace

std::optional<Explanation> explanation_from_json(std::string_view text) {
  const Parsed object = Parsed::parse(text, nullptr, false);
  if (at(object, "format") != 1 || !at(object, "from").is_object() || !at(object, "to").is_object())
    return std::nullopt;
  Explanation explanation;
  read(at(object, "kernel"), explanation.kernel);
  read(at(object, "file"), explanation.file);
  read(at(object, "problem"), explanation.problem);
  read(at(object, "device"), explanation.device);
  read(at(object, "mode"), explanation.mode);
  read(at(object, "from"), explanation.from);
  read(at(object, "to"), explanation.to);
  if (const Parsed& time = at(object, "time"); time.is_object()) {
    read(time, explanation.time.emplace());
    set_ratios(explanation);
  }
  read(at(object, "blocks"), explanation.blocks);
  read(at(object, "noisy"), explanation.is_noisy);
  if (const Parsed& findings = at(object, "findings"); findings.is_array()) {
    for (const Parsed& one : findings) {
      if (auto finding = read_finding(one)) explanation.findings.push_back(std::move(*finding));
    }
  }
  read_path(object, explanation);
  read(at(object, "path_failures"), explanation.path_failures);
  read(at(object, "path_note"), explanation.path_note);
  read(at(object, "next_steps"), explanation.next_steps);
  if (const Parsed& roofline = at(object, "roofline"); roofline.is_object()) {
    explanation.roofline.emplace();
    read(at(roofline, "share"), explanation.roofline->share);
    read(at(roofline, "bound_us"), explanation.roofline->bound.time_ns);
    explanation.roofline->bound.time_ns *= 1e3;
    read(at(roofline, "text"), explanation.roofline->bound_text);
  }
  read(at(object, "no_counters"), explanation.no_counters);
  read(at(object, "warnings"), explanation.warnings);
  return explanation;
}

std::optional<Explanation> kept_explanation(std::span<const cache::DecisionText> texts) {
  const cache::DecisionText* const text = kept_text(texts);
  return text ? explanation_from_json(text->text) : std::nullopt;
}

bool is_kept(std::span<const cache::DecisionText> texts) {
  return kept_text(texts) != nullptr;
}

}  // namespace tuner::explain
