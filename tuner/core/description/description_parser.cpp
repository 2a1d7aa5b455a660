#include "tuner/core/description/description_parser.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/core/base/count_text.hpp"
#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/suggestion.hpp"
#include "tuner/core/description/directive_words.hpp"
#include "tuner/core/description/parameter_values.hpp"

namespace tuner {

/// What reads each directive but `kernel`, and whether it may be repeated.
struct DirectiveTable {
  using Reader = void (DescriptionParser::*)(const Directive&);
  struct Row {
    std::string_view word;
    Reader reader;
    bool repeatable;
  };
  static constexpr Row kRows[] = {
      {"problem", &DescriptionParser::read_problem, true},
      {"param", &DescriptionParser::read_parameter, true},
      {"option", &DescriptionParser::read_option, true},
      {"options", &DescriptionParser::read_options, true},
      {"let", &DescriptionParser::read_definition, true},
      {"define", &DescriptionParser::read_definition, true},
      {"constraint", &DescriptionParser::read_constraint, true},
      {"problem_constraint", &DescriptionParser::read_problem_constraint, true},
      {"grid", &DescriptionParser::read_grid, false},
      {"block", &DescriptionParser::read_block, false},
      {"shared", &DescriptionParser::read_shared, false},
      {"in", &DescriptionParser::read_argument, true},
      {"out", &DescriptionParser::read_argument, true},
      {"inout", &DescriptionParser::read_argument, true},
      {"scratch", &DescriptionParser::read_argument, true},
      {"scalar", &DescriptionParser::read_argument, true},
      {"constant", &DescriptionParser::read_argument, true},
      {"value", &DescriptionParser::read_by_value, true},
      {"work", &DescriptionParser::read_work, false},
      {"reference", &DescriptionParser::read_reference, false},
      {"deterministic", &DescriptionParser::read_deterministic, false},
  };
};

namespace {

std::string_view example_of(std::string_view directive) {
  for (const DirectiveWord& entry : directive_words()) {
    if (entry.word == directive) return entry.example;
  }
  return {};
}

/// `::a::b` is `a::b`: names are looked up in the global namespace, which is another one on the CPU.
Span without_global_scope(const Span& name) {
  return name.text().starts_with("::") ? name.sub(2).trimmed() : name;
}

/// The arguments between `<` and the last `>`, split at commas that no bracket of any kind encloses.
std::vector<std::string> template_arguments(const Span& list) {
  std::vector<std::string> arguments;
  const std::string_view text = list.text();
  if (list.trimmed().empty()) return {""};  // `f<>`: defaults, or an empty pack
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char c = at < text.size() ? text[at] : ',';
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || (depth > 0 && at < text.size())) continue;
    const Span argument = without_global_scope(list.sub(begin, at - begin).trimmed());
    if (argument.empty()) argument.fail("a template argument is missing here");
    arguments.push_back(argument.string());
    begin = at + 1;
  }
  return arguments;
}

}  // namespace

Span function_name(Span name) {
  name = without_global_scope(name);
  std::size_t begin = 0;
  const std::string_view text = name.text();
  while (true) {
    const std::size_t end = text.find("::", begin);
    check_identifier(name.sub(begin, end == std::string_view::npos ? end : end - begin), "a kernel");
    if (end == std::string_view::npos) return name;
    begin = end + 2;
  }
}

void check_directive_word(const Span& word) {
  const std::vector<std::string> words = words_of(directive_words());
  if (std::find(words.begin(), words.end(), word.text()) != words.end()) return;
  const std::string all = fmt::format("; the directives are {}", fmt::join(words, ", "));
  word.fail(fmt::format("unknown directive `{}`{}", word.text(), suggestion(word.text(), words, all)));
}

DescriptionParser::DescriptionParser(const DirectiveFile& file, const std::filesystem::path& path,
                                     const Directive& kernel)
    : file_(file), kernel_span_(kernel.word) {
  description_.file = path;
  description_.source = file.source().text();
  description_.blanked_source = file.blanked();
  description_.is_program = file.is_program();
  if (!kernel.arguments || kernel.arguments->empty()) {
    kernel.word.fail("kernel needs the name of the function, as in kernel(prefetch) or kernel(copy<BLOCKDIMX, TYPE>)");
  }
  const Span& name = *kernel.arguments;
  const std::size_t open = name.text().find('<');
  if (open == std::string_view::npos) {
    description_.kernel = function_name(name).string();
    return;
  }
  if (!name.text().ends_with('>')) name.fail("the template arguments of the kernel must end with `>`", open);
  description_.kernel = function_name(name.sub(0, open).trimmed()).string();
  description_.template_arguments = template_arguments(name.sub(open + 1, name.size() - open - 2));
}

