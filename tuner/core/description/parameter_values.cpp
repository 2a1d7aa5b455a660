#include "tuner/core/description/parameter_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

constexpr std::size_t kMostValues = 65536;
constexpr std::array<std::string_view, 6> kExpressionWords{"and", "or", "not", "in", "if", "else"};

std::int64_t read_integer(const Span& span, const char* what) {
  const search::Value value = read_value(span);
  if (!value.is_integer())
    span.fail(fmt::format("`{}` is not an integer, as the {} of a range must be", span.text(), what));
  return value.as_integer();
}

/// first, first * factor, ... as far as `last`.
void append_powers(const Span& item, const Span& factor_text, std::int64_t first, std::int64_t last,
                   std::vector<search::Value>& values) {
  const std::int64_t factor = read_integer(factor_text, "factor");
  if (factor < 2) factor_text.fail(fmt::format("the factor of a range must be at least 2, not {}", factor));
  if (first < 1) item.fail(fmt::format("a range with a factor must start at 1 or above, not at {}", first));
  for (std::int64_t value = first;; value *= factor) {
    values.emplace_back(value);
    if (value > last / factor) return;
  }
}

/// `first..last`, `first..last step s` or `first..last xf`, with `dots` the position of the two points.
void append_range(const Span& item, std::size_t dots, std::vector<search::Value>& values) {
  const Span rest = item.sub(dots + 2);
  const std::size_t step_word = rest.text().find("step");
  const std::size_t factor_word = rest.text().find(" x");  // the x of 0x20 has no blank before it
  const std::int64_t first = read_integer(item.sub(0, dots).trimmed(), "start");
  const std::int64_t last = read_integer(rest.sub(0, std::min(step_word, factor_word)).trimmed(), "end");
  std::int64_t step = 1;
  if (step_word != std::string_view::npos) {
    const Span text = rest.sub(step_word + 4).trimmed();
    step = read_integer(text, "step");
    if (step < 1) text.fail(fmt::format("the step of a range must be at least 1, not {}", step));
  }
  if (first > last)
    item.fail(fmt::format("the range is empty: {} is above {}; write the smaller end first", first, last));
  if (factor_word != std::string_view::npos) {
    return append_powers(item, rest.sub(factor_word + 2).trimmed(), first, last, values);
  }
  const std::uint64_t width = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const std::uint64_t count = width / static_cast<std::uint64_t>(step);
  if (count >= kMostValues) item.fail(fmt::format("the range has more than {} values", kMostValues));
  for (std::uint64_t i = 0; i <= count; ++i) {
    // Unsigned: from one end of the 64-bit range to the other, `i * step` alone does not fit in a signed one.
    values.emplace_back(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(first) + i * static_cast<std::uint64_t>(step)));
  }
}

}  // namespace

search::Value read_value(const Span& span) {
  const std::string_view text = span.text();
  if (text.empty()) span.fail("a value is missing here");
  if (const std::size_t comment = text.find("//"); comment != std::string_view::npos && text.front() != '"') {
    span.fail("inside parentheses `//` divides; write a comment there as /* ... */", comment);
  }
  if (is_identifier(text)) {
    if (std::find(kExpressionWords.begin(), kExpressionWords.end(), text) != kExpressionWords.end()) {
      span.fail(fmt::format("`{}` is an operator of expressions and cannot be a value", text));
    }
    if (text == "true" || text == "True") return true;
    if (text == "false" || text == "False") return false;
    return text;
  }
  search::Value value;
  try {
    value = search::Value::parse(text);
  } catch (const Error& error) {
    span.fail(error.what());
  }
  const bool unquoted_name = value.is_name() && text.front() != '"';
  if (unquoted_name || (value.is_real() && !std::isfinite(value.as_real()))) {
    const bool may_be_code = is_letter(text.front()) || text.front() == '_';
    span.fail(fmt::format(
        "`{}` is not a value; values are integers, reals, true, false and names{}", text,
        may_be_code ? fmt::format("; text for the kernel stands in double quotes with the clause `; text`, as in "
                                  "param(NAME, \"{}\"; text)",
                                  text)
                    : ""));
  }
  return value;
}

std::vector<search::Value> read_values(const std::vector<Span>& items) {
  std::vector<search::Value> values;
  std::set<std::string> seen;
  for (const Span& item : items) {
    const std::size_t before = values.size();
    const std::size_t dots = item.text().starts_with('"') ? std::string_view::npos : item.text().find("..");
    if (dots == std::string_view::npos) {
      values.push_back(read_value(item));
    } else {
      append_range(item, dots, values);
    }
    if (values.size() > kMostValues) item.fail(fmt::format("a parameter has at most {} values", kMostValues));
    for (std::size_t i = before; i < values.size(); ++i) {
      const search::Value& value = values[i];
      if (!seen.insert(equality_text(value)).second) {
        item.fail(fmt::format("the value {} is in the list twice", value.text()));
      }
    }
  }
  return values;
}

std::string equality_text(const search::Value& value) {
  if (value.is_name()) return "=" + value.as_name();
  const double real = value.as_real();
  const bool integral = !value.is_real() || (real == std::floor(real) && real >= -0x1p63 && real < 0x1p63);
  return integral ? std::to_string(value.as_integer()) : value.text();
}

bool are_types(const std::vector<search::Value>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](const search::Value& value) { return value.is_name() && shape_of_type(value.as_name()); });
}

double read_real(const Span& span, const char* what) {
  const search::Value value = read_value(span);
  if (!value.is_integer() && !value.is_real())
    span.fail(fmt::format("`{}` is not a number, as {} must be", span.text(), what));
  return value.as_real();
}

}  // namespace tuner
