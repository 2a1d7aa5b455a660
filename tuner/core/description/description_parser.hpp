#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"

namespace tuner {

/// Throws Error{bad_description} at `word` if no directive is called so.
void check_directive_word(const Span& word);
/// `name`, `space::name`, or `::name`, which is the first without the colons. Throws unless a kernel may be called so.
Span function_name(Span name);

/// Turns the directives of one kernel into a KernelDescription. Lives as long as one kernel is read; every mistake is
/// thrown as Error{bad_description} at the place where it stands.
class DescriptionParser {
 public:
  /// `kernel` is the kernel(...) directive that begins the description.
  DescriptionParser(const DirectiveFile& file, const std::filesystem::path& path, const Directive& kernel);

  const KernelDescription& so_far() const { return description_; }
  const Span& word() const { return kernel_span_; }
  void read(const Directive& directive);
  /// Checks what only the whole description shows, and hands it over.
  KernelDescription finish();

 private:
  friend struct DirectiveTable;

  void read_problem(const Directive& directive);
  void read_parameter(const Directive& directive);
  void read_option(const Directive& directive);
  void read_options(const Directive& directive);
  void read_definition(const Directive& directive);
  void read_constraint(const Directive& directive);
  void read_problem_constraint(const Directive& directive);
  void read_grid(const Directive& directive);
  void read_block(const Directive& directive);
  void read_shared(const Directive& directive);
  void read_argument(const Directive& directive);
  void read_by_value(const Directive& directive);
  void read_work(const Directive& directive);
  void read_reference(const Directive& directive);
  void read_deterministic(const Directive& directive);

  void read_extents(const Directive& directive, std::vector<search::Expression>& extents,
                    const std::set<std::string>& also_known = {});
  void read_reference_constant(const Directive& clause);
  void read_reference_arguments(const Directive& clause);
  void read_parameter_clauses(const Span& name, const std::vector<Span>& clauses, ParameterDescription& parameter);
  void read_clause(const Span& clause, Argument& argument);
  void read_name(const Span& name, Argument& argument);
  void read_members(const Span& list, int depth, Argument& argument);
  void add_generator(const Span& clause, Argument& argument);
  Generator read_generator(const Span& text, const Argument& argument);
  /// NAME_last, which expressions may use.
  void define_last_offset(const Span& word, const std::vector<Span>& parameters, const Generator& generator,
                          const Argument& argument);
  std::string read_bytes(const Span& digits) const;
  std::string read_expected(const Span& operand) const;
  std::string read_file_name(const Span& span) const;
  void check_types() const;
  std::string element_type_name(const Span& type) const;
  void check_scalars() const;
  std::string read_counting_output(const Span& operand);
  void check_counting_outputs() const;
  void check_reference() const;

  /// Parses an expression and remembers the use of its names; the rest as in NameTable::use.
  search::Expression expression(const Span& span, const std::string& fixed_thing = {},
                                const std::set<std::string>& also_known = {});
  search::Expression parse_expression(const Span& span) const;
  std::string origin(const Span& span) const;

  const DirectiveFile& file_;
  Span kernel_span_;
  KernelDescription description_;
  NameTable names_;
  std::vector<Span> argument_types_;  // one an argument
  std::optional<Span> work_type_;
  std::vector<Span> argument_names_;
  std::vector<Span> counting_outputs_;  // named by `unordered by`
  std::set<std::string> reference_constants_;
  std::vector<Span> reference_argument_spans_;
  std::vector<Span> default_spans_;                // one a problem property
  std::vector<std::pair<std::string, int>> once_;  // directives that may be given once, with their line
};

}  // namespace tuner
