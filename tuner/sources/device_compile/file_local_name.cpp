#include "tuner/sources/device_compile/file_local_name.hpp"

#include <charconv>

#include "tuner/core/base/words.hpp"

namespace tuner::sources {
namespace {

constexpr std::string_view kAnonymous = "_GLOBAL__N_";
constexpr std::string_view kInternal = "_INTERNAL_";
constexpr std::string_view kStatic = "__nv_static_";

struct Part {
  std::size_t begin = 0, end = 0;  ///< with the length in front
};

/// The part of a name that begins with `mark`, with its length in front. The length's digits may follow those of
/// another part ("4foo136_GLOBAL…"): they are the fewest that are long enough.
Part find_part(std::string_view name, std::string_view mark, std::size_t from) {
  const std::size_t at = name.find(mark, from);
  if (at == name.npos) return {};
  for (std::size_t begin = at; begin > from && is_digit(name[begin - 1]);) {
    --begin;
    std::size_t length = 0;
    std::from_chars(name.data() + begin, name.data() + at, length);
    if (name[begin] != '0' && length >= mark.size())
      return length > name.size() - at ? Part{} : Part{begin, at + length};
  }
  return {};
}

std::string_view without_static(std::string_view name) {
  if (!name.starts_with(kStatic)) return name;
  std::size_t length = 0;
  const auto [digits, error] = std::from_chars(name.data() + kStatic.size(), name.data() + name.size(), length);
  const std::size_t begin = static_cast<std::size_t>(digits - name.data()) + 1;
  // An underscore stands before and behind what has this length.
  if (error != std::errc{} || begin > name.size() || length >= name.size() - begin) return name;
  return name.substr(begin + length + 1);
}

std::string replaced(std::string_view name, std::string_view mark, std::string_view with) {
  std::string text;
  std::size_t from = 0;
  for (Part part; (part = find_part(name, mark, from)).end > 0; from = part.end)
    text.append(name.substr(from, part.begin - from)).append(with);
  return text.append(name.substr(from));
}

}  // namespace

std::string without_file(std::string_view mangled) {
  return replaced(replaced(without_static(mangled), kInternal, ""), kAnonymous, "12_GLOBAL__N_1");
}

}  // namespace tuner::sources
