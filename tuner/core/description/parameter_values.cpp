#include "tuner/core/description/parameter_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/range_text.hpp"
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

void append_range(const Span& item, const RangeText& written, std::vector<search::Value>& values) {
  const auto part = [&](std::string_view text) {
    return item.sub(static_cast<std::size_t>(text.data() - item.text().data()), text.size()).trimmed();
  };
  Range range{read_integer(part(written.from), "start"), read_integer(part(written.to), "end"), 1, written.multiplies};
  if (written.step.data() != nullptr) {
    const char* const what = range.multiplies ? "factor" : "step";
    const Span step = part(written.step);
    range.step = read_integer(step, what);
    const int least = range.multiplies ? 2 : 1;
    if (range.step < least)
      step.fail(fmt::format("the {} of a range must be at least {}, not {}", what, least, range.step));
  }
  if (range.from > range.to) {
    item.fail(fmt::format("the range is empty: {} is above {}; write the smaller end first", range.from, range.to));
  }
  if (range.multiplies && range.from < 1)
    item.fail(fmt::format("a range with a factor must start at 1 or above, not at {}", range.from));
  std::size_t count = 0;
  for (std::optional value = range.from; value; value = next_of(range, *value)) {
    if (++count > kMostValues) item.fail(fmt::format("the range has more than {} values", kMostValues));
    values.emplace_back(*value);
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
    if (const auto range = find_range(item.text())) {
      append_range(item, *range, values);
    } else {
      values.push_back(read_value(item));
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
