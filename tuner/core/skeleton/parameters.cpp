// The parameters and the properties of the problem that a plain source suggests.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/skeleton/deduced_type.hpp"
#include "tuner/core/skeleton/guesses.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/core/skeleton/launching_code.hpp"

namespace tuner {
namespace {

bool is_in_function(const PlainSource& source, std::size_t at) {
  return std::any_of(source.functions.begin(), source.functions.end(),
                     [at](const PlainFunction& function) { return function.body < at && at < function.end; });
}

std::string_view own_text(const KernelSkeleton& skeleton) {
  const std::string_view code = skeleton.source.code.code;
  return code.substr(skeleton.kernel.begin, skeleton.kernel.end - skeleton.kernel.begin);
}

using Words = std::set<std::string, std::less<>>;

/// The words of these texts, and of the device functions, macros and computed constants that they name.
Words words_behind(const PlainSource& source, std::vector<std::string_view> texts) {
  std::multimap<std::string, std::string_view, std::less<>> meanings;
  for (const PlainFunction& function : source.functions) {
    if (function.kind == PlainFunction::Kind::device) meanings.emplace(function.head.name, source.body(function));
  }
  for (const CodeText::Macro& macro : source.code.macros) meanings.emplace(macro.name, macro.body);
  for (const DerivedConstant& derived : source.derived) meanings.emplace(derived.name, derived.expression);
  Words words;
  while (!texts.empty()) {
    const std::string_view text = texts.back();
    texts.pop_back();
    for (std::size_t at = 0; at < text.size(); ++at) {
      const std::size_t begin = at;
      while (at < text.size() && is_word_character(text[at])) ++at;
      const std::string_view word = text.substr(begin, at - begin);
      if (word.empty() || !words.emplace(word).second) continue;
      const auto [first, last] = meanings.equal_range(word);
      for (auto meaning = first; meaning != last; ++meaning) texts.push_back(meaning->second);
    }
  }
  return words;
}

/// What one kernel and its launch name.
struct NamedWords {
  Words own;     ///< in the kernel and what it may call, and in what the launch has in its brackets
  Words host;    ///< in the function that launches, before the launch
  Words others;  ///< in other kernels, and in their launches
};

NamedWords named_words(const KernelSkeleton& skeleton) {
  const PlainSource& source = skeleton.source;
  std::vector<std::string_view> own{own_text(skeleton)}, host, others;
  for (const PlainFunction& function : source.functions) {
    const bool is_other = function.kind == PlainFunction::Kind::kernel && function.begin != skeleton.kernel.begin;
    if (is_other) others.push_back(source.body(function));
  }
  std::set<std::string> behind;
  for (const PlainLaunch& launch : source.launches) {
    const bool is_own = &launch == skeleton.launch;
    std::vector<std::string_view>& texts = is_own ? own : others;
    texts.insert(texts.end(), launch.configuration.begin(), launch.configuration.end());
    texts.insert(texts.end(), launch.template_arguments.begin(), launch.template_arguments.end());
    if (!is_own) continue;
    host.push_back(std::string_view(source.code.code).substr(launch.host_begin, launch.begin - launch.host_begin));
    for (const std::string& part : launch.configuration) behind.merge(LaunchingCode(skeleton).names_behind(part));
  }
  own.insert(own.end(), behind.begin(), behind.end());
  return {words_behind(source, own), words_behind(source, host), words_behind(source, others)};
}

/// Whether the kernel, or what it may call, or its launch, names the constant.
bool is_used(const KernelSkeleton& skeleton, const NamedWords& words, const PlainConstant& constant) {
  const PlainSource& source = skeleton.source;
  const bool is_other_kernels = std::any_of(source.functions.begin(), source.functions.end(), [&](const auto& other) {
    return other.kind == PlainFunction::Kind::kernel && other.begin != skeleton.kernel.begin &&
           other.body < constant.begin && constant.begin < other.end;
  });
  if (is_other_kernels) return false;
  return words.own.contains(constant.name) ||
         (words.host.contains(constant.name) && !words.others.contains(constant.name));
}

void take_over(KernelSkeleton& skeleton, const std::string& name) {
  skeleton.names[name] = name;
  skeleton.guarded.insert(name);
}

void propose_constant(KernelSkeleton& skeleton, const PlainConstant& constant) {
  const bool is_own = has_word(own_text(skeleton), constant.name);
  if (!constant.is_unique || !is_declarable(constant.name)) {
    if (!sounds_tunable(constant.name)) return;
    skeleton.ask(fmt::format("`{}` may be worth tuning, but something else has that name, so it stays {}.",
                             constant.name, constant.value));
  } else if (sounds_tunable(constant.name)) {
    skeleton.tune(constant.name, constant.value, values_around(constant.name, constant.value));
    take_over(skeleton, constant.name);
  } else if (sounds_like_size(constant.name) && is_own && constant.value > 1) {
    skeleton.lines.push_back(fmt::format("problem({}: constant = {})", constant.name, constant.value));
    skeleton.sizes.push_back(constant.name);
    take_over(skeleton, constant.name);
  }
}

/// What a launch gives a template parameter, or its default, or what its arguments show of a type; empty if nothing
/// says it.
std::string given(const KernelSkeleton& skeleton, std::size_t number, std::string_view declaration) {
  if (skeleton.launch != nullptr && number < skeleton.launch->template_arguments.size()) {
    return skeleton.launch->template_arguments[number];
  }
  const std::size_t equals = declaration.find('=');
  if (equals == std::string_view::npos) return LaunchingCode(skeleton).deduced_type(declared_name(declaration));
  const std::size_t begin = declaration.find_first_not_of(" \t\r\n", equals + 1);
  return begin == std::string_view::npos ? std::string() : std::string(declaration.substr(begin));
}

void propose_type(KernelSkeleton& skeleton, const std::string& name, const std::string& written) {
  const std::string present = without_alias(skeleton.source, LaunchingCode(skeleton).type(written));
  const auto shape = shape_of_type(present);
  const bool is_known = shape.has_value();
  if (is_class(skeleton.source, present)) {
    skeleton.names[name] = present;
    skeleton.template_arguments.push_back(present);
    return;
  }
  if (is_known && !is_declarable(present) && present.find(' ') != std::string::npos) {
    skeleton.names[name] = present;  // `unsigned int` is no value of a property
    skeleton.template_arguments.push_back(present);
    return;
  }
  const std::string other = name + "_TYPE";
  const std::string property = skeleton.free_name({"TYPE", other.c_str()});
  const std::string guess = sounds_like_integer_type(name) ? "int" : "float";
  if (!is_known) skeleton.ask(fmt::format("For which types is the kernel used? {} is a guess for `{}`.", guess, name));
  skeleton.lines.push_back(fmt::format("problem({}: constant = {})", property, is_known ? present : guess));
  skeleton.names[name] = property;
  skeleton.given_types[property] = is_known ? present : guess;
  skeleton.template_arguments.push_back(property);
}

void propose_number(KernelSkeleton& skeleton, const std::string& name, std::string_view declaration,
                    const std::string& present) {
  if (skeleton.names.contains(present)) {  // a constant that is tuned already
    skeleton.names[name] = skeleton.names[present];
    skeleton.template_arguments.push_back(skeleton.names[present]);
    return;
  }
  const LaunchingCode host(skeleton);
  const std::string type = plain_type(declaration, name), written = host.type(present);
  const bool is_enumerator = !shape_of_type(type) && type != "auto" && !written.empty() && !host.integer(written);
  if (is_enumerator) {
    skeleton.ask(fmt::format("Is {} the right value of the template parameter `{}`?", written, name));
    skeleton.template_arguments.push_back(written);
    return;
  }
  if (declaration.starts_with("bool")) {
    const std::string value = present == "true" ? "true" : "false";
    skeleton.ask(fmt::format("Is {} the right value of the template parameter `{}`?", value, name));
    skeleton.template_arguments.push_back(value);
    return;
  }
  const auto found = host.integer(present);
  const std::int64_t value = found.value_or(sounds_like_block(name) ? 256 : sounds_tunable(name) ? 16 : 4);
  if (!found)
    skeleton.ask(fmt::format("Which value of the template parameter `{}` is in use? {} is a guess.", name, value));
  const bool may_vary = sounds_tunable(name);
  if (!may_vary) {
    skeleton.ask(fmt::format("May the template parameter `{}` have other values without changing the results?", name));
  }
  if (!is_declarable(name)) {
    skeleton.template_arguments.push_back(std::to_string(value));
    return;
  }
  skeleton.tune(name, value, may_vary ? values_around(name, value) : std::vector<std::int64_t>{value}, "; argument");
  skeleton.names[name] = name;
  skeleton.template_arguments.push_back(name);
}

}  // namespace

void KernelSkeleton::ask(const std::string& question) {
  lines.push_back("// ? " + question);
  std::replace(lines.back().begin(), lines.back().end(), '\n', ' ');
}

void KernelSkeleton::declare(const std::set<std::string>& constants) {
  for (const std::string& name : constants) {
    fixed.insert(name);
    const auto of_block = block_constants.find(name);
    const std::string value =
        of_block != block_constants.end() ? of_block->second : std::to_string(source.constant(name)->value);
    if (lets.insert(name).second) lines.push_back(fmt::format("let({} = {})", name, value));
  }
}

void KernelSkeleton::tune(const std::string& name, std::int64_t value, const std::vector<std::int64_t>& values,
                          const char* clause) {
  const std::string present = values.size() > 1 ? fmt::format("; default {}", value) : "";
  lines.push_back(fmt::format("param({}, {}{}{})", name, fmt::join(values, ", "), present, clause));
  parameters[name] = value;
}

std::string KernelSkeleton::free_name(std::initializer_list<const char*> candidates) const {
  const auto is_free = [&](const std::string& name) {
    return is_declarable(name) && !has_word(source.code.code, name) && source.constant(name) == nullptr &&
           !parameters.contains(name) &&
           std::none_of(names.begin(), names.end(), [&](const auto& entry) { return entry.second == name; });
  };
  for (const char* const candidate : candidates) {
    if (is_free(candidate)) return candidate;
  }
  for (int number = 2;; ++number) {
    std::string name = fmt::format("{}_{}", *candidates.begin(), number);
    if (is_free(name)) return name;
  }
}

std::optional<std::string> KernelSkeleton::expression(const HostExpression& of_source,
                                                      std::set<std::string>* constants) const {
  return described(of_source, [&](const std::string& written) -> std::optional<std::string> {
    const std::size_t scope = written.rfind("::");
    const std::string name = scope == std::string::npos ? written : written.substr(scope + 2);
    if (is_digit(name.front())) return name;
    if (const auto known = names.find(name); known != names.end()) return known->second;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (name == fmt::format("blockDim.{}", "xyz"[i])) return block[i];
    }
    if (const PlainConstant* const constant = source.constant(name)) {
      const bool is_free = constant->is_unique && is_declarable(name) &&
                           std::none_of(arguments.begin(), arguments.end(), [&](auto& a) { return a.name == name; });
      if (constants == nullptr || !is_free) return std::to_string(constant->value);
      constants->insert(name);
      return name;
    }
    for (const DerivedConstant& derived : source.derived) {
      if (derived.name != name || has_word(derived.expression, name)) continue;
      const auto parsed = parse_host_expression(derived.expression);
      const auto text = parsed ? expression(*parsed, constants) : std::nullopt;
      return text && parsed->kind == HostExpression::Kind::operation ? "(" + *text + ")" : text;
    }
    return std::nullopt;
  });
}

