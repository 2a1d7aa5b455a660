#include "tuner/core/skeleton/launching_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <tuple>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/skeleton/deduced_type.hpp"
#include "tuner/core/skeleton/helper_calls.hpp"

namespace tuner {
namespace {

using Kind = HostExpression::Kind;

constexpr std::size_t kMostScopes = 4;
constexpr int kMostSteps = 8;  // from a variable to what it is made of
constexpr int kMostLookups = 2000;
constexpr std::size_t kMostPartsOfSize = 32;
constexpr char kSizeMark = '@';  // no name in C++ begins so

std::size_t next_code(std::string_view code, std::size_t at) {
  return std::min(code.find_first_not_of(" \t\v\f\r\n", at), code.size());
}

/// `dim3 grid(…)`, `dim3 block(…), grid(…)`.
bool is_dim3_declared(std::string_view before) {
  const std::size_t begin = before.find_last_of(";{}");
  const std::string_view statement =
      search::trimmed(begin == std::string_view::npos ? before : before.substr(begin + 1));
  return statement.starts_with("dim3") || statement.starts_with("const dim3");
}

/// `+=`, `<<=`, `++`: what makes a variable something else than it began with.
bool is_changed(std::string_view behind) {
  if (behind.starts_with("++") || behind.starts_with("--")) return true;
  const std::size_t length = behind.starts_with("<<") || behind.starts_with(">>") ? 2 : 1;
  return behind.size() > length && std::string_view("+-*/%&|^<>").find(behind.front()) != std::string_view::npos &&
         behind[length] == '=' && (length == 2 || (behind.front() != '<' && behind.front() != '>'));
}

}  // namespace

LaunchingCode::LaunchingCode(const KernelSkeleton& skeleton) : skeleton_(skeleton) {
  if (skeleton.launch == nullptr) return;
  const PlainLaunch& launch = *skeleton.launch;
  const std::string_view code = skeleton.source.code.code;
  add_scope({code.substr(launch.host_begin, launch.begin - launch.host_begin), {}, launch.arguments, {}});
  const std::vector<PlainFunction>& functions = skeleton.source.functions;
  while (scopes_.size() < kMostScopes) {
    const auto begin = static_cast<std::size_t>(scopes_.back().code.data() - code.data());
    const auto own = std::find_if(functions.begin(), functions.end(), [&](const auto& f) { return f.body == begin; });
    if (own == functions.end() || !add_caller(*own)) break;
  }
}

/// Whether another function calls it: the first that is found becomes a scope.
bool LaunchingCode::add_caller(const PlainFunction& callee) {
  const std::string_view code = skeleton_.source.code.code;
  const auto& [name, parameters] = callee.head;
  if (name.empty()) return false;
  std::vector<std::string> names;
  for (const std::string& parameter : parameters) names.push_back(declared_name(parameter));
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    auto call = call_behind(code, at + name.size());
    if (!call || call->arguments.size() != names.size()) continue;
    for (const PlainFunction& caller : skeleton_.source.functions) {
      const bool is_inside = caller.body < at && at < caller.end && caller.begin != callee.begin;
      if (!is_inside || caller.kind != PlainFunction::Kind::host) continue;
      std::map<std::string, std::string> types;
      for (std::size_t i = 0; i < std::min(call->template_arguments.size(), callee.template_parameters.size()); ++i) {
        types[declared_name(callee.template_parameters[i])] = call->template_arguments[i];
      }
      for (std::size_t i = call->template_arguments.size(); i < callee.template_parameters.size(); ++i) {
        const std::string parameter = declared_name(callee.template_parameters[i]);
        const std::string type =
            tuner::deduced_type(skeleton_.source, parameter, {parameters, call->arguments, caller, at});
        if (!type.empty()) types[parameter] = type;
      }
      add_scope(
          {code.substr(caller.body, at - caller.body), std::move(names), std::move(call->arguments), std::move(types)});
      return true;
    }
  }
  return false;
}

