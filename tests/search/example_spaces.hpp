#pragma once

#include <string>
#include <utility>
#include <vector>

#include "search/space/space.hpp"

namespace tuner::search::test {

/// first, first + 1, .., count of them.
inline std::vector<Value> integers(int count, int first = 0) {
  std::vector<Value> values;
  for (int i = 0; i < count; ++i) values.emplace_back(first + i);
  return values;
}

/// Parameters p0, p1, .. with the values 0, 1, ..
inline std::vector<Parameter> grid_parameters(int count, int values) {
  std::vector<Parameter> parameters;
  for (int i = 0; i < count; ++i) parameters.push_back({"p" + std::to_string(i), integers(values), 0});
  return parameters;
}

inline Constraint constraint(std::string_view text, std::string origin = "k.cu:7") {
  return {Expression::parse(text), std::move(origin)};
}

inline Space grid(int parameters, int values) {
  return Space(grid_parameters(parameters, values), {}, {});
}

/// a, b in 0 .. n-1 with a <= b.
inline Space triangle(int n) {
  return Space({{"a", integers(n), 0}, {"b", integers(n), 0}}, {constraint("a <= b")}, {});
}

/// Why there can be no such space.
inline std::string refusal(std::vector<Parameter> parameters, std::vector<Constraint> constraints = {},
                           Scope constants = {}) {
  try {
    const Space space(std::move(parameters), std::move(constraints), std::move(constants));
    return "no refusal but " + std::to_string(space.size()) + " configurations";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace tuner::search::test