bool may_use(const KernelSkeleton& skeleton, std::string_view word) {
  return words_behind(skeleton.source, {own_text(skeleton)}).contains(word);
}

void propose_parameters(KernelSkeleton& skeleton) {
  const NamedWords words = named_words(skeleton);
  for (const PlainConstant& constant : skeleton.source.constants) {
    const bool is_known =
        skeleton.names.contains(constant.name) || &constant != skeleton.source.constant(constant.name);
    if (!is_known && constant.is_own && is_used(skeleton, words, constant)) propose_constant(skeleton, constant);
  }
  for (std::size_t i = 0; i < skeleton.kernel.template_parameters.size(); ++i) {
    const std::string& declaration = skeleton.kernel.template_parameters[i];
    const std::string name = declared_name(declaration), present = given(skeleton, i, declaration);
    if (declaration.starts_with("typename") || declaration.starts_with("class"))
      propose_type(skeleton, name, present);
    else
      propose_number(skeleton, name, declaration, present);
  }
}

void ask_about_constants(KernelSkeleton& skeleton) {
  for (const PlainConstant& constant : skeleton.source.constants) {
    const bool is_settled = skeleton.fixed.contains(constant.name) || skeleton.names.contains(constant.name) ||
                            sounds_tunable(constant.name) || sounds_like_size(constant.name) ||
                            &constant != skeleton.source.constant(constant.name);
    const bool may_vary = constant.is_own && constant.is_unique && is_declarable(constant.name) && constant.value > 1 &&
                          !is_in_function(skeleton.source, constant.begin);
    if (is_settled || !may_vary || !has_word(own_text(skeleton), constant.name)) continue;
    skeleton.ask(fmt::format(
        "`{}` stays {}. If it may vary without changing the results: param({}, {}), and put its "
        "declaration within #ifndef.",
        constant.name, constant.value, constant.name, fmt::join(values_around(constant.name, constant.value), ", ")));
  }
}

}  // namespace tuner
