#include "tuner/core/t1/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

constexpr std::size_t kMostValues = 65536;
constexpr std::size_t kMostSteps = 1U << 18;
constexpr int kMostNesting = 60;
constexpr std::size_t kLongestText = 1U << 20;

template <typename... Args>
[[noreturn]] void refuse(fmt::format_string<Args...> sentence, Args&&... args) {
  throw Error(Errc::bad_description, fmt::format(sentence, std::forward<Args>(args)...));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::string part(text.substr(0, kMost));
  std::replace(part.begin(), part.end(), '\0', '?');  // it would end the sentence
  return part + (text.size() > kMost ? "..." : "");
}

/// Walks over text that stands outside of brackets and quotes, one character at a time.
class OuterText {
 public:
  explicit OuterText(std::string_view text) : text_(text) {}

  /// The next position outside of everything; npos at the end. Throws where brackets or quotes do not match.
  std::size_t next() {
    while (at_ < text_.size()) {
      const std::size_t here = at_++;
      const char c = text_[here];
      if (c == '\'' || c == '"') {
        skip_quotation(c);
        continue;
      }
      if (c == '(' || c == '[' || c == '{') {
        const bool outside = open_.empty();
        open_ += c == '(' ? ')' : c == '[' ? ']' : '}';
        if (outside) return here;
        continue;
      }
      if (c == ')' || c == ']' || c == '}') {
        if (open_.empty() || open_.back() != c) refuse("there is an extra `{}` in `{}`", c, shown(text_));
        open_.pop_back();
        continue;
      }
      if (open_.empty()) return here;
    }
    if (!open_.empty()) refuse("`{}` is missing at the end of `{}`", open_.back(), shown(text_));
    return std::string_view::npos;
  }

 private:
  void skip_quotation(char quote) {
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) refuse("a quoted text is not closed in `{}`", shown(text_));
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string open_;
};

