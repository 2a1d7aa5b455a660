#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/expression/value.hpp"

namespace tuner {

enum class HeaderStyle {
  constants,  ///< constexpr values, and a function that finds those of a device and a problem
  macros,     ///< `#define`s, of which one set is chosen when the program is compiled
};

struct HeaderRequest {
  HeaderStyle style = HeaderStyle::constants;
  std::string name_space = "tuned";
  /// By parameter, its named values in declared order, where a kernel file was given. What is missing is numbered from
  /// 1 on, so that a word that the header does not know, which is 0 to the preprocessor, equals none of them.
  std::map<std::string, std::vector<std::string>, std::less<>> named_values;
  /// By kernel and parameter, its values, where a kernel file was given: macros are made of these and nothing else.
  using DeclaredValues = std::map<std::string, std::vector<search::Value>, std::less<>>;
  std::optional<std::map<std::string, DeclaredValues, std::less<>>> declared;
};

}  // namespace tuner
