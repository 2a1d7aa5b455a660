#include "tuner/core/header/header_column.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <limits>
#include <set>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/description/directives.hpp"

namespace tuner {

namespace {

bool fits_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

}  // namespace

Column column_of(const std::vector<search::Value>& values, const std::vector<std::string>* declared) {
  Column column;
  const auto all = [&](auto is) { return std::all_of(values.begin(), values.end(), is); };
  if (all([](const search::Value& value) { return value.is_boolean(); })) return column;
  if (all([](const search::Value& value) { return value.is_number() && !value.is_real(); })) {
    const bool narrow = all([](const search::Value& value) { return fits_int(value.as_integer()); });
    column.kind = narrow ? Column::Kind::integer : Column::Kind::wide;
    return column;
  }
  if (all([](const search::Value& value) { return value.is_number(); })) {
    column.kind = Column::Kind::real;
    return column;
  }
  column.kind = Column::Kind::text;
  const bool words = all([](const search::Value& value) { return value.is_name() && is_identifier(value.as_name()); });
  const bool types = all([](const search::Value& value) { return value.is_name() && shape_of_type(value.as_name()); });
  if (!words || types) return column;
  column.kind = Column::Kind::named;
  if (declared != nullptr) {
    column.words = *declared;
    return column;
  }
  std::set<std::string> sorted;
  for (const search::Value& value : values) sorted.insert(value.as_name());
  column.words.assign(sorted.begin(), sorted.end());
  column.first_number = 1;
  return column;
}

std::string literal(const search::Value& value, const std::string& name, const Column& column) {
  switch (column.kind) {
    case Column::Kind::boolean:
      return value.as_boolean() ? "true" : "false";
    case Column::Kind::integer:
      return std::to_string(value.as_integer());
    case Column::Kind::wide:
      return value.as_integer() == std::numeric_limits<std::int64_t>::min() ? "-9223372036854775807LL - 1"
                                                                            : std::to_string(value.as_integer()) + "LL";
    case Column::Kind::real:
      return search::Value(value.as_real()).text();
    case Column::Kind::named:
      return name + "_" + value.as_name();
    case Column::Kind::text:
      return string_literal(value.is_name() ? value.as_name() : value.text());
  }
  return {};
}

std::string enumerators(const HeaderColumns& columns) {
  std::string text;
  for (const auto& [name, column] : columns) {
    if (column.words.empty()) continue;
    std::string list;
    for (std::size_t i = 0; i < column.words.size(); ++i) {
      list += fmt::format("{}{}_{} = {}", i == 0 ? "" : ", ", name, column.words[i],
                          column.first_number + static_cast<int>(i));
    }
    text += fmt::format("enum : int {{ {} }};\n", list);
  }
  return text;
}

std::string initialisers(const ColumnValues& values, const HeaderColumns& columns) {
  std::string text;
  for (const auto& [name, column] : columns) {
    const auto found = values.find(name);
    const std::string one = found != values.end()                ? literal(found->second, name, column)
                            : column.kind == Column::Kind::text  ? "\"\""
                            : column.kind == Column::Kind::named ? name + "_" + column.words.front()
                                                                 : "{}";
    text += (text.empty() ? "" : ", ") + one;
  }
  return text;
}

std::string string_literal(std::string_view text) {
  std::string result = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte > 0x7e) {
      result += fmt::format("\\{:03o}", byte);  // three digits: what follows may be one
    } else if (text[i] == '"' || text[i] == '\\' || (text[i] == '?' && i > 0 && text[i - 1] == '?')) {
      result += {'\\', text[i]};  // two question marks may begin a trigraph
    } else {
      result += text[i];
    }
  }
  return result + "\"";
}

std::string identifier_of(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const bool is_word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (is_word) result += c;
    if (!is_word && !result.empty() && result.back() != '_') result += '_';
  }
  while (result.ends_with('_')) result.pop_back();
  return result.empty() || std::isdigit(static_cast<unsigned char>(result.front())) != 0 ? "_" + result : result;
}

}  // namespace tuner
