#include "tuner/core/description/name_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/functions.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/device/device.hpp"

namespace tuner {
namespace {

// Words of C++ and of expressions: as a macro or in an expression they would mean something else.
constexpr std::string_view kReserved =
    "True False alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return "
    "co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for "
    "friend goto if in inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private "
    "protected public register reinterpret_cast requires return short signed sizeof static static_assert "
    "static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq threadIdx blockIdx blockDim gridDim warpSize defined";

const std::vector<std::string>& device_names() {
  static const std::vector<std::string> names = [] {
    search::Scope scope;
    DeviceInfo().define_names(scope);
    return scope.names();
  }();
  return names;
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

const std::vector<std::string>& expression_functions() {
  static const std::vector<std::string> functions = search::function_names();
  return functions;
}

bool is_reserved_word(std::string_view name) {
  return has_word(kReserved, name);
}

bool belongs_to_compiler(std::string_view name) {
  const bool capital_after_underscore = name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z';
  return capital_after_underscore || name.find("__") != std::string_view::npos;
}

const char* describe(NameTable::Kind kind) {
  switch (kind) {
    case NameTable::Kind::parameter:
      return "a parameter";
    case NameTable::Kind::problem:
      return "a problem property";
    case NameTable::Kind::expression:
      return "a let or define";
  }
  return "";
}

}  // namespace

bool is_declarable(std::string_view name) {
  return is_identifier(name) && !is_reserved_word(name) && !belongs_to_compiler(name) &&
         !contains(expression_functions(), name) && !shape_of_type(name) && !contains(device_names(), name);
}

void check_identifier(const Span& name, std::string_view what) {
  const std::string_view text = name.text();
  if (text.empty()) name.fail(fmt::format("the name of {} is missing here", what));
  if (!is_identifier(text)) {
    const std::size_t scope = text.rfind("::");
    name.fail(fmt::format(
        "`{}` cannot be the name of {}: a name is letters, digits and `_`, and does not begin with a digit{}", text,
        what,
        scope == std::string_view::npos
            ? ""
            : fmt::format("; an array in constant memory is found in its namespace: `{}`", text.substr(scope + 2))));
  }
  if (is_reserved_word(text)) {
    name.fail(fmt::format("`{}` is a reserved word and cannot be the name of {}", text, what));
  }
  if (belongs_to_compiler(text)) {
    name.fail(fmt::format("`{}` is a name reserved for the compiler (it has two underscores, or one before a capital)",
                          text));
  }
}

void NameTable::declare(const Span& name, Kind kind) {
  check_identifier(name, describe(kind));
  const std::string text = name.string();
  if (contains(expression_functions(), text)) {
    name.fail(fmt::format("`{}` is a function of expressions and cannot be the name of {}", text, describe(kind)));
  }
  if (shape_of_type(text)) name.fail(fmt::format("`{}` is a type and cannot be the name of {}", text, describe(kind)));
  if (contains(device_names(), text)) {
    name.fail(fmt::format("`{}` is an attribute of the device and cannot be the name of {}", text, describe(kind)));
  }
  declare_implied(name, text, kind);
}

void NameTable::declare_implied(const Span& owner, const std::string& name, Kind kind) {
  const auto [position, is_new] = declared_.insert({name, {kind, owner.place().line}});
  if (!is_new) {
    const Declaration& first = position->second;
    owner.fail(fmt::format("`{}` is already declared as {} on line {}", name, describe(first.kind), first.line));
  }
}

void NameTable::declare_named_value(const Span& owner, const std::string& parameter, const std::string& value) {
  named_values_.push_back({owner, parameter, value});
  values_.insert(value);
}

void NameTable::use(const search::Expression& expression, const Span& span, std::string fixed_thing,
                    std::set<std::string> also_known) {
  uses_.push_back({expression, span, std::move(fixed_thing), {}, std::move(also_known)});
}

void NameTable::use_in_definition(const search::Expression& expression, const Span& span, const std::string& name) {
  uses_.push_back({expression, span, {}, name, {}});
}

bool NameTable::is_problem(const std::string& name) const {
  const auto found = declared_.find(name);
  return found != declared_.end() && found->second.kind == Kind::problem;
}

std::vector<std::string> NameTable::candidates() const {
  std::vector<std::string> names = device_names();
  for (const auto& [name, declaration] : declared_) names.push_back(name);
  names.insert(names.end(), values_.begin(), values_.end());
  return names;
}

std::string NameTable::own_names() const {
  constexpr std::size_t kMostListed = 12;
  std::string text;
  for (const auto& [name, declaration] : declared_) text += (text.empty() ? "" : ", ") + name;
  if (text.empty() || declared_.size() > kMostListed) return {};
  return fmt::format("; the kernel declares {}", text);
}

void NameTable::check_named_values() const {
  std::map<std::string, std::string> macros;  // name → parameter it belongs to
  for (const NamedValue& named : named_values_) {
    if (const auto found = declared_.find(named.value); found != declared_.end()) {
      named.owner.fail(fmt::format("the value `{}` of `{}` is also {} (line {}); expressions could not tell them apart",
                                   named.value, named.parameter, describe(found->second.kind), found->second.line));
    }
    const std::string macro = named.parameter + "_" + named.value;
    const auto found = declared_.find(macro);
    if (found != declared_.end()) {
      named.owner.fail(fmt::format("the value `{}` of `{}` becomes the macro `{}`, which is {} (line {})", named.value,
                                   named.parameter, macro, describe(found->second.kind), found->second.line));
    }
    const auto [position, is_new] = macros.insert({macro, named.parameter});
    if (!is_new) {
      named.owner.fail(fmt::format("a value of `{}` and a value of `{}` both become the macro `{}`", position->second,
                                   named.parameter, macro));
    }
  }
}

void NameTable::check_use(const Use& use, std::map<std::string, std::string>& tuned) const {
  for (const std::string& name : use.expression.names()) {
    if (use.also_known.contains(name)) continue;
    const std::size_t offset = use.expression.offset_of(name);
    const auto found = declared_.find(name);
    if (found == declared_.end()) {
      if (values_.contains(name) || shape_of_type(name) || contains(device_names(), name)) continue;
      use.span.fail(fmt::format("unknown name `{}`{}", name, suggestion(name, candidates(), own_names())), offset);
    }
    std::string parameter;
    if (found->second.kind == Kind::parameter) parameter = name;
    if (found->second.kind == Kind::expression) {
      const auto earlier = tuned.find(name);
      if (earlier == tuned.end()) {
        use.span.fail(fmt::format("`{}` is used before it is defined (line {})", name, found->second.line), offset);
      }
      parameter = earlier->second;
    }
    if (parameter.empty()) continue;
    if (!use.definition.empty()) tuned[use.definition] = parameter;
    if (use.fixed_thing.empty()) continue;
    const std::string why = parameter == name
                                ? fmt::format("`{}` is a tuned parameter", name)
                                : fmt::format("`{}` depends on the tuned parameter `{}`", name, parameter);
    use.span.fail(fmt::format("{}; {} must be the same for every configuration", why, use.fixed_thing), offset);
  }
}

void NameTable::check() const {
  check_named_values();
  std::map<std::string, std::string> tuned;  // let or define → a parameter it depends on, or ""
  for (const Use& use : uses_) {
    if (use.definition.empty()) continue;
    check_use(use, tuned);
    tuned.try_emplace(use.definition, "");
  }
  for (const Use& use : uses_) {
    if (use.definition.empty()) check_use(use, tuned);
  }
}

}  // namespace tuner
