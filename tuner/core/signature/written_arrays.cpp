// Arrays in constant memory, as a source's text declares them.
#include <algorithm>

#include "tuner/core/base/source_words.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/signature/written_signature.hpp"

namespace tuner {
namespace {

bool is_address(std::string_view member) {
  return member.find('*') != std::string_view::npos;
}

bool is_whole_or_address(std::string_view member) {
  if (is_address(member)) return true;
  for (Word word = next_word(member, 0); !word.text.empty(); word = next_word(member, word.at + word.text.size())) {
    for (const std::string_view type : {"int", "unsigned", "long", "short", "char", "bool", "size_t", "int3", "int4"}) {
      if (word.text == type) return true;
    }
    if (word.text.ends_with("_t") && word.text.find("int") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

ParameterType WrittenSource::constant_array(std::string_view name) const {
  std::optional<ParameterType> array;
  for (const auto& [file, at] : find(name)) {
    const std::string_view before = statement_before(*file, at);
    const std::size_t word = find_word(before, "__constant__");
    if (word == std::string_view::npos) continue;
    // `__constant__ float a[4], b[4]`: what b is depends on more than its own words.
    if (before.find_first_of("=,(#", word) != std::string_view::npos || array) return ParameterType{};
    array.emplace();
    const std::size_t begin = at - (before.size() - word), end = at + last_part(name).size();
    const std::string_view code = file->code.code;
    array->place = file->text.place(at);
    array->text = std::string(trimmed(code.substr(begin, end - begin)));
    read_type(std::string(code.substr(begin, end - begin)) + "[]", *array);
  }
  return array.value_or(ParameterType{});
}

std::string_view WrittenSource::structure_body(std::string_view name) const {
  for (const auto& [file, at] : find(name)) {
    const std::string_view code = file->code.code;
    const std::size_t open = skip_blanks(code, at + name.size());
    if (open == code.size() || code[open] != '{' || !has_word(statement_before(*file, at), "struct")) continue;
    const std::size_t closed = skip_brackets(code, open, Between::statements);
    return closed == std::string_view::npos ? std::string_view() : code.substr(open + 1, closed - open - 2);
  }
  return {};
}

std::string WrittenSource::whole_member(const ParameterType& array) const {
  return member_of(array, is_whole_or_address);
}

std::string WrittenSource::address_member(const ParameterType& type) const {
  return member_of(type, is_address);
}

std::string WrittenSource::member_of(const ParameterType& type, bool (*is_wanted)(std::string_view)) const {
  for (Word word = next_word(type.text, 0); !word.text.empty();
       word = next_word(type.text, word.at + word.text.size())) {
    const std::string_view body = structure_body(word.text);
    // The members of a structure in it are members too; what a function declares is none.
    for (std::size_t at = 0, end; at < body.size(); at = end + 1) {
      end = std::min(body.find_first_of(";{}", at), body.size());
      const std::string_view member = trimmed(body.substr(at, end - at));
      const bool is_function = member.find('(') != std::string_view::npos;
      if (!is_function && is_wanted(member)) return std::string(member);
      if (is_function && end < body.size() && body[end] == '{') end = skip_brackets(body, end, Between::statements) - 1;
    }
  }
  return {};
}

bool WrittenSource::may_have_array(std::string_view name) const {
  const auto declares_arrays = [](const CodeText::Macro& macro) { return has_word(macro.body, "__constant__"); };
  for (const File& file : files_) {
    if (std::any_of(file.code.macros.begin(), file.code.macros.end(), declares_arrays)) return mentions(name);
  }
  if (is_macro(last_part(name)) || stands_in_macros(name)) return true;
  const std::vector<Found> found = find(name);
  return std::any_of(found.begin(), found.end(),
                     [&](const Found& one) { return has_word(statement_before(*one.file, one.at), "__constant__"); });
}

std::vector<WrittenSource::Array> WrittenSource::arrays() const {
  std::vector<Array> arrays;
  for (const File& file : files_) {
    const std::string_view code = file.code.code;
    for (std::size_t at = find_word(code, "__constant__"); at != std::string_view::npos;
         at = find_word(code, "__constant__", at + 1)) {
      std::size_t end = std::min(code.find_first_of(";=[{", at), code.size());
      Array array;
      for (Word word = next_word(code, at); !word.text.empty() && word.at < end;
           word = next_word(code, word.at + word.text.size()))
        array.name = word.text;
      while (end < code.size() && code[end] == '[') {
        const std::size_t closed = skip_brackets(code, end);
        end = closed == std::string_view::npos ? code.size() : skip_blanks(code, closed);
      }
      array.has_content = end < code.size() && (code[end] == '=' || code[end] == '{');
      arrays.push_back(array);
    }
  }
  return arrays;
}

std::vector<std::string> WrittenSource::array_names() const {
  std::vector<std::string> names;
  for (const Array& array : arrays()) names.emplace_back(array.name);
  return names;
}

std::vector<std::string> WrittenSource::empty_arrays(const KernelDescription& description) const {
  std::vector<std::string> names;
  for (const Array& array : arrays()) {
    const bool is_filled =
        std::any_of(description.arguments.begin(), description.arguments.end(), [&](const Argument& argument) {
          return argument.role == Argument::Role::constant && last_part(argument.name) == array.name;
        });
    const bool is_known = std::find(names.begin(), names.end(), array.name) != names.end();
    if (!array.has_content && !is_filled && !is_known) names.emplace_back(array.name);
  }
  return names;
}

}  // namespace tuner
