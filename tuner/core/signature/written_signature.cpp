#include "tuner/core/signature/written_signature.hpp"

#include <algorithm>

#include "tuner/core/base/source_words.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"

namespace tuner {
namespace {

bool is_any_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// What may stand in front of a function's name with parentheses of its own.
bool takes_parentheses(std::string_view word) {
  return is_any_of(word, {"__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__", "__align__",
                          "alignas", "__attribute__", "__declspec", "decltype", "noexcept", "requires"});
}

/// Says nothing of what is passed.
bool is_qualifier(std::string_view word) {
  return is_any_of(word, {"const", "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__",
                          "typename", "register", "struct", "__align__", "alignas", "__attribute__", "__constant__",
                          "__device__", "static", "extern", "inline", "constexpr", "constinit"});
}

bool is_type_word(std::string_view word) {
  return is_any_of(word, {"unsigned", "signed", "long", "short", "int", "char", "float", "double", "bool", "void"});
}

}  // namespace

WrittenSource::WrittenSource(const KernelDescription& description, const std::vector<Header>& headers)
    : kernel_words_{"__global__"} {
  files_.push_back(
      {SourceText(description.file.string(), description.blanked_source), read_code(description.blanked_source)});
  std::set<std::string_view> known;
  for (const Header& header : headers) {
    files_.push_back({SourceText(header.name, header.text), read_code(header.text)});
    known.insert(header.name);
  }
  for (const File& file : files_) {
    lacks_headers_ = lacks_headers_ || file.code.computes_includes;
    for (const CodeText::Include& include : file.code.includes) {
      if (!known.contains(include.name) && !is_library_header(include.name)) lacks_headers_ = true;
    }
    for (const CodeText::Macro& macro : file.code.macros) note_macro(macro);
    // `using real = …`, `typedef … real;`, `struct real`, `typename real`.
    const std::string_view code = file.code.code;
    for (Word word = next_word(code, 0); !word.text.empty(); word = next_word(code, word.at + word.text.size())) {
      if (is_any_of(word.text, {"using", "struct", "class", "union", "enum", "typename"})) {
        own_names_.emplace(next_word(code, word.at + word.text.size()).text);
      } else if (word.text == "typedef") {
        const std::size_t end = std::min(code.find(';', word.at), code.size());
        std::size_t begin = end;
        while (begin > word.at && !is_word_character(code[begin - 1])) --begin;
        const std::size_t last = begin;
        while (begin > word.at && is_word_character(code[begin - 1])) --begin;
        own_names_.emplace(code.substr(begin, last - begin));
      }
    }
  }
  for (const ParameterDescription& parameter : description.parameters) {
    own_names_.insert(parameter.parameter.name);
    if (parameter.form == ParameterForm::text) lists_.insert(parameter.parameter.name);
  }
  for (const ProblemProperty& property : description.problem) {
    if (property.kind == ProblemProperty::Kind::constant) own_names_.insert(property.name);
  }
  for (const NamedExpression& named : description.names) {
    if (named.is_macro) own_names_.insert(named.name);
  }
  for (const std::string& option : description.options) note_option(option);
  for (const ParameterDescription& parameter : description.parameters) {
    if (parameter.form != ParameterForm::option) continue;
    for (const search::Value& value : parameter.parameter.values) note_option(value.as_name());
  }
}

/// Options of the compiler may define names and bring headers; what these say is for the compiler to tell.
void WrittenSource::note_option(std::string_view option) {
  for (const std::string_view defines : {"-D", "--define-macro=", "-define-macro="}) {
    if (!option.starts_with(defines)) continue;
    own_names_.emplace(next_word(option, defines.size()).text);
    lists_.emplace(next_word(option, defines.size()).text);
    pastes_ = true;
  }
  for (const std::string_view brings : {"-I", "--include-path", "-include-path"}) {
    if (option.starts_with(brings)) lacks_headers_ = true;
  }
}

bool WrittenSource::stands_in_macros(std::string_view name) const {
  return std::any_of(files_.begin(), files_.end(), [&](const File& file) {
    return std::any_of(file.code.macros.begin(), file.code.macros.end(),
                       [&](const CodeText::Macro& macro) { return has_word(macro.body, last_part(name)); });
  });
}

void WrittenSource::note_macro(const CodeText::Macro& macro) {
  own_names_.insert(macro.name);
  if (macro.body.find("##") != std::string::npos) pastes_ = true;
  if (macro.body.find(',') != std::string::npos) lists_.insert(macro.name);
  if (has_word(macro.body, "__global__")) kernel_words_.insert(macro.name);
}

bool WrittenSource::mentions(std::string_view name) const {
  const std::string_view word = last_part(name);
  for (const File& file : files_) {
    if (has_word(file.code.code, word)) return true;
    for (const CodeText::Macro& macro : file.code.macros) {
      if (macro.name == word || has_word(macro.body, word)) return true;
    }
  }
  return false;
}

bool WrittenSource::is_macro(std::string_view word) const {
  return std::any_of(files_.begin(), files_.end(), [&](const File& file) {
    return std::any_of(file.code.macros.begin(), file.code.macros.end(),
                       [&](const CodeText::Macro& macro) { return macro.name == word; });
  });
}

bool WrittenSource::is_complete() const {
  return !pastes_ && !lacks_headers_;
}

std::vector<WrittenSource::Found> WrittenSource::find(std::string_view name) const {
  std::vector<Found> found;
  for (const File& file : files_) {
    const std::string_view code = file.code.code, word = last_part(name);
    for (std::size_t at = find_word(code, word); at != std::string_view::npos; at = find_word(code, word, at + 1)) {
      found.push_back({&file, at});
    }
  }
  return found;
}

std::string_view WrittenSource::statement_before(const File& file, std::size_t at) const {
  const std::string_view code = std::string_view(file.code.code).substr(0, at);
  // No declaration is longer, and a text without any of these is not to be read again and again.
  constexpr std::size_t kLongest = 4096;
  const std::string_view near = code.substr(code.size() - std::min(code.size(), kLongest));
  const std::size_t begin = near.find_last_of(";{}");
  return begin == std::string_view::npos ? near : near.substr(begin + 1);
}

bool WrittenSource::declares_kernel(std::string_view statement) const {
  return std::any_of(kernel_words_.begin(), kernel_words_.end(),
                     [&](const std::string& word) { return has_word(statement, word); });
}

std::vector<Signature> WrittenSource::kernels(std::string_view name) const {
  std::vector<Signature> signatures;
  if (is_macro(last_part(name))) return signatures;
  for (const auto& [file, at] : find(name)) {
    const std::string_view code = file->code.code;
    const std::size_t open = skip_blanks(code, at + last_part(name).size());
    if (open >= code.size() || code[open] != '(' || !declares_kernel(statement_before(*file, at))) continue;
    signatures.push_back(signature(*file, at, open));
  }
  return signatures;
}

bool WrittenSource::is_other_function(std::string_view name) const {
  if (is_macro(last_part(name))) return false;
  bool declared = false;
  for (const auto& [file, at] : find(name)) {
    const std::string_view code = file->code.code;
    const std::size_t open = skip_blanks(code, at + last_part(name).size());
    const std::string_view statement = statement_before(*file, at);
    // A name that a macro is given may become anything.
    if (statement.find('(') != std::string_view::npos || declares_kernel(statement)) return false;
    const bool is_function = open < code.size() && code[open] == '(';
    declared = declared || (is_function && has_word(statement, "__device__"));
  }
  return declared && is_complete();
}

std::vector<std::string> WrittenSource::kernel_names() const {
  std::vector<std::string> names;
  for (const File& file : files_) {
    const std::string_view code = file.code.code;
    for (const std::string& kernel_word : kernel_words_) {
      for (std::size_t at = find_word(code, kernel_word); at != std::string_view::npos;
           at = find_word(code, kernel_word, at + 1)) {
        const std::size_t end = std::min(code.find_first_of(";{}", at), code.size());
        for (Word word = next_word(code, at); !word.text.empty() && word.at < end;) {
          const std::size_t behind = word.at + word.text.size(), open = skip_blanks(code, behind);
          const bool has_parentheses = open < end && code[open] == '(';
          if (has_parentheses && !takes_parentheses(word.text) && !own_names_.contains(word.text)) {
            names.emplace_back(word.text);
            break;
          }
          const std::size_t closed = has_parentheses ? skip_brackets(code, open) : behind;
          if (closed == std::string_view::npos) break;
          word = next_word(code, closed);
        }
      }
    }
  }
  return names;
}

Signature WrittenSource::signature(const File& file, std::size_t name, std::size_t open) const {
  const std::string_view code = file.code.code;
  Signature result;
  result.place = file.text.place(name);
  const std::size_t end = skip_brackets(code, open);
  // Which of the parameters there are depends on conditions, or the list is no plain one.
  if (end == std::string_view::npos || code.substr(open, end - open).find('#') != std::string_view::npos) {
    result.is_complete = false;
    return result;
  }
  for (std::size_t begin = open + 1, at = begin; at < end; ++at) {
    const bool opens = code[at] == '(' || code[at] == '[' || code[at] == '{' || code[at] == '<';
    if (opens) {
      const std::size_t closed = skip_brackets(code, at);
      if (closed == std::string_view::npos || closed >= end) {
        result.is_complete = false;
        return result;
      }
      at = closed - 1;
      continue;
    }
    if (code[at] != ',' && at + 1 != end) continue;
    const std::string_view text = trimmed(code.substr(begin, at - begin));
    const bool is_only = result.parameters.empty() && at + 1 == end;
    if (!(is_only && (text.empty() || text == "void"))) {
      bool is_certain = true;
      result.parameters.push_back(parameter(file, begin, at, is_certain));
      result.is_complete = result.is_complete && is_certain;
    }
    begin = at + 1;
  }
  return result;
}

ParameterType WrittenSource::parameter(const File& file, std::size_t begin, std::size_t end, bool& is_certain) const {
  const std::string_view code = file.code.code;
  ParameterType type;
  begin = skip_blanks(code, begin);
  type.place = file.text.place(begin);
  const std::string_view text = trimmed(code.substr(begin, end - begin));
  for (const char c : text) {
    if (kWhitespace.find(c) == std::string_view::npos)
      type.text += c;
    else if (!type.text.ends_with(' '))
      type.text += ' ';
  }
  // The value that it has if it is left out does not matter.
  std::size_t length = 0;
  while (length < text.size() && text[length] != '=') {
    const bool opens = text[length] == '(' || text[length] == '[' || text[length] == '{' || text[length] == '<';
    const std::size_t closed = opens ? skip_brackets(text, length) : length + 1;
    length = closed == std::string_view::npos ? text.size() : closed;
  }
  read_type(trimmed(text.substr(0, length)), type);
  // What could stand for several parameters, or for none.
  std::size_t words = 0;
  Word only;
  for (Word word = next_word(text, 0); !word.text.empty() && word.at < length;
       word = next_word(text, word.at + word.text.size())) {
    if (lists_.contains(word.text)) is_certain = false;
    const std::size_t open = skip_blanks(text, word.at + word.text.size());
    if (open < length && text[open] == '(' && !takes_parentheses(word.text) && text[skip_blanks(text, open + 1)] != '*')
      is_certain = false;
    ++words;
    only = word;
  }
  const bool is_one_word = words == 1 && only.text.size() == text.size();
  if (is_one_word && type.form == ParameterType::Form::unknown) is_certain = false;
  if (words == 0 || text.find("...") != std::string_view::npos) is_certain = false;
  return type;
}

void WrittenSource::read_type(std::string_view text, ParameterType& type) const {
  if (text.find_first_of("(&<.") != std::string_view::npos || text.find("[[") != std::string_view::npos) return;
  const std::size_t star = text.find('*'), bracket = text.find('[');
  const bool is_array = bracket != std::string_view::npos;
  const std::size_t levels = static_cast<std::size_t>(std::count(text.begin(), text.end(), '*')) + (is_array ? 1 : 0);
  // "unsigned int", and whether it is known what that is.
  std::vector<std::string_view> words;
  bool is_const = false;
  const std::string_view base = text.substr(0, std::min({star, bracket, text.size()}));
  for (std::size_t at = 0;;) {
    const Word word = next_word(base, at);
    if (word.text.empty()) break;
    at = word.at + word.text.size();
    if (word.text == "const") is_const = true;
    if (is_qualifier(word.text)) continue;
    const bool goes_on = word.at >= 2 && base.substr(word.at - 2, 2) == "::" && !words.empty();
    if (goes_on)
      words.back() = std::string_view(words.back().data(), words.back().size() + 2 + word.text.size());
    else
      words.push_back(word.text);
  }
  // Without a star the last word is the parameter's name, unless it says the type.
  const bool has_name = star == std::string_view::npos && words.size() > 1 && !is_type_word(words.back());
  if (has_name) words.pop_back();
  std::string name;
  bool is_known = !words.empty();
  for (const std::string_view word : words) {
    std::string_view plain = word;
    for (const std::string_view scope : {"cuda::", "std::"}) {
      if (plain.starts_with(scope)) plain.remove_prefix(scope.size());
    }
    // A header that was not found may call anything half.
    const bool is_certain = is_type_word(plain) || (words.size() == 1 && !lacks_headers_);
    is_known = is_known && is_certain && !own_names_.contains(plain);
    name += (name.empty() ? "" : " ") + std::string(plain);
  }
  const auto shape = is_known ? shape_of_type(name) : std::nullopt;
  const bool is_void = is_known && name == "void";
  if (levels > 0) {
    type.form = ParameterType::Form::pointer;
    type.points_to_const = is_const && levels == 1;
    if (levels > 1) {
      type.opaque = ParameterType::Opaque::pointers;
      return;
    }
    const bool is_byte = shape && shape->element == ElementType::uint8 && shape->lanes == 1;
    type.is_raw = is_void || is_byte || name == "char";
    type.shape = shape;
  } else if (shape) {
    type.form = ParameterType::Form::value;
    type.shape = shape;
  } else if (const auto opaque = opaque_type(name); opaque != ParameterType::Opaque::no && !own_names_.contains(name)) {
    type.form = ParameterType::Form::value;
    type.opaque = opaque;
  }
}

}  // namespace tuner
