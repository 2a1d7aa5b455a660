#include "tuner/core/skeleton/plain_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/live_lines.hpp"
#include "tuner/core/skeleton/host_expression.hpp"

namespace tuner {
namespace {

/// A source with more of them is generated, and nobody wants a question about each.
constexpr std::size_t kMostConstants = 1000;

bool is_in_host_function(const PlainSource& source, std::size_t at) {
  return std::any_of(source.functions.begin(), source.functions.end(), [at](const PlainFunction& function) {
    return function.kind == PlainFunction::Kind::host && function.body < at && at < function.end;
  });
}

void find_macros(PlainSource& source) {
  const std::string_view text = source.text;
  for (const LiveLine& found : live_lines(text)) {
    std::string_view line = found.text;
    const std::size_t hash = text.rfind('#', static_cast<std::size_t>(line.data() - text.data()));
    const std::size_t end = std::min(text.find('\n', hash), text.size());
    if (!line.starts_with("define ") || line.find('\n') != std::string_view::npos) continue;
    line = search::trimmed(line.substr(7));
    const std::size_t length = std::min(line.find_first_of(" \t("), line.size());
    const std::string_view name = line.substr(0, length);
    if (length == line.size() || line[length] == '(') continue;
    std::string_view value = line.substr(length);
    // A comment that goes on in the next line, where more of the value may be.
    if (const std::size_t open = value.rfind("/*"); open < value.find("//") && value.find("*/", open) == value.npos)
      continue;
    value = value.substr(0, std::min(value.find("//"), value.find("/*")));
    const auto expression = parse_host_expression(value);
    if (!expression) continue;
    if (const auto number = integer_of(*expression)) {
      source.constants.push_back({std::string(name), *number, hash, end, false, true});
    } else if (expression->kind == HostExpression::Kind::operation) {
      source.derived.push_back({std::string(name), std::string(search::trimmed(value))});
    }
  }
}

/// Whether a declaration's words in front of its name say a constant integer.
bool says_constant_integer(std::string_view words) {
  bool is_constant = false;
  std::string type;
  for (std::size_t at = 0; at < words.size();) {
    if (!is_word_character(words[at])) {
      if (std::string_view(" \t\r\n:").find(words[at]) == std::string_view::npos) return false;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < words.size() && is_word_character(words[end])) ++end;
    const std::string_view word = words.substr(at, end - at);
    at = end;
    if (word == "const" || word == "constexpr") is_constant = true;
    const bool says_nothing = word == "const" || word == "constexpr" || word == "static" || word == "inline" ||
                              word == "__device__" || word == "std";
    if (!says_nothing) type += (type.empty() ? "" : " ") + std::string(word);
  }
  const auto shape = shape_of_type(type);
  return is_constant && (type == "auto" || (shape && shape->lanes == 1 && !is_real(shape->element)));
}

void find_variables(PlainSource& source) {
  const std::string_view code = source.code.code;
  for (std::size_t at = code.find('='); at != std::string_view::npos; at = code.find('=', at + 1)) {
    const std::size_t before = code.substr(0, at).find_last_of(";{}()#");
    std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    if (code.substr(begin, at - begin).find('=') != std::string_view::npos) continue;  // of a declaration that is read
    begin = std::min(code.find_first_not_of(" \t\v\f\r\n", begin), at);
    const std::size_t end = code.find(';', at);
    if (end == std::string_view::npos) break;
    const std::string_view head = code.substr(begin, at - begin), value = code.substr(at + 1, end - at - 1);
    const std::string name = declared_name(head);
    const std::vector<std::string> parts = comma_parts(value);
    if (name.empty() || parts.empty() || is_in_host_function(source, at)) continue;
    if (!says_constant_integer(head.substr(0, head.rfind(name)))) continue;
    const auto number = parts.size() == 1 ? literal_value(value) : std::nullopt;
    if (number) source.constants.push_back({name, *number, begin, end + 1, false, true});
    if (number) continue;
    // `constexpr int BM = 64, BN = 32;`: none of them can be declared without the others.
    source.derived.push_back({name, parts.front()});
    for (std::size_t i = 1; i < parts.size(); ++i) {
      const std::size_t equals = std::min(parts[i].find('='), parts[i].size());
      const std::string other = declared_name("int " + parts[i]);
      if (!other.empty() && equals < parts[i].size())
        source.derived.push_back({other, std::string(search::trimmed(parts[i].substr(equals + 1)))});
    }
  }
}

/// Whether anything but its constants is declared by that name: `int TILE`, `typename TILE`.
bool is_declared_elsewhere(const PlainSource& source, const std::string& name) {
  const std::string_view code = source.code.code;
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const auto is_own = [&](const PlainConstant& c) { return c.name == name && c.begin <= at && at < c.end; };
    if (std::any_of(source.constants.begin(), source.constants.end(), is_own)) continue;
    // `tiles::TILE` would become `tiles::16`; host code is not compiled with the tuner's macros.
    if (code.substr(0, at).ends_with("::") && !is_in_host_function(source, at)) return true;
    std::size_t end = at;
    while (end > 0 && std::string_view(" \t\r\n*&").find(code[end - 1]) != std::string_view::npos) --end;
    std::size_t begin = end;
    while (begin > 0 && is_word_character(code[begin - 1])) --begin;
    const std::string_view before = code.substr(begin, end - begin);
    const bool is_type = end < at && (shape_of_type(before) || before == "auto" || before == "typename" ||
                                      before == "class" || before == "struct" || before == "const");
    if (is_type) return true;
  }
  return false;
}

/// What stands between a condition and its end, or the next one.
struct Branch {
  std::string_view condition;  ///< of the one that it begins with; of `#else` what that is the other side of
  bool is_else = false;
  std::size_t begin = 0, end = 0;