void LaunchingCode::add_scope(Scope scope) {
  std::vector<std::string> names;
  std::vector<HostExpression> values;
  for (std::size_t i = 0; i < scope.passed.size(); ++i) {
    const bool is_launch = scopes_.empty();
    auto value = parsed(scope.passed[i]);
    if (!value || (is_launch && i >= skeleton_.arguments.size())) continue;
    names.push_back(is_launch ? skeleton_.arguments[i].name : scope.names.at(i));
    values.push_back(*std::move(value));
  }
  for (const auto& [size, below] : sizes_below()) {
    const std::set<std::string> used = names_in(below);
    const bool is_passed = std::all_of(used.begin(), used.end(), [&](const std::string& name) {
      return std::find(names.begin(), names.end(), name) != names.end();
    });
    if (is_passed && parts_of(below) <= kMostPartsOfSize)
      scope.sizes.emplace_back(size, with_values(below, names, values));
  }
  scopes_.push_back(std::move(scope));
}

/// The sizes of the problem as the outermost scope has them, the kernel's own before there is one.
std::vector<std::pair<std::string, HostExpression>> LaunchingCode::sizes_below() const {
  if (!scopes_.empty()) return scopes_.back().sizes;
  std::vector<std::pair<std::string, HostExpression>> own;
  for (const std::string& size : skeleton_.sizes) own.emplace_back(size, HostExpression{Kind::name, size, {}});
  return own;
}

std::optional<HostExpression> LaunchingCode::parsed(std::string_view written) const {
  const auto expression = parse_host_expression(written);
  return expression ? std::optional(with_calls_written_out(skeleton_.source, *expression)) : std::nullopt;
}

std::string LaunchingCode::type(std::string name) const {
  for (const Scope& scope : scopes_) {
    if (const auto found = scope.types.find(name); found != scope.types.end()) name = found->second;
  }
  return name;
}

std::string LaunchingCode::deduced_type(const std::string& parameter) const {
  if (skeleton_.launch == nullptr) return {};
  const PlainLaunch& launch = *skeleton_.launch;
  std::vector<std::string> declared;
  for (const ParameterType& own : skeleton_.kernel.signature.parameters) declared.push_back(own.text);
  for (const PlainFunction& function : skeleton_.source.functions) {
    if (function.body != launch.host_begin) continue;
    return tuner::deduced_type(skeleton_.source, parameter, {declared, launch.arguments, function, launch.begin});
  }
  return {};
}

LaunchingCode::Spot LaunchingCode::launch_spot() const {
  return {0, scopes_.empty() ? 0 : scopes_.front().code.size()};
}

/// The size of the problem that an expression of a scope becomes, one of several if that is undecided; empty if it does
/// not.
std::string LaunchingCode::size_passed_as(std::size_t scope, const HostExpression& expression) const {
  std::vector<std::string> sizes;
  for (const auto& [size, value] : scopes_.at(scope).sizes) {
    if (value == expression) sizes.push_back(size);
  }
  if (sizes.empty()) return {};
  const bool is_preferred = std::find(sizes.begin(), sizes.end(), preferred_) != sizes.end();
  std::string size = is_preferred ? preferred_ : sizes.front();
  if (sizes.size() > 1) undecided_.insert(std::move(sizes));
  return size;
}

/// With names of sizes, marked as such, for what is passed as a size: `B * T`.
HostExpression LaunchingCode::with_sizes(const HostExpression& expression, std::size_t scope) const {
  if (expression.kind == Kind::operation) {
    const std::string size = size_passed_as(scope, expression);
    if (!size.empty()) return {Kind::name, kSizeMark + size, {}};
  }
  HostExpression result = expression;
  for (HostExpression& operand : result.operands) operand = with_sizes(operand, scope);
  return result;
}