/// The parts between separators outside of brackets and quotes, trimmed.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  OuterText outer(text);
  for (std::size_t at = outer.next(); at != std::string_view::npos; at = outer.next()) {
    if (text[at] != separator) continue;
    parts.push_back(search::trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  parts.push_back(search::trimmed(text.substr(begin)));
  return parts;
}

/// Where `word` stands as a word outside of brackets and quotes, from `from` on.
std::size_t find_outer_word(std::string_view text, std::string_view word, std::size_t from) {
  OuterText outer(text);
  for (std::size_t at = outer.next(); at != std::string_view::npos; at = outer.next()) {
    if (at < from || text.substr(at, word.size()) != word) continue;
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = at + word.size() >= text.size() || !is_word_character(text[at + word.size()]);
    if (begins && ends) return at;
  }
  return std::string_view::npos;
}

class ListReader {
 public:
  std::vector<search::Value> read(std::string_view text) { return sum(text, search::Scope()); }

 private:
  using Values = std::vector<search::Value>;
  class Nesting {
   public:
    explicit Nesting(ListReader& reader) : reader_(reader) {
      if (++reader.nesting_ > kMostNesting) refuse("lists are nested more than {} levels deep", kMostNesting);
    }
    ~Nesting() { --reader_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    ListReader& reader_;
  };

  void step() {
    if (++steps_ > kMostSteps) refuse("this takes more than {} steps to evaluate", kMostSteps);
  }
  static void append(Values& values, search::Value value) {
    if (values.size() >= kMostValues) refuse("the list has more than {} values", kMostValues);
    values.push_back(std::move(value));
  }

  static search::Value evaluate(std::string_view text, const search::Scope& scope) {
    if (text.empty()) refuse("a value is missing between two commas");
    if (text.front() == '[') refuse("`{}` is a list in a list; a value is one number or string", shown(text));
    // A pair of parentheses with a comma in them, and nothing around them.
    if (text.front() == '(' && text.back() == ')' && split(text.substr(1, text.size() - 2), ',').size() > 1) {
      refuse("`{}` is a tuple; a value is one number or string", shown(text));
    }
    return search::Expression::parse(text).evaluate(scope);
  }

  static std::int64_t whole(std::string_view text, const search::Scope& scope) {
    if (text.empty()) refuse("a number is missing in range(...)");
    return search::Expression::parse(text).evaluate_integer(scope);
  }

  Values sum(std::string_view text, const search::Scope& scope) {
    const Nesting nesting(*this);
    Values values;
    for (const std::string_view part : split(search::trimmed(text), '+')) {
      for (search::Value& value : product(part, scope)) append(values, std::move(value));
    }
    return values;
  }

  /// `[0] * 4`, `4 * [0]`, or a single term.
  Values product(std::string_view text, const search::Scope& scope) {
    const std::vector<std::string_view> factors = split(text, '*');
    const bool power = std::any_of(factors.begin(), factors.end(), [](std::string_view f) { return f.empty(); });
    if (factors.size() != 2 || power) return term(text, scope);
    const bool list_first = !factors[0].empty() && !is_digit(factors[0].front());
    const Values once = term(factors[list_first ? 0 : 1], scope);
    const std::int64_t count = whole(factors[list_first ? 1 : 0], scope);
    Values values;
    for (std::int64_t i = 0; i < count && !once.empty(); ++i) {
      for (const search::Value& value : once) append(values, value);
    }
    return values;
  }

  Values term(std::string_view text, const search::Scope& scope) {
    if (text.empty()) refuse("a list is missing here; write one like [1, 2, 4] or list(range(1, 9))");
    const std::size_t open = text.find_first_of("[(");
    const bool encloses = open != std::string_view::npos && text.back() == (text[open] == '[' ? ']' : ')') &&
                          closes_at_end(text.substr(open));
    if (!encloses) refuse_as_list(text);
    const std::string_view function = search::trimmed(text.substr(0, open));
    const std::string_view inside = search::trimmed(text.substr(open + 1, text.size() - open - 2));
    if (text[open] == '[') {
      if (!function.empty()) refuse_as_list(text);
      return inside_brackets(inside, scope);
    }
    if (function.empty()) {
      const bool is_tuple = inside.empty() || split(inside, ',').size() > 1;
      return is_tuple ? inside_brackets(inside, scope) : generated_or_list(inside, scope);
    }
    return call(function, inside, text, scope);
  }

  [[noreturn]] static void refuse_as_list(std::string_view text) {
    refuse("`{}` is not a list; write it like [1, 2, 4], list(range(1, 9)) or [2**i for i in range(6)]", shown(text));
  }

  static bool closes_at_end(std::string_view text) {
    OuterText outer(text);
    std::size_t outside = 0;
    while (outer.next() != std::string_view::npos) ++outside;
    return outside == 1;
  }

  Values inside_brackets(std::string_view inside, const search::Scope& scope) {
    if (inside.empty()) return {};
    if (find_outer_word(inside, "for", 0) != std::string_view::npos) return comprehension(inside, scope);
    std::vector<std::string_view> elements = split(inside, ',');
    if (elements.size() > 1 && elements.back().empty()) elements.pop_back();  // Python allows one comma more
    Values values;
    for (const std::string_view element : elements) {
      step();
      append(values, evaluate(element, scope));
    }
    return values;
  }

  Values generated_or_list(std::string_view inside, const search::Scope& scope) {
    return find_outer_word(inside, "for", 0) == std::string_view::npos ? sum(inside, scope)
                                                                       : comprehension(inside, scope);
  }

  Values call(std::string_view function, std::string_view inside, std::string_view text, const search::Scope& scope) {
    if (function == "range") return range(inside, scope);
    if (function == "list" || function == "tuple") return inside.empty() ? Values() : generated_or_list(inside, scope);
    if (function == "set") return unique(inside.empty() ? Values() : generated_or_list(inside, scope));
    if (function == "reversed") {
      Values values = sum(inside, scope);
      std::reverse(values.begin(), values.end());
      return values;
    }
    if (function == "sorted") return sorted(inside, scope);
    refuse(
        "`{}` in `{}` is not one of the functions that give a list here: range, list, tuple, set, sorted and reversed",
        shown(function), shown(text));
  }

  Values range(std::string_view inside, const search::Scope& scope) {
    const std::vector<std::string_view> bounds = split(inside, ',');
    if (inside.empty() || bounds.size() > 3) {
      refuse("range takes one to three numbers, as in range(1, 9) and range(32, 1025, 32), not `{}`", shown(inside));
    }
    const std::int64_t first = bounds.size() == 1 ? 0 : whole(bounds[0], scope);
    const std::int64_t end = whole(bounds[bounds.size() == 1 ? 0 : 1], scope);
    const std::int64_t stride = bounds.size() == 3 ? whole(bounds[2], scope) : 1;
    if (stride == 0) refuse("the step of a range cannot be 0");
    Values values;
    std::int64_t at = first;
    while (stride > 0 ? at < end : at > end) {
      step();
      append(values, at);
      if (__builtin_add_overflow(at, stride, &at)) break;
    }
    return values;
  }

  Values sorted(std::string_view inside, const search::Scope& scope) {
    const std::vector<std::string_view> parts = split(inside, ',');
    const bool reverse = parts.size() == 2 && parts[1].starts_with("reverse") && parts[1].ends_with("True");
    if (parts.size() > 2 || (parts.size() == 2 && !reverse)) {
      refuse("sorted takes a list, and reverse=True, not `{}`", shown(inside));
    }
    Values values = generated_or_list(parts[0], scope);
    std::stable_sort(values.begin(), values.end(), [reverse](const search::Value& a, const search::Value& b) {
      if (a.is_name() != b.is_name()) refuse("sorted cannot order numbers and strings in one list");
      const auto less = [](const search::Value& x, const search::Value& y) {
        return x.is_name() ? x.as_name() < y.as_name() : x.as_real() < y.as_real();
      };
      return reverse ? less(b, a) : less(a, b);
    });
    return values;
  }

  static Values unique(const Values& given) {
    Values values;
    for (const search::Value& value : given) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
    return values;
  }

  Values comprehension(std::string_view inside, const search::Scope& scope) {
    const std::size_t clauses = find_outer_word(inside, "for", 0);
    Values values;
    clause(inside.substr(clauses), search::trimmed(inside.substr(0, clauses)), scope, values);
    return values;
  }

  /// `clauses` begins with `for` or `if`, or is empty where an element is due.
  void clause(std::string_view clauses, std::string_view element, const search::Scope& scope, Values& values) {
    const Nesting nesting(*this);
    step();
    if (clauses.empty()) {
      append(values, evaluate(element, scope));
      return;
    }
    const std::size_t next_for = find_outer_word(clauses, "for", 2);
    const std::size_t next_if = find_outer_word(clauses, "if", 2);
    const std::size_t end = std::min(std::min(next_for, next_if), clauses.size());
    const std::string_view here = search::trimmed(clauses.substr(0, end));
    const std::string_view rest = clauses.substr(end);
    if (here.starts_with("if")) {
      const std::string_view condition = search::trimmed(here.substr(2));
      if (condition.empty()) refuse("a condition is missing after `if`");
      if (search::Expression::parse(condition).evaluate_boolean(scope)) clause(rest, element, scope, values);
      return;
    }
    const std::size_t in = find_outer_word(here, "in", 3);
    const std::string_view name = search::trimmed(here.substr(3, in == std::string_view::npos ? in : in - 3));
    if (in == std::string_view::npos || !is_identifier(name)) {
      refuse("`{}` should be `for NAME in LIST`", shown(here));
    }
    for (const search::Value& value : sum(here.substr(in + 2), scope)) {
      search::Scope inner(&scope);
      inner.set(std::string(name), value);
      clause(rest, element, inner, values);
    }
  }

  int nesting_ = 0;
  std::size_t steps_ = 0;
};

}  // namespace

std::vector<search::Value> python_list(std::string_view text) {
  if (text.size() > kLongestText) refuse("the text of the list is longer than 1 MiB");
  return ListReader().read(text);
}

}  // namespace tuner
