#include "tuner/page/table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "search/expression/value.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/error.hpp"

namespace tuner::page {

namespace {

using Assignment = std::pair<std::string, std::string>;

std::vector<Assignment> assignments_of(const std::string& configuration) {
  std::vector<Assignment> assignments;
  for (const std::string& part : split_assignments(configuration)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string::npos) return {};
    assignments.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return assignments;
}

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

void sort_values(std::vector<std::string>& values) {
  std::vector<std::pair<std::optional<double>, std::string>> known;
  for (std::string& value : values) {
    const auto number = number_of(value);
    known.emplace_back(number, std::move(value));
  }
  std::stable_sort(known.begin(), known.end(), [](const auto& a, const auto& b) {
    if (a.first.has_value() != b.first.has_value()) return a.first.has_value();
    return a.first && *a.first < *b.first;
  });
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::move(known[i].second);
}

}  // namespace

Table table_of(std::span<const cache::Trial> trials) {
  Table table;
  std::map<std::string, std::size_t> positions;
  std::vector<std::map<std::string, std::size_t>> numbers;
  std::vector<std::vector<Assignment>> read;
  for (const cache::Trial& trial : trials) {
    read.push_back(assignments_of(trial.configuration));
    for (const auto& [name, value] : read.back()) {
      const auto [position, is_new] = positions.emplace(name, positions.size());
      if (is_new) {
        table.parameters.push_back({name, {}});
        numbers.emplace_back();
      }
      if (numbers[position->second].emplace(value, 0).second) {
        table.parameters[position->second].values.push_back(value);
      }
    }
  }
  for (std::size_t p = 0; p < table.parameters.size(); ++p) {
    std::vector<std::string>& values = table.parameters[p].values;
    sort_values(values);
    for (std::size_t i = 0; i < values.size(); ++i) numbers[p][values[i]] = i;
  }
  for (const std::vector<Assignment>& assignments : read) {
    std::vector<std::size_t> row;
    if (assignments.size() == table.parameters.size()) {
      row.resize(assignments.size());
      for (const auto& [name, value] : assignments) {
        const std::size_t position = positions.at(name);
        row[position] = numbers[position].at(value);
      }
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tuner::page
