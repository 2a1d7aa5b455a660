#include "tuner/engine/compile/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {
namespace {

// Between blanks, so that a word is found whole.
constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t char8_t"
    " class co_await co_return co_yield compl concept const const_cast consteval constexpr constinit continue"
    " decltype default defined delete do double dynamic_cast else enum explicit export extern false float for"
    " friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq"
    " private protected public register reinterpret_cast requires return short signed sizeof static"
    " static_assert static_cast struct switch template this thread_local throw true try typedef typeid"
    " typename union unsigned using virtual void volatile wchar_t while xor xor_eq threadIdx blockIdx blockDim"
    " gridDim warpSize ";

bool is_word_start(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

void check_macro(const Macro& macro, std::string_view file_name) {
  const std::string& name = macro.name;
  const auto reject = [&](const std::string& why) {
    throw Error(Errc::bad_description,
                std::string(file_name) + ": '" + name + "' cannot be defined for the compiler: " + why + ".");
  };
  if (name.empty() || !is_word_start(name[0]) || !std::all_of(name.begin(), name.end(), is_word))
    reject("it is not an identifier; use letters, digits and underscores");
  if (name.starts_with("__") ||
      (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1]))))
    reject("such names are reserved for the compiler; choose one without leading underscores");
  if (kKeywords.find(" " + name + " ") != std::string_view::npos)
    reject("it is a keyword of the language; choose another name");
  if (macro.text.find_first_of("\r\n") != std::string::npos) reject("its value has several lines");
}

// End of the comment that starts at `from`; `from` if none starts there.
std::size_t skip_comment(std::string_view text, std::size_t from) {
  if (text.substr(from, 2) == "/*") {
    const std::size_t end = text.find("*/", from + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  if (text.substr(from, 2) == "//") {
    std::size_t end = text.find('\n', from);
    while (end != std::string_view::npos && end > from && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return end == std::string_view::npos ? text.size() : end;
  }
  return from;
}

// What nvcc declares before the first line, because it includes <cuda_runtime.h> and so <math.h> and <sys/types.h>.
constexpr std::array<std::string_view, 2> kImplicitMacros{"INFINITY", "NAN"};
struct ImplicitType {
  std::string_view name, type;
};
constexpr std::array<ImplicitType, 28> kImplicitTypes{{
    {"uint", "unsigned int"},
    {"ushort", "unsigned short"},
    {"ulong", "unsigned long"},
    {"u_char", "unsigned char"},
    {"u_short", "unsigned short"},
    {"u_int", "unsigned int"},
    {"u_long", "unsigned long"},
    {"u_int8_t", "unsigned char"},
    {"u_int16_t", "unsigned short"},
    {"u_int32_t", "unsigned int"},
    {"u_int64_t", "unsigned long"},
    {"int8_t", "signed char"},
    {"int16_t", "short"},
    {"int32_t", "int"},
    {"int64_t", "long"},
    {"quad_t", "long"},
    {"u_quad_t", "unsigned long"},
    {"ssize_t", "long"},
    {"off_t", "long"},
    {"loff_t", "long"},
    {"time_t", "long"},
    {"pid_t", "int"},
    {"uid_t", "unsigned int"},
    {"gid_t", "unsigned int"},
    {"id_t", "unsigned int"},
    {"key_t", "int"},
    {"float_t", "float"},
    {"double_t", "double"},
}};

// As our <math.h> has it.
std::string define_implicit(std::string_view name) {
  const std::string_view text = *standard_header("math.h");
  const std::size_t begin = text.find(fmt::format("#ifndef {}\n", name));
  return std::string(text.substr(begin, text.find("#endif", begin) - begin)) + "#endif\n";
}

// An `#include` with a name, and the end of its line, behind the newline.
struct Include {
  std::size_t line_end = 0;
  std::string name;
};

// The directive at `at` (which stands at a '#'), if it is one.
std::optional<Include> include_at(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  auto include = include_of(text.substr(at, end - at));
  if (!include) return std::nullopt;
  return Include{std::min(end + 1, text.size()), std::move(include->name)};
}

// The includes before the first thing that is neither white space, a comment nor an include.
std::vector<Include> leading_includes(std::string_view text) {
  std::vector<Include> result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (const std::size_t end = skip_comment(text, at); end != at) {
      at = end;
    } else if (text[at] == '#') {
      std::optional<Include> include = include_at(text, at);
      if (!include) break;
      // A comment that begins on the include's line and goes on cannot be cut through.
      const std::size_t comment = text.substr(0, include->line_end).find("/*", at);
      if (comment != std::string_view::npos && skip_comment(text, comment) > include->line_end) break;
      at = include->line_end;
      result.push_back(std::move(*include));
    } else {
      break;
    }
  }
  return result;
}

const Header* find_header(std::span<const Header> headers, const std::string& name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const Header& header) { return header.name == name; });
  return found == headers.end() ? nullptr : &*found;
}

