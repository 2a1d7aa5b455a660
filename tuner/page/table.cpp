#include "tuner/page/table.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "search/expression/value.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/error.hpp"

namespace tuner::page {

namespace {

/// A parameter and a value, by their numbers.
struct Assignment {
  std::uint32_t parameter;
  std::uint32_t value;
};

/// Gives names and values numbers, in the order in which they are met. What it is given must outlive it.
class Numbering {
 public:
  /// Nothing if the configuration is no list of assignments.
  std::vector<Assignment> assignments_of(const std::string& configuration) {
    const std::vector<std::string_view> parts = assignment_parts(configuration);
    const auto is_none = [](std::string_view part) { return part.find('=') == std::string_view::npos; };
    if (std::any_of(parts.begin(), parts.end(), is_none)) return {};
    std::vector<Assignment> assignments;
    for (const std::string_view part : parts) {
      const std::size_t equals = part.find('=');
      const std::uint32_t parameter = parameter_of(part.substr(0, equals), assignments.size());
      const auto next = static_cast<std::uint32_t>(values_[parameter].size());
      const auto [value, is_new] = values_[parameter].emplace(part.substr(equals + 1), next);
      if (is_new) parameters[parameter].values.emplace_back(value->first);
      assignments.push_back({parameter, value->second});
    }
    return assignments;
  }

  std::vector<Parameter> parameters;

 private:
  std::uint32_t parameter_of(std::string_view name, std::size_t likely) {
    if (likely < parameters.size() && parameters[likely].name == name) return static_cast<std::uint32_t>(likely);
    const auto [position, is_new] = positions_.emplace(name, static_cast<std::uint32_t>(parameters.size()));
    if (is_new) {
      parameters.push_back({std::string(name), {}});
      values_.emplace_back();
    }
    return position->second;
  }

  std::unordered_map<std::string_view, std::uint32_t> positions_;
  std::vector<std::unordered_map<std::string_view, std::uint32_t>> values_;
};

/// The number that a value is; nothing for a name, or for what cannot be read.
std::optional<double> number_of(const std::string& text) {
  try {
    const search::Value value = search::Value::parse(text);
    if (value.is_number()) return value.as_real();
  } catch (const Error&) {
    // A row of another program may hold anything.
  }
  return std::nullopt;
}

/// Puts numbers first, ascending. Says where each value went.
std::vector<std::uint32_t> sort_values(std::vector<std::string>& values) {
  struct Known {
    std::optional<double> number;
    std::uint32_t before;
  };
  std::vector<Known> known;
  for (const std::string& value : values) known.push_back({number_of(value), static_cast<std::uint32_t>(known.size())});
  std::stable_sort(known.begin(), known.end(), [](const Known& a, const Known& b) {
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    return a.number && *a.number < *b.number;
  });
  std::vector<std::string> sorted;
  std::vector<std::uint32_t> places(values.size());
  for (const Known& one : known) {
    places[one.before] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(values[one.before]));
  }
  values = std::move(sorted);
  return places;
}

}  // namespace

Table table_of(std::span<const cache::Trial> trials) {
  Numbering numbering;
  std::vector<Assignment> read;  // of all trials, one after the other
  std::vector<std::size_t> ends;
  for (const cache::Trial& trial : trials) {
    const std::vector<Assignment> assignments = numbering.assignments_of(trial.configuration);
    read.insert(read.end(), assignments.begin(), assignments.end());
    ends.push_back(read.size());
  }
  Table table{.parameters = std::move(numbering.parameters), .numbers = {}, .rows = {}};
  std::vector<std::vector<std::uint32_t>> places;
  for (Parameter& parameter : table.parameters) places.push_back(sort_values(parameter.values));
  const std::size_t width = places.size();
  std::uint32_t count = 0;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : ends[i - 1];
    const bool is_complete = width > 0 && ends[i] - begin == width;
    table.rows.push_back(is_complete ? count++ : Table::kNoRow);
    if (!is_complete) continue;
    table.numbers.resize(table.numbers.size() + width);
    const auto row = std::span(table.numbers).last(width);
    for (std::size_t a = begin; a < ends[i]; ++a) row[read[a].parameter] = places[read[a].parameter][read[a].value];
  }
  return table;
}

}  // namespace tuner::page
