#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace tuner::search {

/// A value of a parameter, a problem property or an expression: integer, real, boolean, or a name (`shared_rolling`,
/// `float`). Values are ordinary: copied, compared, printed. Two values are equal when they are equal as numbers (1
/// == 1.0 == true) or the same name; a name never equals a number.
class Value {
 public:
  Value() : data_(std::int64_t{0}) {}
  Value(std::int64_t integer) : data_(integer) {}
  Value(int integer) : data_(std::int64_t{integer}) {}
  Value(double real) : data_(real) {}
  Value(bool boolean) : data_(boolean) {}
  Value(std::string name) : data_(std::move(name)) {}
  Value(std::string_view name) : data_(std::string(name)) {}
  Value(const char* name) : data_(std::string(name)) {}

  bool is_integer() const { return std::holds_alternative<std::int64_t>(data_); }
  bool is_real() const { return std::holds_alternative<double>(data_); }
  bool is_boolean() const { return std::holds_alternative<bool>(data_); }
  bool is_name() const { return std::holds_alternative<std::string>(data_); }
  bool is_number() const { return !is_name(); }

  /// As a 64-bit integer: booleans are 0 and 1, a real must be integral. Throws Error{bad_description} otherwise.
  std::int64_t as_integer() const;
  /// As a real: any number. Throws Error{bad_description} for a name.
  double as_real() const;
  /// Truth as in C and Python: zero is false. Throws Error{bad_description} for a name.
  bool as_boolean() const;
  /// The name; throws Error{bad_description} for a number.
  const std::string& as_name() const;

  /// Canonical text: `128`, `0.5` (shortest digits that read back the same; always with a point or exponent), `true`,
  /// `none`; a name that is not [A-Za-z0-9_.+-]+, or that would read as a number or boolean, is double-quoted with
  /// backslash escapes, so that text() and parse() are inverse.
  std::string text() const;
  /// Reads what text() writes, and besides `0x20`, `+5`, `True` and `False`. Unquoted text that is neither number nor
  /// boolean is a name; blanks around it do not count. Throws Error{bad_description} for a number that does not fit in
  /// 64 bits and for an unfinished quotation.
  static Value parse(std::string_view text);

  friend bool operator==(const Value& a, const Value& b);

 private:
  std::variant<std::int64_t, double, bool, std::string> data_;
};

}  // namespace tuner::search
