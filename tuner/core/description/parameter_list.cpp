#include "tuner/core/description/parameter_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <utility>
#include <vector>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

constexpr std::array<std::string_view, 19> kTypes{
    "_Bool",  "__int128", "__int64", "auto", "bool",  "char",   "char16_t", "char32_t", "char8_t", "decltype",
    "double", "float",    "int",     "long", "short", "signed", "unsigned", "void",     "wchar_t"};
// Sorted, as they are searched for each word of a source.
constexpr std::array<std::string_view, 44> kSpecifiers{
    "CALLBACK",     "CUDAAPI",    "CUDARTAPI",     "CUDART_CB",
    "WINAPI",       "__align__",  "__attribute__", "__cdecl",
    "__const",      "__declspec", "__extension__", "__forceinline__",
    "__host__",     "__inline",   "__inline__",    "__launch_bounds__",
    "__noinline__", "__restrict", "__restrict__",  "__signed__",
    "__stdcall",    "alignas",    "class",         "const",
    "constinit",    "enum",       "explicit",      "extern",
    "final",        "friend",     "inline",        "mutable",
    "noexcept",     "register",   "requires",      "restrict",
    "static",       "struct",     "template",      "thread_local",
    "typename",     "union",      "virtual",       "volatile"};

bool is_name(std::string_view token) {
  return is_word_character(token.front()) && !is_digit(token.front());
}

/// Words and signs, `::` as one.
std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at;
    while (end < text.size() && is_word_character(text[end])) ++end;
    if (end == at) end += text.substr(at, 2) == "::" ? 2 : 1;
    const std::string_view token = text.substr(at, end - at);
    if (!search::trimmed(token).empty()) tokens.push_back(token);
    at = end;
  }
  return tokens;
}

/// The parts between commas outside brackets, each up to what stands behind its `=`.
std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  if (search::trimmed(list).empty()) return parts;
  int depth = 0;
  std::size_t begin = 0, end = std::string_view::npos;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c == '=' && depth == 0) end = std::min(end, at);
    if (c != ',' || (depth > 0 && at < list.size())) continue;
    parts.push_back(search::trimmed(list.substr(begin, std::min(at, end) - begin)));
    begin = at + 1;
    end = std::string_view::npos;
  }
  return parts;
}

using Numbers = std::map<std::string_view, std::size_t>;

/// The last word of each part: "T" of `typename T = int`.
Numbers numbers_of(std::string_view templates) {
  Numbers numbers;
  for (const std::string_view part : parts_of(templates)) {
    const std::vector<std::string_view> tokens = tokens_of(part);
    if (!tokens.empty()) numbers.emplace(tokens.back(), numbers.size());
  }
  return numbers;
}

/// The type of one parameter, token by token.
std::string type_of(std::string_view parameter, const Numbers& numbers) {
  // `float a[4]` is a pointer, `float (&a)[4]` is none.
  const std::size_t open = parameter.find('['), close = parameter.find(']');
  const bool is_array = close != kNone && open < close && !search::trimmed(parameter.substr(0, open)).ends_with(')');
  const std::string pointer =
      is_array ? fmt::format("{}*{}", parameter.substr(0, open), parameter.substr(close + 1)) : std::string(parameter);
  std::vector<std::string> type;
  bool has_type = false, goes_on = false;
  int depth = 0;
  for (const std::string_view token : tokens_of(pointer)) {
    if (token == "<" || token == "[") ++depth;
    if (token == ">" || token == "]") --depth;
    if (token == "::") {  // in whatever namespace
      if (!type.empty() && is_name(type.back())) type.pop_back();
      goes_on = true;
    } else if (!is_name(token)) {
      type.emplace_back(token);
    } else if (!is_specifier(token)) {
      const bool is_part = goes_on || !has_type || depth > 0 || is_type_keyword(token);
      const bool says_int = token == "int" && !type.empty() && is_type_keyword(type.back());  // `unsigned int`
      const auto number = numbers.find(token);
      if (is_part && !says_int)
        type.push_back(number == numbers.end() ? std::string(token) : fmt::format("{}", number->second));
      has_type = true;
      goes_on = false;
    }
  }
  return fmt::format("{}", fmt::join(type, " "));
}

bool is_cuda_type(std::string_view word) {
  return word.starts_with("cuda") && word.size() > 4 && std::isupper(static_cast<unsigned char>(word[4])) != 0;
}

/// Whether it is `type name`, `type*`, `int`, `std::type<...>` or the like. Where a value may stand as well, `w * h`,
/// `v<3> * h` and `c::value` are none, but `std::type& a` and `cudaType* a` are.
bool declares(std::string_view parameter, const std::function<bool(std::string_view)>& is_type, bool may_be_value) {
  bool is_sure = parameter.starts_with("...");  // what was read can only be a type
  bool has_keyword = false;                     // `const` or `int`: it stays one whatever follows
  bool ends_in_std = false;                     // what was read ends in `std::name` or `std::name<...>`
  std::size_t names = 0;
  int depth = 0;
  std::string_view before, before_that;
  for (const std::string_view token : tokens_of(parameter)) {
    if (depth == 0 && token == "(" && !before.empty() && is_name(before)) {
      // `int (*f)(int)` and `float (&a)[4]` are parameters, `int(4)` and `f(4)` are values.
      const std::string_view behind = search::trimmed(parameter.substr(parameter.find('(') + 1));
      return (is_sure || names == 1) && (behind.starts_with('*') || behind.starts_with('&'));
    }
    if (token == "<") ++depth;
    if (depth == 0) {
      const bool is_sign = !is_name(token) && token != "::" && token != "*" && token != "&" && token != ".";
      if (is_sign && token != "[") return false;
      if (token == "[") return is_sure || names > 1;
      if (token == "*" || token == "&") {
        if (may_be_value && !is_sure && !ends_in_std && !is_cuda_type(before)) return false;
        is_sure = is_sure || names > 0;
      } else if (token == "::") {
        if (may_be_value) is_sure = has_keyword;
        ends_in_std = false;
      } else if (is_name(token)) {
        has_keyword = has_keyword || is_specifier(token) || is_type_keyword(token);
        is_sure = is_sure || has_keyword || is_type(token) || (token == "std" && !may_be_value);
        ends_in_std = before == "::" && before_that == "std" && !token.ends_with("_v");
        if (before != "::") ++names;
      }
    }
    if (token == ">") --depth;
    before_that = std::exchange(before, token);
  }
  return is_sure || names > 1;
}

}  // namespace

std::string types_in(std::string_view parameters, std::string_view templates) {
  const Numbers numbers = numbers_of(templates);
  std::string types;
  for (const std::string_view part : parts_of(parameters)) types += type_of(part, numbers) + ",";
  return types == "void," ? "" : types;
}

std::size_t count_parameters(std::string_view parameters) {
  return parts_of(parameters).size();
}

bool declares_parameters(std::string_view parameters, const std::function<bool(std::string_view)>& is_type,
                         bool may_be_value) {
  const std::vector<std::string_view> parts = parts_of(parameters);
  // A list of values has no part that is a parameter.
  return std::any_of(parts.begin(), parts.end(),
                     [&](std::string_view part) { return declares(part, is_type, may_be_value); });
}

bool is_type_keyword(std::string_view word) {
  return std::binary_search(kTypes.begin(), kTypes.end(), word);
}

bool is_specifier(std::string_view word) {
  return std::binary_search(kSpecifiers.begin(), kSpecifiers.end(), word);
}

}  // namespace tuner
