#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "search/expression/value.hpp"

namespace tuner::search {

/// A value while it is computed with: like Value, but trivially copied. A name is a pointer to text that a Scope, a
/// Parameter or an expression's literals own; whoever evaluates keeps those alive.
struct Operand {
  enum class Kind : std::uint8_t {
    integer,
    boolean,
    real,
    name,
    undefined,  ///< a value that cannot be computed: only in constraint programs, which do not throw
    settled     ///< one that nobody needs any more: only while a decision diagram is built
  };

  Kind kind = Kind::integer;
  union {
    std::int64_t integer = 0;  ///< kinds integer and boolean (0 or 1)
    double real;
    const std::string* name;
  };

  static Operand of_integer(std::int64_t value) {
    Operand result;
    result.integer = value;
    return result;
  }
  static Operand of_boolean(bool value) {
    Operand result = of_integer(value ? 1 : 0);
    result.kind = Kind::boolean;
    return result;
  }
  static Operand of_real(double value) {
    Operand result;
    result.kind = Kind::real;
    result.real = value;
    return result;
  }
  static Operand of(const Value& value);  ///< refers to the value's name

  bool is_name() const { return kind == Kind::name; }
  bool is_real() const { return kind == Kind::real; }
  bool is_whole() const { return kind <= Kind::boolean; }

  double to_real() const { return is_real() ? real : static_cast<double>(integer); }  ///< not for names
  Value value() const;
};

/// Compares two numbers by their exact values: no integer is rounded to a real first.
std::partial_ordering compare_numbers(const Operand& a, const Operand& b);

/// Equal as numbers, or the same name.
bool equal(const Operand& a, const Operand& b);

}  // namespace tuner::search