  /// Whether it is read only where the constant's name is no macro, as far as its condition shows.
  bool guards(const PlainConstant& constant) const {
    if (constant.begin < begin || end <= constant.begin || !has_word(condition, constant.name)) return false;
    if (condition.starts_with("ifdef")) return is_else;
    if (condition.starts_with("ifndef")) return !is_else;
    return condition.find("defined") != std::string_view::npos;
  }
};

std::vector<Branch> branches_of(std::string_view source, const std::vector<LiveLine>& lines) {
  std::vector<Branch> open, all;
  for (const LiveLine& line : lines) {
    const std::string_view text = line.text;
    const auto at = static_cast<std::size_t>(text.data() - source.data());
    if (text.starts_with("if")) open.push_back({text, false, at, source.size()});
    if (open.empty() || (!text.starts_with("el") && !text.starts_with("endif"))) continue;
    open.back().end = at;
    all.push_back(open.back());
    const bool is_else = text.starts_with("else");
    open.back() = {is_else ? open.back().condition : text, is_else, at, source.size()};
    if (text.starts_with("endif")) open.pop_back();
  }
  all.insert(all.end(), open.begin(), open.end());
  return all;
}

}  // namespace

std::optional<std::int64_t> literal_value(std::string_view text) {
  const auto expression = parse_host_expression(text);
  return expression ? integer_of(*expression) : std::nullopt;
}

void find_constants(PlainSource& source) {
  find_macros(source);
  find_variables(source);
  if (source.constants.size() > kMostConstants) source.constants.resize(kMostConstants);
  const std::vector<LiveLine> lines = live_lines(source.text);
  const std::vector<Branch> branches = branches_of(source.text, lines);
  // Behind #undef nothing is left of the tuner's macro.
  const auto is_undefined = [&](const std::string& name) {
    return std::ranges::any_of(
        lines, [&](const LiveLine& line) { return line.text.starts_with("undef") && has_word(line.text, name); });
  };
  for (PlainConstant& constant : source.constants) {
    constant.is_guarded = std::ranges::any_of(branches, [&](const Branch& one) { return one.guards(constant); });
    constant.is_unique = !is_undefined(constant.name) && !is_declared_elsewhere(source, constant.name);
    for (const PlainConstant& other : source.constants) {
      if (other.name == constant.name && other.value != constant.value) constant.is_unique = false;
    }
  }
}

std::vector<SourceInsertion> guard(const PlainSource& source, const PlainConstant& constant) {
  const std::string_view text = source.text;
  const std::size_t line = text.rfind('\n', constant.begin) + 1;  // npos + 1 is 0
  const std::size_t line_end = std::min(text.find('\n', constant.end), text.size());
  const auto is_blank = [](std::string_view part) { return search::trimmed(part).empty(); };
  const std::string_view behind = text.substr(constant.end, line_end - constant.end);
  const std::string open = "#ifndef " + constant.name + "\n";
  const bool has_lines = is_blank(text.substr(line, constant.begin - line)) &&
                         (is_blank(behind) || search::trimmed(behind).starts_with("//"));
  if (has_lines) return {{line, open}, {line_end, "\n#endif"}};
  return {{constant.begin, "\n" + open}, {constant.end, "\n#endif\n"}};
}

}  // namespace tuner
