// What the parameters of a kernel are, in the types of descriptions.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/skeleton/deduced_type.hpp"
#include "tuner/core/skeleton/kernel_skeleton.hpp"

namespace tuner {
namespace {

/// Words of a declaration that do not change what its numbers are.
constexpr std::string_view kSayNothing[] = {"const",  "volatile",          "__restrict__", "__restrict",   "restrict",
                                            "struct", "__grid_constant__", "std",          "__constant__", "static"};
bool says_no_type(std::string_view word) {
  return std::ranges::find(kSayNothing, word) != std::end(kSayNothing);
}

}  // namespace

std::string plain_type(std::string_view declaration, std::string_view name) {
  declaration = declaration.substr(0, declaration.find_first_of("=["));
  const std::size_t at = declaration.rfind(name);
  if (!name.empty() && at != std::string_view::npos) declaration = declaration.substr(0, at);
  std::string type;
  for (std::size_t at_word = 0; at_word < declaration.size();) {
    std::size_t end = at_word;
    while (end < declaration.size() && is_word_character(declaration[end])) ++end;
    const std::string_view word = declaration.substr(at_word, end - at_word);
    if (!word.empty() && !says_no_type(word)) type += (type.empty() ? "" : " ") + std::string(word);
    at_word = std::max(end, at_word + 1);
  }
  return type;
}

std::string without_alias(const PlainSource& source, const std::string& name) {
  if (name.empty()) return name;
  for (const CodeText::Macro& macro : source.code.macros) {
    if (macro.name == name && shape_of_type(macro.body)) return macro.body;
  }
  const std::string_view code = source.code.code;
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::size_t last = code.substr(0, at).find_last_of(";{}#");
    const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
    const std::size_t end = std::min(code.find(';', at), code.size());
    const std::string_view statement = search::trimmed(code.substr(begin, end - begin));
    std::string type;
    if (statement.starts_with("using ") && statement.find('=') != std::string_view::npos) {
      type = plain_type(statement.substr(statement.find('=') + 1), "");
    } else if (statement.starts_with("typedef ")) {
      type = plain_type(statement.substr(8), name);
    }
    if (shape_of_type(type)) return type;
  }
  return name;
}

namespace {

/// Without words that are macros, as `UNALIASED` is for __restrict__, and without namespaces, if it is a type then.
std::string without_macros(const PlainSource& source, const std::string& type) {
  std::string rest, last;
  for (std::size_t at = 0; at < type.size();) {
    const std::size_t end = std::min(type.find(' ', at), type.size());
    last = type.substr(at, end - at);
    at = end + 1;
    const bool is_macro = std::any_of(source.code.macros.begin(), source.code.macros.end(),
                                      [&](const CodeText::Macro& macro) { return macro.name == last; });
    if (!is_macro) rest += (rest.empty() ? "" : " ") + last;
  }
  return shape_of_type(rest) ? rest : shape_of_type(last) ? last : type;
}

/// The one type of all fields of a structure, and how many there are; nothing if there are several types.
std::optional<std::pair<std::string, std::int64_t>> fields_of(const PlainSource& source, const std::string& name) {
  const std::string_view code = source.code.code;
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + name.size());
    if (open == std::string_view::npos || code[open] != '{') continue;
    std::string common;
    std::int64_t count = 0;
    const std::size_t close = std::min(code.find('}', open), code.size());
    for (std::size_t begin = open + 1; begin < close;) {
      const std::size_t end = std::min(code.find(';', begin), close);
      const std::vector<std::string> parts = comma_parts(code.substr(begin, end - begin));
      begin = end + 1;
      if (parts.empty()) continue;
      const std::string type = plain_type(parts.front(), declared_name(parts.front()));
      const auto shape = shape_of_type(type);
      const bool is_plain = std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
        return part.find_first_of("[(*:") == std::string::npos;
      });
      if (!shape || !is_plain || (!common.empty() && common != type)) return std::nullopt;
      common = type;
      count += static_cast<std::int64_t>(parts.size());
    }
    if (count > 0) return std::pair(common, count);
  }
  return std::nullopt;
}

bool is_one_integer(const TypeShape& shape) {
  return shape.lanes == 1 && !is_real(shape.element) && shape.element != ElementType::boolean;
}

std::string last_word(const std::string& words) {
  return words.substr(words.rfind(' ') + 1);  // npos + 1 is 0
}

/// "const Box<T> box" → "Box<TYPE>".
std::string object_type(const KernelSkeleton& skeleton, std::string_view declaration) {
  const std::string name = declared_name(declaration);
  declaration = declaration.substr(0, declaration.substr(0, declaration.find('=')).rfind(name));
  std::string type;
  for (std::size_t at = 0; at < declaration.size();) {
    std::size_t end = at;
    while (end < declaration.size() && is_word_character(declaration[end])) ++end;
    const std::string word(declaration.substr(at, std::max(end, at + 1) - at));
    const auto known = skeleton.names.find(word);
    if (!says_no_type(word)) type += known == skeleton.names.end() ? word : known->second;
    at = std::max(end, at + 1);
  }
  return std::string(search::trimmed(type));
}

