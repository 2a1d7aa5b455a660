#include "tuner/engine/compile/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/mentions.hpp"
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

void check_macro(const Macro& macro, std::string_view file_name) {
  const std::string& name = macro.name;
  const auto reject = [&](const std::string& why) {
    throw Error(Errc::bad_description,
                std::string(file_name) + ": '" + name + "' cannot be defined for the compiler: " + why + ".");
  };
  if (name.empty() || is_digit(name[0]) || !std::all_of(name.begin(), name.end(), is_word_character))
    reject("it is not an identifier; use letters, digits and underscores");
  if (name.starts_with("__") ||
      (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1]))))
    reject("such names are reserved for the compiler; choose one without leading underscores");
  if (kKeywords.find(" " + name + " ") != std::string_view::npos)
    reject("it is a keyword of the language; choose another name");
  if (macro.text.find_first_of("\r\n") != std::string::npos) reject("its value has several lines");
}

// The includes before the first thing that is neither white space, a comment nor an include.
std::vector<IncludeLine> leading_includes(std::string_view text) {
  std::vector<IncludeLine> result;
  std::size_t at = 0;
  while (at < text.size()) {
    if (std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    } else if (const std::size_t end = skip_comment(text, at); end != at) {
      at = end;
    } else if (text[at] == '#') {
      std::optional<IncludeLine> include = include_at(text, at);
      if (!include) break;
      // A comment that begins on the include's line and goes on cannot be cut through.
      const std::size_t comment = text.substr(0, include->end).find("/*", at);
      if (comment != std::string_view::npos && skip_comment(text, comment) > include->end) break;
      at = include->end;
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

// Behind the leading includes up to the first that mentions one of the names. Headers of ours stand like the toolkit's
// before all names.
std::size_t place_for(const std::set<std::string_view>& names, const std::vector<IncludeLine>& includes,
                      std::span<const Header> headers) {
  std::size_t place = 0;
  for (const IncludeLine& include : includes) {
    const Header* header = find_own_header(headers, include.name);
    if (header != nullptr && mentions(header->text, names, headers, include.name)) break;
    place = include.end;
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
    const std::optional<IncludeLine> include = include_at(text, at);
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
  for (const ImplicitName& name : program.implicit) {
    if (names.contains(name.name)) continue;
    implicit_names.insert(name.name);
    implicit += name.declaration;
  }
  const std::vector<IncludeLine> includes = leading_includes(source);
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
  const std::vector<IncludeLine> includes = leading_includes(source);
  const bool foreign = std::any_of(includes.begin(), includes.end(), [&](const IncludeLine& include) {
    const Header* header = find_header(headers, include.name);
    return header == nullptr || !is_self_contained(header->text, headers);
  });
  return foreign ? source.substr(0, includes.back().end) : std::string_view{};
}

}  // namespace tuner::engine
