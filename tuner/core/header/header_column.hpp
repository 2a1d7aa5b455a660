#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "search/expression/value.hpp"

namespace tuner {

/// What a column of values needs to be written in C++.
struct Column {
  enum class Kind { boolean, integer, wide, real, named, text };
  Kind kind = Kind::boolean;
  std::vector<std::string> words;  ///< named: in the order of their numbers
  int first_number = 0;

  const char* type() const {
    switch (kind) {
      case Kind::boolean:
        return "bool";
      case Kind::integer:
      case Kind::named:
        return "int";
      case Kind::wide:
        return "long long";
      case Kind::real:
        return "double";
      case Kind::text:
        return "const char*";
    }
    return "";
  }
};

/// What holds all of these values. Words are numbered as `declared` says, or from 1 on if that is null.
Column column_of(const std::vector<search::Value>& values, const std::vector<std::string>* declared);

/// By name: of parameters or properties.
using HeaderColumns = std::map<std::string, Column>;
using ColumnValues = std::map<std::string, search::Value>;

/// "enum : int { kind_fast = 1, kind_small = 2 };", a line for each column of names.
std::string enumerators(const HeaderColumns& columns);
/// The values as a list of initialisers, one for each column: what is not among them had no say in the result.
std::string initialisers(const ColumnValues& values, const HeaderColumns& columns);
/// A value as C++ text; `name` is that of the column.
std::string literal(const search::Value& value, const std::string& name, const Column& column);
/// In quotes, as letters that every compiler reads alike: what is not printable ASCII is written as its bytes.
std::string string_literal(std::string_view text);
/// Letters and digits of a text, with `_` for what is between them, as a name.
std::string identifier_of(std::string_view text);

}  // namespace tuner
