#include "search/expression/value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "search/expression/exact_numbers.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/error.hpp"

namespace tuner::search {
namespace {

constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kHexCharacters = "0123456789abcdefABCDEF";

[[noreturn]] void fail(const std::string& sentence) {
  throw Error(Errc::bad_description, with_short_quotations(sentence));
}

bool is_plain(std::string_view name) {
  constexpr std::string_view allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-";
  return !name.empty() && name.find_first_not_of(allowed) == std::string_view::npos;
}

std::optional<bool> read_boolean(std::string_view text) {
  if (text == "true" || text == "True") return true;
  if (text == "false" || text == "False") return false;
  return std::nullopt;
}

/// What unquoted text is, by its form alone: `9e999` has the form of a real although it is none that fits.
enum class Form { integer, hexadecimal, real, other };

Form form_of(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  if (text == "inf" || text == "nan") return Form::real;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    return !text.empty() && text.find_first_not_of(kHexCharacters) == std::string_view::npos ? Form::hexadecimal
                                                                                             : Form::other;
  }
  const auto skip_digits = [&text] {
    const std::size_t count = std::min(text.find_first_not_of(kDigits), text.size());
    text.remove_prefix(count);
    return count;
  };
  std::size_t digits = skip_digits();
  if (digits > 0 && text.empty()) return Form::integer;
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    digits += skip_digits();
  }
  if (digits == 0) return Form::other;
  if (text.empty()) return Form::real;
  if (text.front() != 'e' && text.front() != 'E') return Form::other;
  text.remove_prefix(1);
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  return skip_digits() > 0 && text.empty() ? Form::real : Form::other;
}

std::int64_t read_integer(std::string_view text, int base) {
  const bool negative = text.front() == '-';
  std::string_view digits = text;
  if (negative || text.front() == '+') digits.remove_prefix(1);
  if (base == 16) digits.remove_prefix(2);
  std::uint64_t magnitude = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude, base);
  const std::uint64_t limit = std::uint64_t{std::numeric_limits<std::int64_t>::max()} + (negative ? 1 : 0);
  if (error != std::errc() || magnitude > limit) fail(fmt::format("The integer {} does not fit in 64 bits.", text));
  return static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
}

double read_real(std::string_view text) {
  std::string_view unsigned_text = text;
  if (text.front() == '+') unsigned_text.remove_prefix(1);
  double result = 0;
  const auto [end, error] = std::from_chars(unsigned_text.data(), unsigned_text.data() + unsigned_text.size(), result);
  if (error != std::errc()) fail(fmt::format("The number {} is too large or too small for a real.", text));
  return result;
}

std::string real_text(double real) {
  if (std::isnan(real)) return "nan";
  std::array<char, 32> buffer;
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), real);
  std::string result(buffer.data(), end);
  if (std::isfinite(real) && result.find_first_of(".e") == std::string::npos) result += ".0";
  return result;
}

}  // namespace

std::int64_t Value::as_integer() const {
  if (const auto* integer = std::get_if<std::int64_t>(&data_)) return *integer;
  if (const auto* boolean = std::get_if<bool>(&data_)) return *boolean ? 1 : 0;
  const double real = as_real();
  if (!is_integral(real)) fail(fmt::format("{} is not a 64-bit integer.", text()));
  return static_cast<std::int64_t>(real);
}

double Value::as_real() const {
  if (const auto* integer = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*integer);
  if (const auto* boolean = std::get_if<bool>(&data_)) return *boolean ? 1 : 0;
  if (const auto* real = std::get_if<double>(&data_)) return *real;
  fail(fmt::format("`{}` is a name, but a number is needed.", text()));
}

bool Value::as_boolean() const {
  if (const auto* boolean = std::get_if<bool>(&data_)) return *boolean;
  if (const auto* integer = std::get_if<std::int64_t>(&data_)) return *integer != 0;
  return as_real() != 0;
}

const std::string& Value::as_name() const {
  if (const auto* name = std::get_if<std::string>(&data_)) return *name;
  fail(fmt::format("{} is a number, but a name is needed.", text()));
}

std::string Value::text() const {
  if (const auto* integer = std::get_if<std::int64_t>(&data_)) return fmt::format("{}", *integer);
  if (const auto* boolean = std::get_if<bool>(&data_)) return *boolean ? "true" : "false";
  if (const auto* real = std::get_if<double>(&data_)) return real_text(*real);
  const auto& name = std::get<std::string>(data_);
  const bool ambiguous = read_boolean(name).has_value() || form_of(name) != Form::other;
  return is_plain(name) && !ambiguous ? name : quote(name);
}

Value Value::parse(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('"')) {
    std::optional<std::string> name;
    if (text.size() >= 2 && text.ends_with('"')) name = unescape(text.substr(1, text.size() - 2), '"');
    if (!name) fail(fmt::format("The quoted value {} is not closed or has a bad escape.", text));
    return Value(*std::move(name));
  }
  if (const auto boolean = read_boolean(text)) return Value(*boolean);
  switch (form_of(text)) {
    case Form::integer:
      return Value(read_integer(text, 10));
    case Form::hexadecimal:
      return Value(read_integer(text, 16));
    case Form::real:
      return Value(read_real(text));
    case Form::other:
      break;
  }
  return Value(text);
}

bool operator==(const Value& a, const Value& b) {
  if (a.is_name() || b.is_name()) return a.data_ == b.data_;
  if (a.is_real() && b.is_real()) return a.as_real() == b.as_real();
  if (a.is_real()) return compare_exactly(b.as_integer(), a.as_real()) == std::partial_ordering::equivalent;
  if (b.is_real()) return compare_exactly(a.as_integer(), b.as_real()) == std::partial_ordering::equivalent;
  return a.as_integer() == b.as_integer();
}

}  // namespace tuner::search
