#include "tuner/engine/recording/foreign_rows.hpp"

#include <algorithm>
#include <numeric>

#include "tuner/engine/measure/statistics.hpp"

namespace tuner::engine {

namespace {

/// Each is compared with all before it. Kernels have dozens.
constexpr std::size_t kMostParameters = 1000;

}  // namespace

void ForeignRows::declare(const JsonNode& node, std::string_view name, const std::vector<search::Value>& values) {
  if (recording_.parameters.size() == kMostParameters) node.fail("there are more than {} parameters", kMostParameters);
  const bool is_name = !name.empty() && std::none_of(name.begin(), name.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20 || byte == 0x7f || c == '=' || c == ',' || c == '"';
  });
  if (!is_name) node.fail("`{}` cannot be the name of a parameter: names contain no blanks and none of = , \"", name);
  for (const search::Parameter& other : recording_.parameters) {
    if (other.name == name) node.fail("the parameter `{}` is named twice", name);
  }
  declared_ = declared_ || !values.empty();
  recording_.parameters.push_back({std::string(name), {}, {}});
  positions_.emplace_back();
  for (const search::Value& value : values) {
    std::vector<search::Value>& known = recording_.parameters.back().values;
    if (positions_.back().emplace(value.text(), known.size()).second) known.push_back(value);
  }
}

std::uint32_t ForeignRows::choice(const JsonNode& node, std::size_t parameter, const search::Value& value) {
  search::Parameter& known = recording_.parameters[parameter];
  const std::string text = value.text();
  auto& positions = positions_[parameter];
  if (const auto found = positions.find(text); found != positions.end()) return found->second;
  if (declared_) {
    if (const auto equal = known.position_of(value)) return positions.emplace(text, *equal).first->second;
    node.fail("{} is not among the declared values of {}", text, known.name);
  }
  const auto position = static_cast<std::uint32_t>(known.values.size());
  known.values.push_back(value);
  positions.emplace(text, position);
  return position;
}

void ForeignRows::add(const JsonNode& node, const NamedValues& values, RecordedTrial trial) {
  std::vector<search::Parameter>& parameters = recording_.parameters;
  if (parameters.empty()) {
    for (const auto& [name, value] : values) declare(node, name, {});
  }
  if (values.size() != parameters.size()) {
    node.fail("the configuration has {} parameters, but there are {} elsewhere", values.size(), parameters.size());
  }
  trial.configuration.choice.resize(parameters.size());
  std::vector<bool> given(parameters.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto& [name, value] = values[i];
    std::size_t at = i;  // as a rule in the same order
    if (parameters[at].name != name) {
      at = static_cast<std::size_t>(std::find_if(parameters.begin(), parameters.end(),
                                                 [&name = name](const auto& other) { return other.name == name; }) -
                                    parameters.begin());
    }
    if (at == parameters.size()) node.fail("no configuration before it has a parameter `{}`", name);
    if (given[at]) node.fail("the parameter `{}` is given twice", name);
    given[at] = true;
    trial.configuration.choice[at] = choice(node, at, value);
  }
  if (trial.outcome == Outcome::ok) {
    trial.relative_deviation = relative_deviation(trial.samples_ns);
    trial.samples_ns = {trial.time_ns};
  } else {
    trial.time_ns = 0;
    trial.samples_ns.clear();
  }
  if (known_.insert(trial.configuration).second) recording_.trials.push_back(std::move(trial));
}

/// Numbers in ascending order, then everything else as it came.
void ForeignRows::sort_values(std::size_t parameter) {
  std::vector<search::Value>& values = recording_.parameters[parameter].values;
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (values[a].is_name() || values[b].is_name()) return !values[a].is_name() && values[b].is_name();
    return values[a].as_real() < values[b].as_real();
  });
  std::vector<search::Value> sorted;
  std::vector<std::uint32_t> position(values.size());
  for (const std::uint32_t before : order) {
    position[before] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(values[before]));
  }
  values = std::move(sorted);
  for (RecordedTrial& trial : recording_.trials) {
    trial.configuration.choice[parameter] = position[trial.configuration.choice[parameter]];
  }
}

void ForeignRows::finish(const JsonNode& node) {
  if (recording_.trials.empty()) node.fail("contains no configuration");
  for (std::size_t i = 0; i < recording_.parameters.size(); ++i) {
    if (!declared_) sort_values(i);
    recording_.parameters[i].default_value = recording_.parameters[i].values.front();
  }
  recording_.rows_are_space = true;
  for (const RecordedTrial& trial : recording_.trials) {
    if (trial.outcome != Outcome::ok) continue;
    if (!recording_.baseline || trial.configuration < *recording_.baseline) recording_.baseline = trial.configuration;
  }
}

void take_time(const JsonNode& time, double unit_ns, RecordedTrial& trial) {
  trial.time_ns = time.any_number() * unit_ns;
  if (is_time(trial.time_ns)) return;
  trial.outcome = Outcome::launch_refused;
  trial.message = fmt::format("recorded with a time of {}", time.text());
}

std::vector<double> foreign_samples(const JsonNode& list, double unit_ns) {
  std::vector<double> samples;
  for (const JsonNode& element : list.elements()) {
    const double ns = element.any_number() * unit_ns;
    if (is_time(ns)) samples.push_back(ns);
  }
  return samples;
}

double spent_ms(const JsonNode& row, std::string_view key, double unit_ns) {
  const auto spent = row.find(key);
  if (!spent) return 0;
  const double ms = spent->number() * unit_ns / 1e6;
  if (!(ms >= 0 && ms < 1e15)) spent->fail("is no duration");
  return ms;
}

double unit_ns(const JsonNode& unit) {
  std::string name = unit.string();
  std::transform(name.begin(), name.end(), name.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (name == "ns" || name == "nanoseconds") return 1;
  if (name == "us" || name == "microseconds") return 1e3;
  if (name == "ms" || name == "milliseconds") return 1e6;
  if (name == "s" || name == "seconds") return 1e9;
  unit.fail("`{}` is not a unit of time; write ns, us, ms or s", unit.string());
}

}  // namespace tuner::engine