/// What a local variable begins with; of `grid.x` too. Nothing if it is changed later.
std::optional<HostExpression> LaunchingCode::local(std::string_view name, const Spot& spot) const {
  const std::string_view code = scopes_.at(spot.scope).code.substr(0, spot.end);
  const std::size_t dot = name.find('.');
  const std::string_view variable = name.substr(0, dot);
  std::optional<HostExpression> result;
  for (std::size_t at = find_word(code, variable); at != std::string_view::npos;
       at = find_word(code, variable, at + 1)) {
    const std::size_t behind = next_code(code, at + variable.size());
    if (behind == code.size()) break;
    const std::string_view before = search::trimmed(code.substr(0, at));
    const bool is_handed_on = before.ends_with('&') && !before.ends_with("&&");  // scanf("%d", &n)
    if (is_handed_on || is_changed(code.substr(behind)) || before.ends_with("++") || before.ends_with("--"))
      return std::nullopt;
    if (code[behind] == '=' && code.substr(behind, 2) != "==") {
      const std::size_t end = std::min(code.find(';', behind), code.size());
      const std::vector<std::string> parts = comma_parts(code.substr(behind + 1, end - behind - 1));
      result = parts.empty() ? std::nullopt : parsed(parts.front());
    } else if ((code[behind] == '(' || code[behind] == '{') && is_dim3_declared(before)) {
      const std::size_t closed = skip_brackets(code, behind);
      if (closed != std::string_view::npos) {
        result = parsed("dim3" + std::string(code.substr(behind, closed - behind)));
      }
    }
  }
  if (!result || dot == std::string_view::npos) return result;
  const std::size_t dimension = std::string_view("xyz").find(name.substr(dot + 1));
  if (result->text != "dim3" || dimension >= result->operands.size()) return std::nullopt;
  return HostExpression(result->operands[dimension]);
}

/// What a name stands for, as a local variable or as a parameter, and where that is said.
std::optional<std::pair<HostExpression, LaunchingCode::Spot>> LaunchingCode::meaning(const std::string& name,
                                                                                     const Spot& spot) const {
  // A variable that is made of twelve others, which are made of twelve others, is no length.
  if (scopes_.empty() || ++lookups_ > kMostLookups) return std::nullopt;
  if (auto own = local(name, spot)) return std::pair(*std::move(own), spot);
  if (spot.scope + 1 >= scopes_.size()) return std::nullopt;
  const Scope& caller = scopes_[spot.scope + 1];
  const auto found = std::find(caller.names.begin(), caller.names.end(), name);
  if (found == caller.names.end()) return std::nullopt;
  auto passed = parsed(caller.passed[static_cast<std::size_t>(found - caller.names.begin())]);
  if (!passed) return std::nullopt;
  return std::pair(*std::move(passed), Spot{spot.scope + 1, caller.code.size()});
}

std::optional<std::string> LaunchingCode::text_at(const HostExpression& expression, const Spot& spot,
                                                  const Literals& literals, const Literals& divisors,
                                                  std::set<std::string>* constants, int depth) const {
  if (depth > kMostSteps) return std::nullopt;
  if (depth == 0 && expression.kind == Kind::name && size_passed_as(spot.scope, expression).empty()) {
    const auto own = meaning(expression.text, spot);
    if (own) return text_at(own->first, own->second, literals, divisors, constants, depth + 1);  // without brackets
  }
  const auto written = [&](const std::string& name, const Literals& numbers,
                           const Literals& dividing) -> std::optional<std::string> {
    if (is_digit(name.front())) {
      const auto found = numbers.find(name);
      return found == numbers.end() ? std::nullopt : std::optional(found->second);
    }
    if (name.front() == kSizeMark) return name.substr(1);
    const std::string size = size_passed_as(spot.scope, {Kind::name, name, {}});
    if (!size.empty()) return size;
    if (const auto own = meaning(name, spot)) {
      const Literals& within = is_factor(own->first) ? numbers : literals;
      const auto value = text_at(own->first, own->second, within, dividing, constants, depth + 1);
      const bool is_sum = own->first.kind == Kind::operation && own->first.text != "/";
      return value && is_sum ? "(" + *value + ")" : value;
    }
    return skeleton_.expression({Kind::name, name, {}}, constants);
  };
  const auto plain = [&](const std::string& name) { return written(name, literals, {}); };
  const HostExpression sized = with_sizes(expression, spot.scope);
  if (divisors.empty()) return described(sized, plain);
  const OutermostDivision outermost{[&](const std::string& name) { return written(name, divisors, {}); },
                                    [&](const std::string& name) { return written(name, literals, divisors); }};
  return described(sized, plain, &outermost);
}

