#include "tuner/core/base/element_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace tuner {
namespace {

struct ElementName {
  std::string_view name;  ///< as reports, recordings and keys spell it
  ElementType type;
  std::size_t size;
  std::string_view compiler_name;
  double rtol = 0, atol = 0;  ///< see default_rtol
};

constexpr std::array<ElementName, 13> kElements{{
    {"bool", ElementType::boolean, 1, "bool"},
    {"int8", ElementType::int8, 1, "signed char"},
    {"uint8", ElementType::uint8, 1, "unsigned char"},
    {"int16", ElementType::int16, 2, "short"},
    {"uint16", ElementType::uint16, 2, "unsigned short"},
    {"int32", ElementType::int32, 4, "int"},
    {"uint32", ElementType::uint32, 4, "unsigned int"},
    {"int64", ElementType::int64, 8, "long long"},
    {"uint64", ElementType::uint64, 8, "unsigned long long"},
    {"float16", ElementType::float16, 2, "__half", 1e-2, 1e-3},
    {"bfloat16", ElementType::bfloat16, 2, "__nv_bfloat16", 5e-2, 1e-2},
    {"float32", ElementType::float32, 4, "float", 1e-4, 1e-6},
    {"float64", ElementType::float64, 8, "double", 1e-10, 1e-12},
}};

struct Alias {
  std::string_view name;
  TypeShape shape;
};

constexpr std::array<Alias, 16> kAliases{{
    {"float", {ElementType::float32, 1}},
    {"double", {ElementType::float64, 1}},
    {"half", {ElementType::float16, 1}},
    {"__half", {ElementType::float16, 1}},
    {"half2", {ElementType::float16, 2}},
    {"__half2", {ElementType::float16, 2}},
    {"nv_bfloat16", {ElementType::bfloat16, 1}},
    {"__nv_bfloat16", {ElementType::bfloat16, 1}},
    {"nv_bfloat162", {ElementType::bfloat16, 2}},
    {"__nv_bfloat162", {ElementType::bfloat16, 2}},
    {"size_t", {ElementType::uint64, 1}},
    {"ptrdiff_t", {ElementType::int64, 1}},
    {"intptr_t", {ElementType::int64, 1}},
    {"uintptr_t", {ElementType::uint64, 1}},
    {"int", {ElementType::int32, 1}},
    {"char", {ElementType::int8, 1}},
}};

// Followed by 1 to 4: CUDA's vector types. The unsigned ones are types of their own as well.
constexpr std::array<Alias, 12> kComponents{{
    {"char", {ElementType::int8, 1}},
    {"uchar", {ElementType::uint8, 1}},
    {"short", {ElementType::int16, 1}},
    {"ushort", {ElementType::uint16, 1}},
    {"int", {ElementType::int32, 1}},
    {"uint", {ElementType::uint32, 1}},
    {"long", {ElementType::int64, 1}},
    {"ulong", {ElementType::uint64, 1}},
    {"longlong", {ElementType::int64, 1}},
    {"ulonglong", {ElementType::uint64, 1}},
    {"float", {ElementType::float32, 1}},
    {"double", {ElementType::float64, 1}},
}};

const ElementName& entry(ElementType type) {
  return kElements[static_cast<std::size_t>(type)];
}

/// `unsigned`, `long int`, `unsigned long long`, ...: words in any order, sizes as on 64-bit Linux.
std::optional<ElementType> shape_of_words(std::string_view text) {
  int unsigneds = 0, signeds = 0, shorts = 0, longs = 0, ints = 0, chars = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    int* count = word == "unsigned" ? &unsigneds
                 : word == "signed" ? &signeds
                 : word == "short"  ? &shorts
                 : word == "long"   ? &longs
                 : word == "int"    ? &ints
                 : word == "char"   ? &chars
                                    : nullptr;
    if (count == nullptr) return std::nullopt;
    ++*count;
  }
  if (unsigneds + signeds > 1 || shorts > 1 || longs > 2 || ints > 1 || chars > 1) return std::nullopt;
  if ((chars > 0) + (shorts > 0) + (longs > 0) > 1 || (chars > 0 && ints > 0)) return std::nullopt;
  const bool has_sign = unsigneds > 0;
  if (chars > 0) return has_sign ? ElementType::uint8 : ElementType::int8;
  if (shorts > 0) return has_sign ? ElementType::uint16 : ElementType::int16;
  if (longs > 0) return has_sign ? ElementType::uint64 : ElementType::int64;
  if (ints + unsigneds + signeds == 0) return std::nullopt;
  return has_sign ? ElementType::uint32 : ElementType::int32;
}

}  // namespace

std::string_view to_string(ElementType type) {
  return entry(type).name;
}
std::size_t size_of(ElementType type) {
  return entry(type).size;
}

std::optional<TypeShape> shape_of_type(std::string_view name) {
  std::string_view base = name;
  if (base.ends_with("_t") && (base.starts_with("int") || base.starts_with("uint"))) base.remove_suffix(2);
  for (const ElementName& element : kElements) {
    if (element.name == base) return TypeShape{element.type, 1};
  }
  for (const Alias& alias : kAliases) {
    if (alias.name == name) return alias.shape;
  }
  for (const Alias& component : kComponents) {
    if (!name.starts_with(component.name)) continue;
    const std::string_view lanes = name.substr(component.name.size());
    if (lanes.size() == 1 && lanes[0] >= '1' && lanes[0] <= '4')
      return TypeShape{component.shape.element, lanes[0] - '0'};
    if (lanes.empty() && name.starts_with('u')) return component.shape;
  }
  if (const auto element = shape_of_words(name)) return TypeShape{*element, 1};
  return std::nullopt;
}

std::string compiler_spelling(std::string_view name) {
  for (const ElementName& element : kElements) {
    if (element.name == name) return std::string(element.compiler_name);
  }
  return std::string(name);
}

std::vector<std::string> type_names() {
  std::vector<std::string> names;
  for (const ElementName& element : kElements) names.emplace_back(element.name);
  for (const Alias& alias : kAliases) names.emplace_back(alias.name);
  for (const Alias& component : kComponents) {
    for (const char lanes : {'2', '3', '4'}) names.push_back(std::string(component.name) + lanes);
  }
  for (const char* bits : {"8", "16", "32", "64"}) {
    names.push_back(fmt::format("int{}_t", bits));
    names.push_back(fmt::format("uint{}_t", bits));
  }
  return names;
}

bool is_real(ElementType type) {
  return type == ElementType::float16 || type == ElementType::bfloat16 || type == ElementType::float32 ||
         type == ElementType::float64;
}

double least_value(ElementType type) {
  const bool has_sign = entry(type).name.starts_with("int");
  return has_sign ? -std::ldexp(1.0, static_cast<int>(size_of(type)) * 8 - 1) : 0;
}

double greatest_value(ElementType type) {
  if (type == ElementType::boolean) return 1;
  const bool has_sign = least_value(type) < 0;
  return std::ldexp(1.0, static_cast<int>(size_of(type)) * 8 - (has_sign ? 1 : 0)) - 1;
}

double default_rtol(ElementType type) {
  return entry(type).rtol;
}

double default_atol(ElementType type) {
  return entry(type).atol;
}

}  // namespace tuner