// Those of ours stand like the toolkit's before all names.
const Header* find_own_header(std::span<const Header> headers, const std::string& name) {
  const Header* header = find_header(headers, name);
  return header != nullptr && is_standard(*header) ? nullptr : header;
}

// Whether the text, or any header of the user's in memory that it includes, uses one of the names outside comments and
// strings.
bool mentions(std::string_view text, const std::set<std::string_view>& names, std::span<const Header> headers,
              std::set<std::string>& seen) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = skip_comment(text, at); end != at) {
      at = end;
    } else if (text[at] == '#') {
      if (const std::optional<Include> include = include_at(text, at)) {
        const Header* header = find_own_header(headers, include->name);
        if (header != nullptr && seen.insert(include->name).second && mentions(header->text, names, headers, seen))
          return true;
        at = include->line_end;
      } else {
        ++at;
      }
    } else if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
        if (text[at] == '\\') ++at;
      }
      ++at;
    } else if (is_word(text[at])) {
      const std::size_t begin = at;
      while (at < text.size() && is_word(text[at])) ++at;
      if (names.contains(text.substr(begin, at - begin))) return true;
    } else {
      ++at;
    }
  }
  return false;
}

bool mentions(std::string_view text, const std::set<std::string_view>& names, std::span<const Header> headers,
              const std::string& own_name = {}) {
  std::set<std::string> seen{own_name};
  return mentions(text, names, headers, seen);
}

// What the source mentions and leaves to the compiler to define. Each configuration asks: texts are read closely only
// where the name stands in one.
bool is_implicit(std::string_view name, std::string_view source, std::span<const Header> headers) {
  bool is_there = has_word(source, name);
  if (is_there && defines(source, name)) return false;
  for (const Header& header : headers) {
    if (!has_word(header.text, name) || is_standard(header)) continue;
    if (defines(header.text, name)) return false;
    is_there = true;
  }
  return is_there && mentions(source, {name}, headers);
}

// Whether some line declares the name itself: `typedef long long int64_t;`, `using uint = unsigned;`, `class uint`.
bool declares(std::string_view text, std::string_view name) {
  for (std::size_t at = find_word(text, name); at != std::string_view::npos; at = find_word(text, name, at + 1)) {
    const std::size_t next = text.find_first_not_of(" \t\r\n", at + name.size());
    if (next != std::string_view::npos && text[next] == ';') return true;
    const std::size_t last = at == 0 ? at : text.find_last_not_of(" \t\r\n", at - 1);
    for (const std::string_view key : {"using", "class", "struct", "enum", "union", "typename"}) {
      if (last != std::string_view::npos && last + 1 >= key.size() &&
          text.substr(last + 1 - key.size(), key.size()) == key)
        return true;
    }
  }
  return false;
}

// Adds the words that may be one of `kImplicitTypes`, in one pass: each configuration asks.
void add_possible_types(std::string_view text, std::set<std::string_view>& words) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (!is_word(text[at])) continue;
    const std::size_t begin = at;
    while (at < text.size() && is_word(text[at])) ++at;
    const bool ends_so = at - begin > 2 && text[at - 1] == 't' && text[at - 2] == '_';
    if (text[begin] == 'u' || ends_so) words.insert(text.substr(begin, at - begin));
  }
}

// What the source or a header leaves to the compiler to declare.
bool is_implicit_type(std::string_view name, std::string_view source, std::span<const Header> headers) {
  const auto is_own = [&](std::string_view text) { return defines(text, name) || declares(text, name); };
  const auto in_header = [&](auto condition) {
    return std::any_of(headers.begin(), headers.end(), [&](const Header& header) { return condition(header.text); });
  };
  return !is_own(source) && !in_header(is_own) && mentions(source, {name}, headers);
}