void DescriptionParser::read(const Directive& directive) {
  check_directive_word(directive.word);
  const std::string_view word = directive.word.text();
  const auto* entry = std::find_if(std::begin(DirectiveTable::kRows), std::end(DirectiveTable::kRows),
                                   [word](const auto& candidate) { return candidate.word == word; });
  const bool wants_arguments = word != "deterministic";
  if (wants_arguments && (!directive.arguments || directive.arguments->empty())) {
    directive.word.fail(fmt::format("{} needs arguments in parentheses, as in {}", word, example_of(word)));
  }
  if (!wants_arguments && directive.arguments) directive.arguments->fail(fmt::format("{} takes no arguments", word));
  if (!entry->repeatable) {
    for (const auto& [given, line] : once_) {
      if (given == word) directive.word.fail(fmt::format("{} is given twice; the first is on line {}", word, line));
    }
    once_.emplace_back(word, directive.word.place().line);
  }
  (this->*entry->reader)(directive);
}

search::Expression DescriptionParser::parse_expression(const Span& span) const {
  if (span.empty()) span.fail("an expression is missing here");
  try {
    return search::Expression::parse(span.text());
  } catch (const search::ExpressionError& error) {
    span.fail(error.what(), error.offset());
  }
}

search::Expression DescriptionParser::expression(const Span& span, const std::string& fixed_thing,
                                                 const std::set<std::string>& also_known) {
  search::Expression result = parse_expression(span);
  names_.use(result, span, fixed_thing, also_known);
  return result;
}

std::string DescriptionParser::origin(const Span& span) const {
  return fmt::format("{}:{}", description_.file.filename().string(), span.place().line);
}

void DescriptionParser::read_problem(const Directive& directive) {
  for (const Span& item : directive.arguments->split(',')) {
    const std::size_t colon = item.find(':');
    if (colon == std::string_view::npos) {
      item.fail(
          fmt::format("a problem property is NAME: KIND with the kind size, exact or constant, not `{}`", item.text()));
    }
    ProblemProperty property;
    const Span name = item.sub(0, colon).trimmed();
    names_.declare(name, NameTable::Kind::problem);
    property.name = name.string();
    property.place = name.place();
    const std::size_t equals = item.find('=', colon);
    const Span kind = item.sub(colon + 1, equals == std::string_view::npos ? equals : equals - colon - 1).trimmed();
    const auto* const known = std::find(kProblemKinds.begin(), kProblemKinds.end(), kind.text());
    if (known == kProblemKinds.end()) {
      kind.fail(fmt::format("`{}` is not a kind of problem property (size, exact or constant){}", kind.text(),
                            suggestion(kind.text(), {kProblemKinds.begin(), kProblemKinds.end()})));
    }
    property.kind = static_cast<ProblemProperty::Kind>(known - kProblemKinds.begin());
    if (equals != std::string_view::npos) {
      const Span text = item.sub(equals + 1).trimmed();
      const std::optional<std::int64_t> count = read_count(text.text());
      const search::Value value = count ? search::Value(*count) : read_value(text);
      const bool is_type = value.is_name() && shape_of_type(value.as_name());
      if (value.is_name() && !(is_type && property.kind == ProblemProperty::Kind::constant)) {
        text.fail(fmt::format("the default of `{}` must be a number{}, not `{}`", property.name,
                              property.kind == ProblemProperty::Kind::constant ? " or an element type" : "",
                              text.text()));
      }
      if (property.kind == ProblemProperty::Kind::size && (!value.is_integer() || value.as_integer() < 0)) {
        text.fail(
            fmt::format("the size `{}` must be an integer that is not negative, not {}", property.name, text.text()));
      }
      property.default_value = value;
    }
    description_.problem.push_back(std::move(property));
  }
}

