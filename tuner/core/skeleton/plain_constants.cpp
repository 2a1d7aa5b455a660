#include "tuner/core/skeleton/plain_constants.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

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

}  // namespace

std::optional<std::int64_t> literal_value(std::string_view text) {
  const auto expression = parse_host_expression(text);
  return expression ? integer_of(*expression) : std::nullopt;
}

void find_constants(PlainSource& source) {
  find_macros(source);
  find_variables(source);
  if (source.constants.size() > kMostConstants) source.constants.resize(kMostConstants);
  std::set<std::string, std::less<>> guards;
  for (const LiveLine& line : live_lines(source.text)) {
    if (!line.text.starts_with("ifndef") && line.text.find("defined") == std::string_view::npos) continue;
    for (const PlainConstant& constant : source.constants) {
      if (has_word(line.text, constant.name)) guards.insert(constant.name);
    }
  }
  for (PlainConstant& constant : source.constants) {
    constant.is_guarded = guards.contains(constant.name);
    constant.is_unique = !is_declared_elsewhere(source, constant.name);
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