// Behind the leading includes up to the first that mentions one of the names.
std::size_t place_for(const std::set<std::string_view>& names, const std::vector<Include>& includes,
                      std::span<const Header> headers) {
  std::size_t place = 0;
  for (const Include& include : includes) {
    const Header* header = find_own_header(headers, include.name);
    if (header != nullptr && mentions(header->text, names, headers, include.name)) break;
    place = include.line_end;
  }
  return place;
}

// Every '#' before the word "include" counts, also in comments: mistaking one for an include costs a little time,
// missing one would not be safe.
bool is_self_contained(std::string_view text, const std::vector<Header>& headers, std::set<std::string>& seen) {
  if (text.find("__has_include") != std::string_view::npos) return false;
  for (std::size_t at = text.find('#'); at != std::string_view::npos; at = text.find('#', at + 1)) {
    // Blanks, comments and lines that go on may stand between the two.
    const std::size_t word = text.find_first_not_of(" \t\\\r\n", at + 1);
    if (word == std::string_view::npos) break;
    if (text[word] == '/') return false;
    if (!text.substr(word).starts_with("include")) continue;
    const std::optional<Include> include = include_at(text, at);
    const Header* header = include ? find_header(headers, include->name) : nullptr;
    if (header == nullptr) return false;
    if (seen.insert(include->name).second && !is_self_contained(header->text, headers, seen)) return false;
  }
  return true;
}

std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? ' ' : c;
  }
  return result + '"';
}

}  // namespace

std::string assemble_source(const ProgramText& program) {
  std::set<std::string_view> names;
  for (const Macro& macro : program.macros) {
    check_macro(macro, program.file_name);
    names.insert(macro.name);
  }
  const std::string_view source = program.source;
  std::set<std::string_view> implicit_names;
  std::string implicit;
  for (const std::string_view name : kImplicitMacros) {
    if (!is_implicit(name, source, program.headers)) continue;
    implicit_names.insert(name);
    implicit += define_implicit(name);
  }
  // nvcc takes the word for nothing; NVRTC refuses it from C++17 on.
  if (!names.contains("register") && is_implicit("register", source, program.headers)) {
    implicit_names.insert("register");
    implicit += "#define register\n";
  }
  std::set<std::string_view> possible;
  add_possible_types(source, possible);
  for (const Header& header : program.headers) {
    if (!is_standard(header)) add_possible_types(header.text, possible);
  }
  for (const auto& [name, type] : kImplicitTypes) {
    if (names.contains(name) || !possible.contains(name) || !is_implicit_type(name, source, program.headers)) continue;
    implicit_names.insert(name);
    implicit += fmt::format("typedef {} {};\n", type, name);
  }
  const std::vector<Include> includes = leading_includes(source);
  // Those that are included with angle brackets stand like the toolkit's before all names.
  const auto uncounted = std::find_if(program.headers.begin(), program.headers.end(), begins_uncounted);
  const std::size_t place = place_for(names, includes, {program.headers.begin(), uncounted});
  std::string result;
  std::size_t at = 0;
  const auto copy_to = [&](std::size_t end) {
    result += source.substr(at, end - at);
    if (!result.empty() && result.back() != '\n') result += '\n';
    at = end;
  };
  const auto end_insertion = [&] {
    const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    result += "#line " + std::to_string(line) + " " + quoted(program.file_name) + "\n";
  };
  // They may be needed before the others, which no header of the toolkit's must see.
  const std::size_t implicit_place = place_for(implicit_names, includes, program.headers);
  if (!implicit.empty() && implicit_place < place) {
    copy_to(implicit_place);
    result += std::exchange(implicit, {});
    end_insertion();
  }
  copy_to(place);
  result += implicit;
  for (const Macro& macro : program.macros) result += "#define " + macro.name + " " + macro.text + "\n";
  end_insertion();
  result += source.substr(place);
  return result;
}

bool is_self_contained(std::string_view source, const std::vector<Header>& headers) {
  std::set<std::string> seen;
  return is_self_contained(source, headers, seen);
}

std::string_view toolkit_prefix(std::string_view source, const std::vector<Header>& headers) {
  const std::vector<Include> includes = leading_includes(source);
  const bool foreign = std::any_of(includes.begin(), includes.end(), [&](const Include& include) {
    const Header* header = find_header(headers, include.name);
    return header == nullptr || !is_self_contained(header->text, headers);
  });
  return foreign ? source.substr(0, includes.back().line_end) : std::string_view{};
}

}  // namespace tuner::engine
