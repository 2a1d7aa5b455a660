#include "tuner/core/skeleton/kernel_use.hpp"

#include <algorithm>

#include "tuner/core/base/words.hpp"
#include "tuner/core/description/code_text.hpp"

namespace tuner {
namespace {

using Kind = HostExpression::Kind;

constexpr std::string_view kBlanks = " \t\v\f\r\n";

std::size_t skip_space(std::string_view text, std::size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

/// The text before `at`, without the blanks at its end.
std::string_view text_before(std::string_view text, std::size_t at) {
  text = text.substr(0, at);
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::string_view word_at_end(std::string_view text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

/// Where an expression that begins at `from` ends: at a comma, a semicolon or a bracket that was open before.
std::size_t expression_end(std::string_view text, std::size_t from) {
  int depth = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth < 0) return at;
    if (depth == 0 && (c == ',' || c == ';')) return at;
  }
  return text.size();
}

bool is_comparison(std::string_view symbol) {
  return symbol == "<" || symbol == "<=" || symbol == ">" || symbol == ">=" || symbol == "!=";
}

/// Whether what stands at `at` assigns: `=`, or an operator with it, or `++`; `reads` becomes whether it reads too.
bool is_assignment(std::string_view text, std::size_t at, bool& reads) {
  const std::string_view rest = text.substr(std::min(at, text.size()));
  reads = false;
  if (rest.starts_with("=")) return !rest.starts_with("==");
  reads = true;
  for (const std::string_view symbol : {"+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=", "++", "--"}) {
    if (rest.starts_with(symbol)) return true;
  }
  return false;
}

/// Whether an argument list of `atomicAdd` or one of its kind begins at the end of the text.
bool begins_atomic(std::string_view before) {
  if (!before.ends_with('(')) return false;
  before.remove_suffix(1);
  return word_at_end(text_before(before, before.size())).starts_with("atomic");
}

/// Whether the `&` at the end takes an address: not in `a && x[i]`, `a & x[i]`, but in `(float4*)&x[i]`.
bool takes_address(std::string_view before) {
  if (!before.ends_with('&')) return false;
  before = text_before(before, before.size() - 1);
  if (before.ends_with('&') || before.ends_with(']')) return false;
  if (before.ends_with(')')) return text_before(before, before.size() - 1).ends_with('*');
  const std::string_view word = word_at_end(before);
  return word.empty() || word == "return";
}

/// Behind the members of an element, and their elements: `.x`, `[j]`, `.v[2].x`.
std::size_t behind_members(std::string_view body, std::size_t at) {
  for (at = skip_space(body, at); at < body.size(); at = skip_space(body, at)) {
    if (body[at] == '.') {
      for (++at; at < body.size() && is_word_character(body[at]);) ++at;
    } else if (body[at] == '[') {
      const std::size_t closed = skip_brackets(body, at);
      if (closed == std::string_view::npos) break;
      at = closed;
    } else {
      break;
    }
  }
  return std::min(at, body.size());
}

}  // namespace

KernelUse::KernelUse(std::string_view body) : body_(body) {
  read_assignments(body_);
  read_comparisons(body_);
}

bool KernelUse::mentions(std::string_view word) const {
  return has_word(body_, word);
}

void KernelUse::read_assignments(std::string_view body) {
  for (std::size_t at = body.find('='); at != std::string_view::npos; at = body.find('=', at + 1)) {
    if (at + 1 < body.size() && body[at + 1] == '=') {
      ++at;
      continue;
    }
    std::string_view before = body.substr(0, at);
    if (!before.empty() && std::string_view("<>!=").find(before.back()) != std::string_view::npos) continue;
    if (!before.empty() && std::string_view("+-*/%&|^").find(before.back()) != std::string_view::npos) {
      before.remove_suffix(1);
    }
    const std::string name(word_at_end(text_before(before, before.size())));
    const auto value = parse_host_expression(body.substr(at + 1, expression_end(body, at + 1) - at - 1));
    if (value && !name.empty() && !is_digit(name.front())) assigned_.emplace(name, ElementIndex{*value, at});
    if (value) note_comparisons(*value, at);
  }
}

void KernelUse::read_comparisons(std::string_view body) {
  for (std::size_t at = body.find('('); at != std::string_view::npos; at = body.find('(', at + 1)) {
    const std::string_view word = word_at_end(text_before(body, at));
    if (word != "if" && word != "while" && word != "for") continue;
    std::size_t begin = at + 1;
    if (word == "for") begin = std::min(body.find(';', at), body.size() - 1) + 1;
    const std::size_t end = expression_end(body, begin);
    if (const auto condition = parse_host_expression(body.substr(begin, end - begin))) note_comparisons(*condition, at);
  }
}

void KernelUse::note_comparisons(const HostExpression& expression, std::size_t at) {
  for (const HostExpression& operand : expression.operands) note_comparisons(operand, at);
  if (expression.kind != Kind::operation || expression.operands.size() != 2 || !is_comparison(expression.text)) return;
  compared_.push_back({expression.operands[0], expression.operands[1], at});
}

bool KernelUse::bounds_something(const std::string& name) const {
  return std::any_of(compared_.begin(), compared_.end(), [&](const Comparison& sides) {
    return names_in(sides.left).contains(name) != names_in(sides.right).contains(name);
  });
}

bool KernelUse::loops_to(const std::string& name) const {
  return std::any_of(compared_.begin(), compared_.end(), [&](const Comparison& sides) {
    const auto begin = sides.left.kind == Kind::name ? assigned_.find(sides.left.text) : assigned_.end();
    return begin != assigned_.end() && begin->second.expression.kind == Kind::number &&
           names_in(sides.right).contains(name);
  });
}

int KernelUse::dimensions() const {
  const auto uses = [&](char dimension) {
    return body_.find(std::string("threadIdx.") + dimension) != std::string::npos ||
           body_.find(std::string("blockIdx.") + dimension) != std::string::npos;
  };
  return uses('z') ? 3 : uses('y') ? 2 : 1;
}

PointerUse KernelUse::pointer(const std::string& name) const {
  PointerUse use;
  const std::string_view body = body_;
  const HostExpression zero{Kind::number, "0", {}};
  for (std::size_t at = find_word(body, name); at != std::string_view::npos; at = find_word(body, name, at + 1)) {
    std::string_view before = text_before(body, at);
    if (before.ends_with('.') || before.ends_with("->")) continue;  // threadIdx.x
    std::size_t behind = skip_space(body, at + name.size());
    const std::size_t closed =
        behind < body.size() && body[behind] == '[' ? skip_brackets(body, behind) : std::string_view::npos;
    bool has_element = closed != std::string_view::npos;
    if (has_element) {
      const auto index = parse_host_expression(body.substr(behind + 1, closed - behind - 2));
      if (index)
        use.indices.push_back({*index, at});
      else
        use.is_unclear = true;
      behind = behind_members(body, closed);
    } else if (begins_atomic(before)) {
      use.indices.push_back({zero, at});
      use.is_read = use.is_written = true;
      continue;
    } else if (before.ends_with('*')) {  // *sum = x; pointers have no products
      use.indices.push_back({zero, at});
      has_element = true;
    }
    if (!has_element) {
      use.is_unclear = true;
      continue;
    }
    while (before.ends_with('(') && takes_address(text_before(before, before.size() - 1))) {  // &(x[i].re)
      before = text_before(before, before.size() - 1);
    }
    if (takes_address(before)) {
      const bool is_atomic = begins_atomic(text_before(before, before.size() - 1));
      use.is_read = use.is_written = true;
      use.is_unclear = use.is_unclear || !is_atomic;
      continue;
    }
    bool reads = false;
    const bool writes = is_assignment(body, behind, reads) || before.ends_with("++") || before.ends_with("--");
    use.is_written = use.is_written || writes;
    use.is_read = use.is_read || reads || !writes;
  }
  return use;
}

}  // namespace tuner