void DescriptionParser::read_definition(const Directive& directive) {
  const Span& text = *directive.arguments;
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) {
    text.fail(fmt::format("{} needs NAME = EXPRESSION, as in {}(TILE = 4 * BLOCKDIMX)", directive.word.text(),
                          directive.word.text()));
  }
  const Span name = text.sub(0, equals).trimmed();
  const Span value = text.sub(equals + 1).trimmed();
  names_.declare(name, NameTable::Kind::expression);
  const search::Expression parsed = parse_expression(value);
  names_.use_in_definition(parsed, value, name.string());
  description_.names.push_back({name.string(), parsed, directive.word.text() == "define", name.place()});
}

void DescriptionParser::read_constraint(const Directive& directive) {
  description_.constraints.push_back({expression(*directive.arguments), origin(directive.word)});
}

void DescriptionParser::read_problem_constraint(const Directive& directive) {
  const std::string fixed_thing = "what a problem must satisfy";
  description_.problem_constraints.push_back({expression(*directive.arguments, fixed_thing), origin(directive.word)});
}

void DescriptionParser::read_extents(const Directive& directive, std::vector<search::Expression>& extents,
                                     const std::set<std::string>& also_known) {
  const std::vector<Span> items = directive.arguments->split(',');
  if (items.size() > 3) items[3].fail(fmt::format("{} has at most three dimensions", directive.word.text()));
  for (const Span& item : items) extents.push_back(expression(item, {}, also_known));
}

void DescriptionParser::read_grid(const Directive& directive) {
  read_extents(directive, description_.grid);
}
void DescriptionParser::read_block(const Directive& directive) {
  read_extents(directive, description_.block);
}

void DescriptionParser::read_shared(const Directive& directive) {
  description_.shared_bytes = expression(*directive.arguments);
}

void DescriptionParser::read_work(const Directive& directive) {
  for (const Span& item : directive.arguments->split(',')) {
    const std::size_t equals = item.find('=');
    const Span key = item.sub(0, equals).trimmed();
    if (key.text() == "type" && equals != std::string_view::npos) {
      if (work_type_) key.fail("`type` is given twice");
      work_type_ = item.sub(equals + 1).trimmed();
      description_.work.type = work_type_->string();
      continue;
    }
    std::optional<search::Expression>* target = key.text() == "bytes"   ? &description_.work.bytes
                                                : key.text() == "flops" ? &description_.work.flops
                                                                        : nullptr;
    if (target == nullptr || equals == std::string_view::npos) {
      item.fail(
          fmt::format("work is bytes = EXPRESSION, flops = EXPRESSION or both, and type = TYPE of the operations, "
                      "not `{}`{}",
                      item.text(), suggestion(key.text(), {"bytes", "flops", "type"})));
    }
    if (*target) key.fail(fmt::format("`{}` is given twice", key.text()));
    const Span amount = item.sub(equals + 1).trimmed();
    *target = expression(amount);
    // A plain number can be checked at once.
    if ((*target)->names().empty() && (*target)->evaluate(search::Scope()).as_real() < 0) {
      amount.fail(fmt::format("{} cannot be negative, as {} is", key.text(), amount.text()));
    }
  }
  if (work_type_ && !description_.work.flops) {
    work_type_->fail("work has a type where it has flops, as in work(flops = 2 * n, type = float)");
  }
}

void DescriptionParser::read_deterministic(const Directive&) {
  description_.deterministic = true;
}

KernelDescription DescriptionParser::finish() {
  const auto need = [this](bool present, std::string_view what) {
    if (!present) kernel_span_.fail(fmt::format("the kernel `{}` has no {}", description_.kernel, what));
  };
  need(!description_.grid.empty(), "grid(...): the number of blocks, as in grid(rows)");
  need(!description_.block.empty(), "block(...): the number of threads in a block, as in block(BLOCKDIMX)");
  const bool has_output = std::any_of(description_.arguments.begin(), description_.arguments.end(),
                                      [](const auto& argument) { return is_compared(argument.role); });
  need(has_output, "out(...) or inout(...): without an output no configuration can be checked");
  check_types();
  check_scalars();
  check_counting_outputs();
  check_reference();
  names_.check();
  return std::move(description_);
}

}  // namespace tuner
