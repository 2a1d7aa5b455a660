#include "tuner/core/t1/expression.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/expression.hpp"
#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"

namespace tuner {
namespace {

bool begins_word(char c) {
  return is_letter(c) || c == '_';
}

/// As it stands in an expression: a negative number in parentheses, a string in quotes.
std::string literal(const search::Value& value) {
  if (value.is_name()) return search::quote(value.as_name());
  const std::string text = value.text();
  return text.starts_with('-') ? "(" + text + ")" : text;
}

/// Goes through the text word by word and replaces what a description spells otherwise.
class Rewriting {
 public:
  Rewriting(const T1Node& node, const T1Names& names, T1Use use)
      : node_(node), names_(names), use_(use), text_(node.string()) {}

  std::string run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\'' || c == '"') {
        copy_quotation(c);
      } else if (begins_word(c)) {
        word();
      } else if (is_digit(c)) {
        // With what follows it: the e of 1e3 is no name.
        while (at_ < text_.size() && (is_word_character(text_[at_]) || text_[at_] == '.')) result_ += text_[at_++];
      } else {
        result_ += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
        ++at_;
      }
    }
    return std::move(result_);
  }

 private:
  void copy_quotation(char quote) {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    const std::string quotation = text_.substr(begin, at_ - begin);
    const auto controls = [](char character) { return static_cast<unsigned char>(character) < 0x20; };
    if (std::any_of(quotation.begin(), quotation.end(), controls))
      node_.fail("it contains a string with a control character");
    result_ += quotation;
  }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word_character(text_[at_])) ++at_;
    return std::string_view(text_).substr(begin, at_ - begin);
  }

  void word() {
    const std::string_view name = take_word();
    const bool module = name == "math" || name == "np" || name == "numpy";
    if (module && at_ + 1 < text_.size() && text_[at_] == '.' && begins_word(text_[at_ + 1])) {
      ++at_;
      return;
    }
    if (name == "ProblemSize" && !names_.problem_size.empty()) {
      problem_size();
      return;
    }
    if (const auto constant = names_.constants.find(name); constant != names_.constants.end()) {
      result_ += literal(constant->second);
      return;
    }
    if (use_ == T1Use::fixed) {
      if ((name == "max" || name == "min") && extreme(name == "max")) return;
      const auto parameter = names_.parameters.find(name);
      if (parameter != names_.parameters.end() && parameter->second.size() == 1) {
        result_ += literal(parameter->second.front());
        return;
      }
    }
    result_ += name;
  }

  /// `ProblemSize[1]`
  void problem_size() {
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '[') node_.fail("`ProblemSize` needs an index, as in ProblemSize[0]");
    ++at_;
    skip_blanks();
    std::size_t index = 0;
    bool any = false;
    while (at_ < text_.size() && is_digit(text_[at_]) && index < 1000) {
      index = index * 10 + static_cast<std::size_t>(text_[at_++] - '0');
      any = true;
    }
    skip_blanks();
    if (!any || at_ >= text_.size() || text_[at_] != ']')
      node_.fail("the index of `ProblemSize` must be a number, as in ProblemSize[0]");
    ++at_;
    if (index >= names_.problem_size.size()) {
      node_.fail("ProblemSize[{}] does not exist: KernelSpecification.ProblemSize has {} element{}", index,
                 names_.problem_size.size(), names_.problem_size.size() == 1 ? "" : "s");
    }
    result_ += names_.problem_size[index];
  }

  /// `max(NAME)` with the name of a parameter and nothing else: other tuners hand over the list of its values.
  bool extreme(bool greatest) {
    const std::size_t begin = at_;
    const auto give_up = [&] {
      at_ = begin;
      return false;
    };
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '(') return give_up();
    ++at_;
    skip_blanks();
    const auto parameter = names_.parameters.find(take_word());
    skip_blanks();
    if (parameter == names_.parameters.end() || at_ >= text_.size() || text_[at_] != ')') return give_up();
    const auto& values = parameter->second;
    if (std::any_of(values.begin(), values.end(), [](const search::Value& v) { return v.is_name(); })) return give_up();
    ++at_;
    const auto less = [](const search::Value& a, const search::Value& b) { return a.as_real() < b.as_real(); };
    result_ += literal(greatest ? *std::max_element(values.begin(), values.end(), less)
                                : *std::min_element(values.begin(), values.end(), less));
    return true;
  }

  const T1Node& node_;
  const T1Names& names_;
  T1Use use_;
  std::string text_;
  std::size_t at_ = 0;
  std::string result_;
};

}  // namespace

std::string t1_expression(const T1Node& node, const T1Names& names, T1Use use) {
  if (!node.is_string()) {
    const search::Value value = node.value();
    return literal(value);
  }
  const std::string text = Rewriting(node, names, use).run();
  try {
    search::Expression::parse(text);
  } catch (const search::ExpressionError& error) {
    node.fail("`{}` is not an expression: {}", node.string().substr(0, 200), error.what());
  }
  return text;
}

void refuse_t1_parameters(const T1Node& node, const std::string& expression, const T1Names& names) {
  const search::Expression parsed = search::Expression::parse(expression);
  for (const std::string& name : parsed.names()) {
    if (!names.parameters.contains(name)) continue;
    node.fail(
        "uses the tuned parameter `{}`, but must be the same for every configuration; max({}) is the greatest of its "
        "values",
        name, name);
  }
}

std::string t1_whole(const std::string& expression) {
  bool divides = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    if (expression[i] != '/' && expression[i] != '.' && expression[i] != '*') continue;
    const bool doubled = i + 1 < expression.size() && expression[i + 1] == expression[i];
    // A power may have a negative exponent.
    divides = divides || (expression[i] == '*' ? doubled : !doubled);
    if (doubled) ++i;
  }
  return divides ? fmt::format("int({})", expression) : expression;
}

std::string t1_quotient(const std::string& dividend, const std::string& divisor) {
  return divisor == "1" ? dividend : fmt::format("ceil_div({}, {})", dividend, divisor);
}

}  // namespace tuner
