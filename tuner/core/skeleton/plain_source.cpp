#include "tuner/core/skeleton/plain_source.hpp"

#include <algorithm>

#include "search/expression/quoting.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/signature/written_signature.hpp"

namespace tuner {
namespace {

std::size_t behind_brace(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '{') ++depth;
    if (code[at] == '}' && --depth == 0) return at + 1;
  }
  return code.size();
}

std::size_t first_code(std::string_view code, std::size_t from) {
  return std::min(code.find_first_not_of(" \t\v\f\r\n", from), code.size());
}

/// Behind calls of macros that stand before a declaration without a semicolon: `MAKE(add, float) __global__ void k(…)`.
std::size_t behind_macro_calls(std::string_view statement) {
  for (std::size_t begin = 0;;) {
    begin = first_code(statement, begin);
    std::size_t end = begin;
    while (end < statement.size() && is_word_character(statement[end])) ++end;
    const std::size_t open = first_code(statement, end);
    const bool is_call = end > begin && open < statement.size() && statement[open] == '(' &&
                         !statement.substr(begin).starts_with("__");  // __launch_bounds__, __attribute__
    const std::size_t closed = is_call ? skip_brackets(statement, open) : std::string_view::npos;
    if (closed == std::string_view::npos) return begin;
    const std::size_t next = first_code(statement, closed);
    if (next >= statement.size() || !is_word_character(statement[next])) return begin;
    begin = next;
  }
}

/// Where the angle opens that closes at `last`; npos if none does.
std::size_t opening_angle(std::string_view code, std::size_t last) {
  int depth = 0;
  for (std::size_t at = last + 1; at-- > 0;) {
    const char c = code[at];
    if (c == '>' || c == ')') ++depth;
    if (c == '<' || c == '(') --depth;
    if (depth == 0) return c == '<' ? at : std::string_view::npos;
    if (c == ';' || c == '{' || c == '}') break;
  }
  return std::string_view::npos;
}

/// Of a declaration up to the function's body.
PlainHead head_of(std::string_view declaration) {
  const std::size_t angle = declaration.starts_with("template") ? declaration.find('<') : std::string_view::npos;
  const std::size_t behind = angle == std::string_view::npos ? 0 : skip_brackets(declaration, angle);
  const std::size_t open = declaration.find('(', std::min(behind, declaration.size()));
  const std::size_t closed = open == std::string_view::npos ? open : skip_brackets(declaration, open);
  if (closed == std::string_view::npos) return {};
  return {declared_name(declaration.substr(0, open)), comma_parts(declaration.substr(open + 1, closed - open - 2))};
}

/// Finds the functions outside classes, and the namespaces that they are in.
class FunctionFinder {
 public:
  FunctionFinder(const CodeText& code, const std::vector<std::string>& kernels) : code_(code.code), kernels_(kernels) {
    for (const CodeText::Macro& macro : code.macros) {
      const bool is_plain = !macro.body.starts_with('(') && macro.body.find('{') == std::string::npos;
      if (is_plain && has_word(macro.body, "__global__")) kernel_words_.push_back(macro.name);
    }
  }

  std::vector<PlainFunction> find() {
    std::size_t begin = 0;
    for (std::size_t at = 0; at < code_.size();) {
      const char c = code_[at];
      if (c == '(' || c == '[') {
        const std::size_t closed = skip_brackets(code_, at);
        at = closed == std::string_view::npos ? at + 1 : closed;
        continue;
      }
      if (c == '{') {
        at = open_brace(begin, at);
        begin = at;
        continue;
      }
      if (c == '}' && !scopes_.empty()) scopes_.pop_back();
      // Conditions may stand in the middle of a declaration.
      const bool is_between = c == '#' && search::trimmed(code_.substr(begin, at - begin)).empty();
      ++at;
      if (c == '}' || c == ';' || is_between) begin = at;
    }
    return std::move(found_);
  }

 private:
  /// Where to go on.
  std::size_t open_brace(std::size_t begin, std::size_t at) {
    begin = first_code(code_, begin);
    const std::string_view statement = code_.substr(begin, at - std::min(begin, at));
    if (has_word(statement, "namespace")) {
      scopes_.push_back(std::string(search::trimmed(statement.substr(statement.find("namespace") + 9))));
      return at + 1;
    }
    if (search::trimmed(statement) == "extern") {
      scopes_.emplace_back();
      return at + 1;
    }
    const std::size_t end = behind_brace(code_, at);
    if (statement.find('(') != std::string_view::npos && !is_initialiser(statement)) add(begin, at, end);
    return end;
  }

  static bool is_initialiser(std::string_view statement) { return search::trimmed(statement).ends_with('='); }

  bool says_kernel(std::string_view statement) const {
    return std::any_of(kernel_words_.begin(), kernel_words_.end(),
                       [&](const std::string& word) { return has_word(statement, word); });
  }

  void add(std::size_t begin, std::size_t body, std::size_t end) {
    begin += behind_macro_calls(code_.substr(begin, body - begin));
    const std::string_view statement = code_.substr(begin, body - begin);
    PlainFunction function;
    function.head = head_of(statement);
    function.begin = begin;
    function.body = body;
    function.end = end;
    if (has_word(statement, "__device__")) function.kind = PlainFunction::Kind::device;
    for (const std::string& kernel : kernels_) {
      const std::size_t at = find_word(statement, kernel);
      if (at == std::string_view::npos || !says_kernel(statement)) continue;
      function.kind = PlainFunction::Kind::kernel;
      for (const std::string& scope : scopes_) function.name += scope.empty() ? "" : scope + "::";
      function.name += kernel;
      name_at_.push_back(begin + at);
      break;
    }
    if (statement.starts_with("template")) {
      const std::size_t open = statement.find('<');
      const std::size_t closed =
          open == std::string_view::npos ? std::string_view::npos : skip_brackets(statement, open);
      if (closed != std::string_view::npos) {
        function.template_parameters = comma_parts(statement.substr(open + 1, closed - open - 2));
      }
    }
    found_.push_back(std::move(function));
  }

