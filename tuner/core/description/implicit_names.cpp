#include "tuner/core/description/implicit_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <set>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/source_words.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/mentions.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner {
namespace {

// nvcc includes <cuda_runtime.h>, and so <math.h> and <sys/types.h>.
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
std::string define_as_math(std::string_view name) {
  const std::string_view text = *standard_header("math.h");
  const std::size_t begin = text.find(fmt::format("#ifndef {}\n", name));
  return std::string(text.substr(begin, text.find("#endif", begin) - begin)) + "#endif\n";
}

// `unsigned` and `unsigned int` are one type.
std::multiset<std::string_view> words_of_type(std::string_view type) {
  std::multiset<std::string_view> words;
  for (Word word = next_word(type, 0); !word.text.empty(); word = next_word(type, word.at + word.text.size()))
    words.insert(word.text);
  if (words.size() > 1) words.erase("int");
  return words;
}

// Whether the code makes another type of the name, or anything else: `typedef long long int64_t;`, `class uint`. To say
// the same twice is legal.
bool declares_otherwise(std::string_view code, const ImplicitType& implicit) {
  const auto& [name, type] = implicit;
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::size_t before = at == 0 ? std::string_view::npos : code.find_last_of(";{}", at - 1);
    const std::string_view statement = search::trimmed(code.substr(before + 1, at - before - 1));
    const std::string_view rest = code.substr(at + name.size(), code.find(';', at) - at - name.size());
    const auto is_last = [&](std::string_view word) {
      return statement.ends_with(word) &&
             (statement.size() == word.size() || !is_word_character(statement[statement.size() - word.size() - 1]));
    };
    if (is_last("class") || is_last("struct") || is_last("enum") || is_last("union") || is_last("typename"))
      return true;
    const bool is_behind_body = statement.empty() && before != std::string_view::npos && code[before] == '}';
    if (is_behind_body && rest.empty()) return true;
    const bool is_typedef = statement.starts_with("typedef") && search::trimmed(rest).empty();
    const std::string_view declared = is_typedef ? statement.substr(std::string_view("typedef").size()) : rest;
    if ((is_typedef || is_last("using")) && words_of_type(declared) != words_of_type(type)) return true;
  }
  return false;
}

class Names {
 public:
  Names(std::string_view source, std::span<const Header> headers) : source_(source), headers_(headers) {
    add(source);
    for (const Header& header : headers) add(header.text, is_standard(header));
  }

  // Whether it is mentioned, and nobody defines it. Our own headers define only what nobody else has.
  bool lacks_macro(std::string_view name) const { return !macros_.contains(name) && is_mentioned(name); }
  bool lacks_type(const ImplicitType& type) const {
    return lacks_macro(type.name) && std::none_of(codes_.begin(), codes_.end(), [&](const std::string& code) {
             return declares_otherwise(code, type);
           });
  }

 private:
  void add(std::string_view text, bool is_ours = false) {
    CodeText read = read_code(text);
    codes_.push_back(std::move(read.code));
    if (is_ours) return;
    for (CodeText::Macro& macro : read.macros) macros_.insert(std::move(macro.name));
    // One pass instead of one for each name: every session starts with it.
    for (Word word = next_word(text, 0); !word.text.empty(); word = next_word(text, word.at + word.text.size()))
      words_.insert(word.text);
  }

  bool is_mentioned(std::string_view name) const {
    return words_.contains(name) && mentions(source_, {name}, headers_);
  }

  std::string_view source_;
  std::span<const Header> headers_;
  std::vector<std::string> codes_;
  std::set<std::string, std::less<>> macros_;
  std::set<std::string_view> words_;
};

}  // namespace

std::vector<ImplicitName> implicit_names(std::string_view source, std::span<const Header> headers) {
  const Names names(source, headers);
  std::vector<ImplicitName> result;
  for (const std::string_view name : {"INFINITY", "NAN"}) {
    if (names.lacks_macro(name)) result.push_back({name, define_as_math(name)});
  }
  // nvcc takes the word for nothing; NVRTC refuses it from C++17 on.
  if (names.lacks_macro("register")) result.push_back({"register", "#define register\n"});
  for (const ImplicitType& type : kImplicitTypes) {
    if (names.lacks_type(type)) result.push_back({type.name, fmt::format("typedef {} {};\n", type.type, type.name)});
  }
  return result;
}

}  // namespace tuner
