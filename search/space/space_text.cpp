#include <fmt/format.h>

#include <vector>

#include "search/expression/messages.hpp"
#include "search/expression/quoting.hpp"
#include "search/space/space.hpp"
#include "search/space/space_parts.hpp"

namespace tuner::search {
namespace {

/// Cuts at commas that stand outside quotations.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quoted && text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (text[i] == ',' && !quoted) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  parts.push_back(text.substr(begin));
  return parts;
}

std::uint32_t read_choice(const Parameter& parameter, std::string_view text) {
  std::optional<std::uint32_t> position;
  try {
    position = parameter.position_of(Value::parse(text));
  } catch (const Error& error) {
    refuse(fmt::format("The value of the parameter `{}` cannot be read. {}", parameter.name, error.what()));
  }
  if (position) return *position;
  std::vector<std::string> texts;
  for (const Value& value : parameter.values) texts.push_back(value.text());
  refuse(fmt::format("{} is not a value of the parameter `{}`{}.", trimmed(text), parameter.name,
                     suggestion(trimmed(text), texts)));
}

}  // namespace

std::string Space::text(const Configuration& configuration) const {
  require_fit(configuration);
  std::string result;
  for (const std::uint32_t i : sorted_by_name_) {
    if (!result.empty()) result += ',';
    result += parameters_[i].name + '=' + parameters_[i].values[configuration.choice[i]].text();
  }
  return result;
}

Configuration Space::parse(std::string_view text) const {
  Configuration result = defaults();
  if (trimmed(text).empty()) return result;
  std::vector<bool> given(parameters_.size());
  for (const std::string_view part : split(text)) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      refuse(fmt::format("`{}` is not of the form NAME=value; separate several with commas.", trimmed(part)));
    }
    const std::string_view name = trimmed(part.substr(0, equals));
    std::size_t index = 0;
    while (index < parameters_.size() && parameters_[index].name != name) ++index;
    if (index == parameters_.size()) {
      std::vector<std::string> names;
      for (const std::uint32_t i : sorted_by_name_) names.push_back(parameters_[i].name);
      refuse(fmt::format("There is no parameter `{}`{}.", name, suggestion(name, names)));
    }
    if (given[index]) refuse(fmt::format("The parameter `{}` is given twice.", name));
    given[index] = true;
    result.choice[index] = read_choice(parameters_[index], part.substr(equals + 1));
  }
  return result;
}

}  // namespace tuner::search
