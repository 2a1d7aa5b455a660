#include "tuner/core/description/implicit_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/mentions.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner {
namespace {

// nvcc includes <cuda_runtime.h>, and so <math.h> and <sys/types.h>.
struct ImplicitType {
  std::string_view name, type;
};
constexpr std::array<ImplicitType, 28> kTypes{{
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
std::string define_as_math(std::string_view name) {
  const std::string_view text = *standard_header("math.h");
  const std::size_t begin = text.find(fmt::format("#ifndef {}\n", name));
  return std::string(text.substr(begin, text.find("#endif", begin) - begin)) + "#endif\n";
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

class Names {
 public:
  Names(std::string_view source, std::span<const Header> headers) : source_(source), headers_(headers) {
    add_words(source);
    for (const Header& header : headers) {
      if (!is_standard(header)) add_words(header.text);
    }
  }

  // Whether the name is mentioned, and nobody says what it is.
  bool lacks(std::string_view name, bool is_type) const {
    return words_.contains(name) && !is_own(name, is_type) && mentions(source_, {name}, headers_);
  }

 private:
  // One pass instead of one for each name: every session starts with it.
  void add_words(std::string_view text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t begin = at;
      while (at < text.size() && is_word_character(text[at])) ++at;
      if (at > begin) words_.insert(text.substr(begin, at - begin));
    }
  }

  static bool is_own_in(std::string_view text, std::string_view name, bool is_type) {
    return defines(text, name) || (is_type && declares(text, name));
  }
  // Our own headers declare types, and define macros only where nobody has.
  bool is_own(std::string_view name, bool is_type) const {
    return is_own_in(source_, name, is_type) ||
           std::any_of(headers_.begin(), headers_.end(), [&](const Header& header) {
             return (is_type || !is_standard(header)) && is_own_in(header.text, name, is_type);
           });
  }

  std::string_view source_;
  std::span<const Header> headers_;
  std::set<std::string_view> words_;
};

}  // namespace

std::vector<ImplicitName> implicit_names(std::string_view source, std::span<const Header> headers) {
  const Names names(source, headers);
  std::vector<ImplicitName> result;
  for (const std::string_view name : {"INFINITY", "NAN"}) {
    if (names.lacks(name, false)) result.push_back({name, define_as_math(name)});
  }
  // nvcc takes the word for nothing; NVRTC refuses it from C++17 on.
  if (names.lacks("register", false)) result.push_back({"register", "#define register\n"});
  for (const auto& [name, type] : kTypes) {
    if (names.lacks(name, true)) result.push_back({name, fmt::format("typedef {} {};\n", type, name)});
  }
  return result;
}

}  // namespace tuner
