#pragma once

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "search/space/space.hpp"

namespace tuner::bench {

/// A space as a file has it: {"valid": .., "parameters": {"NAME": [integers]}, "constraints": [".."]}.
struct Definition {
  std::string name;
  std::vector<search::Parameter> parameters;
  std::vector<search::Constraint> constraints;
  std::optional<std::uint64_t> valid;  ///< how many configurations there are, where the file says so
};

/// Throws std::runtime_error if it cannot be read.
inline Definition read_definition(const std::filesystem::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + " cannot be opened");
  const auto json = nlohmann::ordered_json::parse(file);
  Definition result{.name = path.stem().string()};
  for (const auto& [name, values] : json.at("parameters").items()) {
    search::Parameter parameter{name, {}, {}};
    for (const auto& value : values) parameter.values.emplace_back(value.get<std::int64_t>());
    parameter.default_value = parameter.values.front();
    result.parameters.push_back(std::move(parameter));
  }
  for (const auto& text : json.at("constraints")) {
    result.constraints.push_back({search::Expression::parse(text.get<std::string>()), path.filename().string()});
  }
  if (json.contains("valid")) result.valid = json["valid"].get<std::uint64_t>();
  return result;
}

}  // namespace tuner::bench