/// Whether the source says that a structure has pointers, which no description can fill.
bool has_pointers(const PlainSource& source, const std::string& name) {
  const std::string_view code = source.code.code;
  for (std::size_t at = find_word(code, name); at != std::string_view::npos; at = find_word(code, name, at + 1)) {
    const std::size_t open = code.find_first_not_of(" \t\r\n", at + name.size());
    const std::string_view before = search::trimmed(code.substr(0, at));
    if (open == std::string_view::npos || code[open] != '{' ||
        !(before.ends_with("struct") || before.ends_with("class")))
      continue;
    const std::string_view body = code.substr(open, code.find('}', open) - open);
    for (std::size_t begin = 0; begin < body.size();) {
      const std::size_t end = std::min(body.find(';', begin), body.size());
      const std::string_view member = body.substr(begin, end - begin);
      if (member.find('*') != std::string_view::npos && member.find('(') == std::string_view::npos) return true;
      begin = end + 1;
    }
  }
  return false;
}

void set_type(const KernelSkeleton& skeleton, const ParameterType& parameter, PlainArgument& argument) {
  std::string written = plain_type(parameter.text, declared_name(parameter.text));
  const auto known = skeleton.names.find(written);
  const bool is_given_class = known != skeleton.names.end() && is_class(skeleton.source, known->second);
  if (is_given_class) written = known->second;
  argument.own_type = written;
  if (known != skeleton.names.end() && !is_given_class) {
    argument.type = known->second;
    const auto given = skeleton.given_types.find(argument.type);
    const auto shape = shape_of_type(given == skeleton.given_types.end() ? argument.type : given->second);
    argument.is_integer = shape && is_one_integer(*shape);
    return;
  }
  const bool is_instance = parameter.text.substr(0, parameter.text.find('=')).find('<') != std::string::npos;
  const std::string type =
      is_instance ? written : without_alias(skeleton.source, without_macros(skeleton.source, written));
  if (parameter.is_raw && !shape_of_type(type)) {
    argument.type = "uint8";
    argument.question = fmt::format("Which type do the elements of `{}` have?", parameter.text);
  } else if (const auto shape = shape_of_type(type)) {
    argument.type = type;
    argument.is_integer = is_one_integer(*shape);
    argument.is_object = shape->lanes > 1 && !argument.is_pointer;
  } else if (const auto fields = fields_of(skeleton.source, written); fields && argument.is_pointer) {
    argument.type = fields->first;
    argument.elements = fields->second;
  } else if (argument.is_pointer && has_word(written, "complex") && shape_of_type(last_word(written))) {
    argument.type = last_word(written);
    argument.elements = 2;
  } else if (argument.is_pointer) {
    argument.type = "float";
    argument.question =
        fmt::format("Which numbers is a `{}` made of? float is a guess, and so is the length.", written);
  } else {
    argument.is_object = true;
    argument.type = object_type(skeleton, parameter.text);
  }
}

}  // namespace

std::string read_arguments(KernelSkeleton& skeleton) {
  const Signature& signature = skeleton.kernel.signature;
  if (!signature.is_complete) return "its parameters depend on macros or conditions";
  if (signature.parameters.empty()) return "it has no parameters, so there is no output to check";
  for (const ParameterType& parameter : signature.parameters) {
    PlainArgument argument;
    argument.text = parameter.text;
    argument.name = argument.own_name = declared_name(parameter.text);
    argument.is_pointer =
        parameter.form == ParameterType::Form::pointer || parameter.text.find_first_of("*[") != std::string::npos;
    argument.is_const = find_word(parameter.text, "const") < parameter.text.find_first_of("*[");
    set_type(skeleton, parameter, argument);
    if (std::count(parameter.text.begin(), parameter.text.end(), '*') > 1) {
      return fmt::format(
          "`{}` points to pointers, which no description can fill: give the kernel one buffer and offsets into it",
          parameter.text);
    }
    if (argument.is_object && has_pointers(skeleton.source, argument.own_type)) {
      return fmt::format("`{}` has pointers in it: give the kernel these buffers one by one", parameter.text);
    }
    const bool is_free = std::none_of(skeleton.arguments.begin(), skeleton.arguments.end(),
                                      [&](const PlainArgument& other) { return other.name == argument.name; });
    if (argument.name.empty() || shape_of_type(argument.name) || !is_declarable(argument.name) || !is_free) {
      const std::string numbered = fmt::format("argument_{}", skeleton.arguments.size() + 1);
      argument.name = argument.own_name == "in" ? skeleton.free_name({"input", "input_buffer"}) : numbered;
    }
    skeleton.arguments.push_back(std::move(argument));
  }
  return {};
}

std::string why_no_output(const KernelSkeleton& skeleton) {
  const Signature& signature = skeleton.kernel.signature;
  const bool has_output = std::any_of(skeleton.arguments.begin(), skeleton.arguments.end(),
                                      [](const PlainArgument& a) { return a.is_pointer && !a.is_const; });
  if (has_output) return "";
  const bool has_handles =
      std::any_of(signature.parameters.begin(), signature.parameters.end(),
                  [](const ParameterType& parameter) { return parameter.opaque == ParameterType::Opaque::texture; });
  return std::string("it takes no pointer that it could write through, so there is no output to check") +
         (has_handles ? ": a description makes no textures or surfaces, so read and write the arrays through pointers, "
                        "where the program's way is behind a macro"
                      : "");
}

}  // namespace tuner
