#include "tuner/core/task/problem_list.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/range_text.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

[[noreturn]] void refuse_list(const std::string& sentence) {
  throw Error(Errc::bad_problem, search::with_short_quotations(sentence));
}

[[noreturn]] void refuse_number_of_problems(std::string_view what) {
  refuse_list(fmt::format("{} more than {} problems, which is the most that one command takes. Give fewer values.",
                          what, grouped(kMostProblems)));
}

/// A name with all values that are given for it.
struct ListedProperty {
  std::string name;
  std::vector<search::Value> values;

  void add(std::string_view text);

 private:
  void add_range(std::string_view text, const RangeText& written);
  std::int64_t integer(std::string_view range, std::string_view text) const;
  void push(search::Value value) {
    if (values.size() == kMostProblems) refuse_number_of_problems(fmt::format("The values of `{}` stand for", name));
    values.push_back(std::move(value));
  }
  [[noreturn]] void refuse_range(std::string_view range, std::string_view why) const {
    refuse_list(fmt::format("The range `{}={}` {}.", name, range, why));
  }
};

void ListedProperty::add(std::string_view text) {
  text = search::trimmed(text);
  if (const auto range = find_range(text)) return add_range(text, *range);
  push(read_problem_value(name, text));
}

std::int64_t ListedProperty::integer(std::string_view range, std::string_view text) const {
  constexpr std::string_view kForms =
      "is none: write it with integers, and a blank before a factor or a step, as in `1..4`, `64..8192 x2` or `0..100 "
      "step 25`";
  if (search::trimmed(text).empty()) refuse_range(range, kForms);
  const search::Value value = read_problem_value(name, text);
  if (value.is_integer()) return value.as_integer();
  const bool is_whole = value.is_real() && value.as_real() == std::floor(value.as_real());
  if (!is_whole || std::abs(value.as_real()) >= 0x1p53) refuse_range(range, kForms);
  return value.as_integer();
}

void ListedProperty::add_range(std::string_view text, const RangeText& written) {
  const bool has_step = written.step.data() != nullptr;
  const Range range{integer(text, written.from), integer(text, written.to), has_step ? integer(text, written.step) : 1,
                    written.multiplies};
  if (range.to < range.from) refuse_range(text, "ends below its beginning; the smaller number comes first");
  if (range.multiplies && range.from < 1) refuse_range(text, "begins below 1; one with a factor begins with 1 or more");
  if (range.multiplies && range.step < 2) refuse_range(text, "does not grow; the factor is 2 or more");
  if (range.step < 1) refuse_range(text, "does not grow; the step is 1 or more");
  for (std::optional value = range.from; value; value = next_of(range, *value)) push(*value);
}

std::vector<ListedProperty> listed_properties(std::string_view text) {
  std::vector<ListedProperty> properties;
  std::set<std::string, std::less<>> names;
  for (const std::string& part : split_assignments(text)) {
    const std::string_view written = search::trimmed(part);
    const std::size_t equals = written.starts_with('"') ? std::string_view::npos : written.find('=');
    const std::string_view name = search::trimmed(written.substr(0, equals));
    const bool continues = equals == std::string_view::npos && !properties.empty();
    if (continues && written.empty()) refuse_list(fmt::format("The problem `{}` has nothing after a comma.", text));
    if (continues) {
      properties.back().add(written);
      continue;
    }
    if (equals == std::string_view::npos || !is_identifier(name)) {
      refuse_list(fmt::format(
          "The problem `{}` has a part `{}` that is not NAME=VALUE; write, for example, rows=528,row_length=65536.",
          text, written));
    }
    if (!names.emplace(name).second)
      refuse_list(
          fmt::format("The problem `{}` gives {} twice; write all its values after one {}=.", text, name, name));
    properties.push_back({std::string(name), {}});
    properties.back().add(written.substr(equals + 1));
  }
  return properties;
}

std::string_view without_comment(std::string_view line) {
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && !quoted) return line.substr(0, i);
    if (line[i] == '\\' && quoted)
      ++i;
    else if (line[i] == '"')
      quoted = !quoted;
  }
  return line;
}

/// Beyond these a sum over problems would lose those that count least.
constexpr double kLeastWeight = 1e-6, kMostWeight = 1e6;

/// Takes ` weight NUMBER` from the end of a line; 1 if there is none.
double take_weight(std::string_view& line) {
  constexpr std::string_view kWord = "weight";
  const std::size_t last = line.find_last_of(" \t");
  if (last == std::string_view::npos) return 1;
  const std::string_view before = search::trimmed(line.substr(0, last)), text = line.substr(last + 1);
  if (text == kWord && !before.ends_with(',') && !before.ends_with('='))
    refuse_list(
        fmt::format("Behind the last word of `{}` a number is missing; write, for example, n=1000 weight 2.5.", line));
  if (!before.ends_with(kWord) || before.size() == kWord.size() ||
      std::string_view(" \t").find(before[before.size() - kWord.size() - 1]) == std::string_view::npos) {
    return 1;
  }
  double weight = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  if (error != std::errc() || end != text.data() + text.size() || !(weight >= kLeastWeight && weight <= kMostWeight)) {
    refuse_list(fmt::format(
        "The weight `{}` is no number from 0.000001 to 1000000; write, for example, n=1000 weight 2.5.", text));
  }
  line = search::trimmed(before.substr(0, before.size() - kWord.size()));
  return weight;
}

}  // namespace

std::vector<ProblemValues> parse_problems(std::string_view text) {
  std::vector<ProblemValues> problems(1);
  if (search::trimmed(text).empty()) return problems;
  for (const ListedProperty& property : listed_properties(text)) {
    if (problems.size() * property.values.size() > kMostProblems)
      refuse_number_of_problems(fmt::format("The problem `{}` stands for", text));
    if (property.values.size() == 1) {
      for (ProblemValues& problem : problems) problem.emplace(property.name, property.values.front());
      continue;
    }
    std::vector<ProblemValues> longer;
    longer.reserve(problems.size() * property.values.size());
    for (const ProblemValues& problem : problems) {
      for (const search::Value& value : property.values) {
        longer.push_back(problem);
        longer.back().emplace(property.name, value);
      }
    }
    problems = std::move(longer);
  }
  return problems;
}

std::vector<GivenProblem> parse_problem_file(std::string_view text, std::string_view file) {
  std::vector<GivenProblem> given;
  if (text.find('\0') != std::string_view::npos)
    refuse_list(fmt::format("{} is not a text; name a file with one problem a line.", file));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = search::trimmed(without_comment(text.substr(0, end)));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    const std::string origin = fmt::format("{}:{}", file, ++number);
    if (line.empty()) continue;
    try {
      const double weight = take_weight(line);
      for (ProblemValues& values : parse_problems(line)) given.push_back({std::move(values), origin, weight});
    } catch (const Error& error) {
      throw Error(error.code(), fmt::format("{}: {}", origin, error.what()));
    }
    if (given.size() > kMostProblems) refuse_number_of_problems(fmt::format("{}: The file has", origin));
  }
  if (given.empty()) {
    refuse_list(fmt::format("{} has no problem; write one a line, for example rows=528,row_length=65536.", file));
  }
  return given;
}

}  // namespace tuner