  std::string_view code_;
  const std::vector<std::string>& kernels_;
  std::vector<std::string> kernel_words_{"__global__"};  ///< and macros that say it
  std::vector<std::string> scopes_;
  std::vector<PlainFunction> found_;

 public:
  std::vector<std::size_t> name_at_;  ///< of the kernels, in order
};

std::vector<PlainLaunch> find_launches(std::string_view code, const std::vector<PlainFunction>& functions) {
  std::vector<PlainLaunch> launches;
  for (std::size_t at = code.find("<<<"); at != std::string_view::npos; at = code.find("<<<", at + 3)) {
    const std::size_t close = code.find(">>>", at);
    if (close == std::string_view::npos) break;
    PlainLaunch launch;
    std::size_t end = at;
    while (end > 0 && std::string_view(" \t\n").find(code[end - 1]) != std::string_view::npos) --end;
    if (end > 0 && code[end - 1] == '>') {  // scale<float, 256><<<
      const std::size_t open = opening_angle(code, end - 1);
      if (open == std::string_view::npos) continue;
      launch.template_arguments = comma_parts(code.substr(open + 1, end - open - 2));
      end = open;
    }
    std::size_t begin = end;
    while (begin > 0 && is_word_character(code[begin - 1])) --begin;
    launch.kernel = std::string(code.substr(begin, end - begin));
    launch.begin = begin;
    launch.configuration = comma_parts(code.substr(at + 3, close - at - 3));
    const std::size_t open = first_code(code, close + 3);
    const std::size_t closed =
        open < code.size() && code[open] == '(' ? skip_brackets(code, open) : std::string_view::npos;
    if (closed != std::string_view::npos) launch.arguments = comma_parts(code.substr(open + 1, closed - open - 2));
    for (const PlainFunction& function : functions) {
      if (function.body < at && at < function.end) launch.host_begin = function.body;
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

}  // namespace

std::vector<std::string> comma_parts(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '(' || c == '[' || c == '{' || c == '<') ++depth;
    if (c == ')' || c == ']' || c == '}' || c == '>') --depth;
    if (c != ',' || (depth > 0 && at < text.size())) continue;
    const std::string_view part = search::trimmed(text.substr(begin, at - begin));
    if (!part.empty() || !parts.empty()) parts.emplace_back(part);
    begin = at + 1;
  }
  return parts;
}

std::optional<PlainCall> call_behind(std::string_view code, std::size_t at) {
  PlainCall call;
  at = first_code(code, at);
  if (at < code.size() && code[at] == '<') {
    const std::size_t closed = skip_brackets(code, at);
    if (closed == std::string_view::npos) return std::nullopt;
    call.template_arguments = comma_parts(code.substr(at + 1, closed - at - 2));
    at = first_code(code, closed);
  }
  if (at >= code.size() || code[at] != '(') return std::nullopt;
  const std::size_t closed = skip_brackets(code, at);
  if (closed == std::string_view::npos) return std::nullopt;
  call.arguments = comma_parts(code.substr(at + 1, closed - at - 2));
  return call;
}

std::string declared_name(std::string_view declaration) {
  declaration = declaration.substr(0, declaration.find_first_of("=["));
  declaration = search::trimmed(declaration);
  std::size_t begin = declaration.size();
  while (begin > 0 && is_word_character(declaration[begin - 1])) --begin;
  return begin == 0 ? std::string() : std::string(declaration.substr(begin));
}

const PlainConstant* PlainSource::constant(std::string_view name) const {
  const auto found = std::find_if(constants.begin(), constants.end(), [&](const auto& c) { return c.name == name; });
  return found == constants.end() ? nullptr : &*found;
}

const PlainLaunch* PlainSource::launch(std::string_view kernel) const {
  const std::size_t scope = kernel.rfind("::");
  if (scope != std::string_view::npos) kernel.remove_prefix(scope + 2);
  const auto found = std::find_if(launches.begin(), launches.end(), [&](const auto& l) { return l.kernel == kernel; });
  return found == launches.end() ? nullptr : &*found;
}

PlainSource read_plain_source(std::string text) {
  PlainSource source;
  source.text = std::move(text);
  source.code = read_code(source.text);
  KernelDescription description;
  description.source = description.blanked_source = source.text;
  const std::vector<Header> headers;
  const WrittenSource written(description, headers);
  const std::vector<std::string> kernels = written.kernel_names();
  FunctionFinder finder(source.code, kernels);
  source.functions = finder.find();
  const SourceText places("", source.text);
  std::size_t number = 0;
  for (PlainFunction& function : source.functions) {
    if (function.kind != PlainFunction::Kind::kernel) continue;
    const Place place = places.place(finder.name_at_[number++]);
    for (Signature& signature : written.kernels(function.name)) {
      if (signature.place.line == place.line && signature.place.column == place.column) {
        function.signature = std::move(signature);
      }
    }
  }
  source.launches = find_launches(source.code.code, source.functions);
  return source;
}

}  // namespace tuner
