#include "tuner/core/description/mentions.hpp"

#include <algorithm>
#include <utility>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner {
namespace {

// Behind the string of `text` that begins at `from`.
std::size_t skip_string(std::string_view text, std::size_t from) {
  std::size_t at = from + 1;
  for (; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return at + 1;
}

bool mentions(std::string_view text, const std::set<std::string_view>& names, std::span<const Header> headers,
              std::set<std::string>& seen) {
  for (std::size_t at = 0; at < text.size();) {
    if (const std::size_t end = skip_comment(text, at); end != at) {
      at = end;
    } else if (text[at] == '#') {
      const std::optional<IncludeLine> include = include_at(text, at);
      const Header* header = include ? find_own_header(headers, include->name) : nullptr;
      if (header != nullptr && seen.insert(include->name).second && mentions(header->text, names, headers, seen))
        return true;
      at = include ? include->end : at + 1;
    } else if (text[at] == '"') {
      at = skip_string(text, at);
    } else if (is_word_character(text[at])) {
      const std::size_t begin = at;
      while (at < text.size() && is_word_character(text[at])) ++at;
      if (names.contains(text.substr(begin, at - begin))) return true;
    } else {
      ++at;
    }
  }
  return false;
}

}  // namespace

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

std::optional<IncludeLine> include_at(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find('\n', at), text.size());
  auto include = include_of(text.substr(at, end - at));
  if (!include) return std::nullopt;
  return IncludeLine{std::min(end + 1, text.size()), std::move(include->name)};
}

const Header* find_own_header(std::span<const Header> headers, std::string_view name) {
  const auto found =
      std::find_if(headers.begin(), headers.end(), [&](const Header& header) { return header.name == name; });
  return found == headers.end() || is_standard(*found) ? nullptr : &*found;
}

bool mentions(std::string_view text, const std::set<std::string_view>& names, std::span<const Header> headers,
              const std::string& own_name) {
  std::set<std::string> seen{own_name};
  return mentions(text, names, headers, seen);
}

}  // namespace tuner
