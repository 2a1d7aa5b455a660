#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/records/decision.hpp"
#include "search/expression/value.hpp"

namespace tuner::cli {

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

/// A C++17 header that holds the winners of these decisions. The same decisions give the same text. Throws
/// Error{bad_usage} where they cannot be written: macros of several kernels, a parameter that is no identifier, a
/// macro that could be code.
std::string header_text(std::vector<cache::Decision> decisions, const HeaderRequest& request);

/// Whether `text` is "name" or "name::name".
bool is_namespace(std::string_view text);

}  // namespace tuner::cli
