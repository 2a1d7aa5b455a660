#include <array>
#include <string_view>

#include "search/expression/expression.hpp"

namespace tuner::search {
namespace {

struct Type {
  std::string_view name;
  std::size_t size;
};

constexpr std::array<Type, 22> kTypes{{
    {"bool", 1},         {"float", 4},          {"double", 8},        {"half", 2},          {"__half", 2},
    {"half2", 4},        {"__half2", 4},        {"bfloat16", 2},      {"nv_bfloat16", 2},   {"__nv_bfloat16", 2},
    {"nv_bfloat162", 4}, {"__nv_bfloat162", 4}, {"__nv_fp8_e4m3", 1}, {"__nv_fp8_e5m2", 1}, {"size_t", 8},
    {"ptrdiff_t", 8},    {"intptr_t", 8},       {"uintptr_t", 8},     {"uchar", 1},         {"ushort", 2},
    {"uint", 4},         {"ulong", 8},
}};

// CUDA's vectors: one of these and a digit from 1 to 4. A vector of three has no padding.
constexpr std::array<Type, 12> kComponents{{{"char", 1},
                                            {"uchar", 1},
                                            {"short", 2},
                                            {"ushort", 2},
                                            {"int", 4},
                                            {"uint", 4},
                                            {"long", 8},
                                            {"ulong", 8},
                                            {"longlong", 8},
                                            {"ulonglong", 8},
                                            {"float", 4},
                                            {"double", 8}}};

std::size_t size_of(std::string_view name, const auto& table) {
  for (const Type& type : table) {
    if (type.name == name) return type.size;
  }
  return 0;
}

/// int8 .. uint64, with or without `_t`.
std::size_t size_of_sized_integer(std::string_view name) {
  if (name.ends_with("_t")) name.remove_suffix(2);
  if (name.starts_with('u')) name.remove_prefix(1);
  if (!name.starts_with("int")) return 0;
  name.remove_prefix(3);
  constexpr std::array<Type, 4> bits{{{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}}};
  return size_of(name, bits);
}

/// The integers that C++ spells with one or more words in any order: `unsigned`, `long int`, `unsigned long long`.
/// Sizes are those of 64-bit Linux.
std::size_t size_of_words(std::string_view text) {
  int signs = 0, shorts = 0, longs = 0, ints = 0, chars = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    while (text.starts_with(' ')) text.remove_prefix(1);
    if (word == "signed" || word == "unsigned") {
      ++signs;
    } else if (word == "short") {
      ++shorts;
    } else if (word == "long") {
      ++longs;
    } else if (word == "int") {
      ++ints;
    } else if (word == "char") {
      ++chars;
    } else {
      return 0;
    }
  }
  if (signs > 1 || shorts > 1 || longs > 2 || ints > 1 || chars > 1) return 0;
  if (chars > 0) return shorts + longs + ints == 0 ? 1 : 0;
  if (shorts > 0) return longs == 0 ? 2 : 0;
  if (longs > 0) return 8;
  return signs + ints > 0 ? 4 : 0;
}

}  // namespace

std::size_t size_of_type(std::string_view type) {
  if (const std::size_t size = size_of(type, kTypes); size > 0) return size;
  if (const std::size_t size = size_of_sized_integer(type); size > 0) return size;
  if (const std::size_t size = size_of_words(type); size > 0) return size;
  if (type.empty() || type.back() < '1' || type.back() > '4') return 0;
  return size_of(type.substr(0, type.size() - 1), kComponents) * static_cast<std::size_t>(type.back() - '0');
}

}  // namespace tuner::search