std::optional<std::string> LaunchingCode::text(const HostExpression& expression, const Literals& literals,
                                               const Literals& divisors, std::set<std::string>* constants) const {
  const HostExpression whole = with_calls_written_out(skeleton_.source, expression);
  return text_at(whole, launch_spot(), literals, divisors, constants, 0);
}

std::vector<HostExpression> LaunchingCode::extents(std::string_view written) const {
  const auto expression = parsed(written);
  if (!expression) return {};
  if (expression->kind == Kind::call && expression->text == "dim3") return expression->operands;
  if (expression->kind == Kind::name) {
    const auto own = local(expression->text, launch_spot());
    if (own && own->text == "dim3") return own->operands;
  }
  return {*expression};
}

std::set<std::string> LaunchingCode::names_behind(std::string_view written) const {
  std::set<std::string> names;
  std::vector<std::pair<HostExpression, Spot>> left;
  for (HostExpression& extent : extents(written)) left.emplace_back(std::move(extent), launch_spot());
  while (!left.empty()) {
    const auto [expression, spot] = std::move(left.back());
    left.pop_back();
    for (const std::string& name : names_in(expression)) {
      if (!names.insert(name).second) continue;
      if (auto own = meaning(name, spot)) left.push_back(*std::move(own));
    }
  }
  return names;
}

std::optional<std::int64_t> LaunchingCode::integer_at(const HostExpression& expression, const Spot& spot,
                                                      int depth) const {
  if (depth > kMostSteps) return std::nullopt;
  if (expression.kind == Kind::operation && expression.text == "?") {  // argc > 1 ? atoi(argv[1]) : 1024
    const auto yes = integer_at(expression.operands[1], spot, depth + 1);
    const auto no = integer_at(expression.operands[2], spot, depth + 1);
    return yes && no ? std::nullopt : yes ? yes : no;
  }
  return integer_of(expression, [&](const std::string& name) -> std::optional<std::int64_t> {
    if (const auto own = meaning(name, spot)) return integer_at(own->first, own->second, depth + 1);
    if (const PlainConstant* const constant = skeleton_.source.constant(name)) return constant->value;
    return std::nullopt;
  });
}

std::optional<std::int64_t> LaunchingCode::integer(std::string_view written) const {
  const auto expression = parsed(written);
  return expression ? integer_at(*expression, launch_spot(), 0) : std::nullopt;
}

std::string LaunchingCode::passed(const PlainArgument& argument) const {
  const auto number = static_cast<std::size_t>(&argument - skeleton_.arguments.data());
  if (!scopes_.empty() && number < scopes_.front().passed.size()) return scopes_.front().passed[number];
  const std::size_t equals = argument.text.find('=');  // its default
  return equals == std::string::npos ? std::string() : argument.text.substr(equals + 1);
}

std::optional<std::int64_t> LaunchingCode::passed_integer(const PlainArgument& argument) const {
  return integer(passed(argument));
}

std::optional<std::string> LaunchingCode::passed_value(const PlainArgument& argument) const {
  auto value = parsed(passed(argument));
  if (!value) return std::nullopt;
  if (const auto whole = passed_integer(argument)) return std::to_string(*whole);
  Spot spot = launch_spot();
  for (int step = 0; step < kMostSteps && value->kind == Kind::name; ++step) {
    if (value->text == "true" || value->text == "false") return value->text;
    const auto own = meaning(value->text, spot);
    if (!own) return std::nullopt;
    std::tie(*value, spot) = *own;
  }
  const bool is_negative = value->kind == Kind::operation && value->text == "-" && value->operands.size() == 1;
  const HostExpression& digits = is_negative ? value->operands[0] : *value;
  if (digits.kind != Kind::number) return std::nullopt;
  double real = 0;
  const char* const end = digits.text.data() + digits.text.size();
  const auto [behind, error] = std::from_chars(digits.text.data(), end, real);
  if (error != std::errc() || (behind != end && std::string_view("fFlL").find(*behind) == std::string_view::npos)) {
    return std::nullopt;
  }
  return fmt::format("{}{}", is_negative ? "-" : "", real);
}

}  // namespace tuner
