#include "tuner/core/task/identity.hpp"

#include <fmt/format.h>

#include <map>

#include "tuner/core/base/element_type.hpp"
#include "tuner/core/base/source_words.hpp"
#include "tuner/core/description/code_text.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/fixed_defines.hpp"
#include "tuner/core/description/host_code.hpp"
#include "tuner/core/description/member_text.hpp"
#include "tuner/core/description/plain_number.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/core/task/hashed_fields.hpp"

namespace tuner {
namespace {

/// What is not given adds nothing, so that descriptions without it keep their hash.
void add_reference(const ReferenceDescription& reference, HashedFields& fields) {
  if (!reference.is_named()) return;
  fields.add("reference", reference.kernel);
  for (const search::Expression& extent : reference.grid) fields.add("reference grid", extent.text());
  for (const search::Expression& extent : reference.block) fields.add("reference block", extent.text());
  fields.add("reference shared", reference.shared_bytes);
  if (reference.arguments) {
    for (const std::string& name : *reference.arguments) fields.add("reference takes", name);
  }
  for (const NamedExpression& constant : reference.constants) {
    fields.add("reference define", constant.name);
    fields.add("as", constant.expression.text());
  }
}

/// A number by its value, however it is written.
void add_tolerance(std::string_view name, const std::optional<search::Expression>& tolerance, HashedFields& fields) {
  if (!tolerance) return;
  const std::optional<double> number = plain_number(*tolerance);
  fields.add(name, number ? fmt::format("{}", *number) : tolerance->text());
}

void add_variant(const KernelDescription& description, HashedFields& fields) {
  for (const std::string& argument : description.template_arguments) fields.add("template", argument);
  for (const std::string& option : description.options) fields.add("option", option);
}

/// Whether the kernel takes buffers of which the description alone says the type: `const void* x`.
bool takes_untyped(std::string_view source, std::string_view kernel) {
  const std::string_view name = last_part(kernel);
  for (std::size_t at = find_word(source, name); at != std::string_view::npos; at = find_word(source, name, at + 1)) {
    const std::size_t open = skip_blanks(source, at + name.size());
    if (open == source.size() || source[open] != '(') continue;
    const std::size_t close = skip_brackets(source, open);
    if (close == std::string_view::npos) continue;
    const std::string_view parameters = source.substr(open, close - open);
    for (std::size_t word = find_word(parameters, "void"); word != std::string_view::npos;
         word = find_word(parameters, "void", word + 1)) {
      std::string_view rest = trimmed(parameters.substr(word + 4));
      if (rest.starts_with("const")) rest = trimmed(rest.substr(5));
      if (rest.starts_with('*')) return true;
    }
  }
  return false;
}

/// What the source leaves open, and no problem says.
void add_untyped(const KernelDescription& description, HashedFields& fields) {
  for (const Argument& argument : description.arguments) {
    if (!is_parameter(argument.role)) continue;
    const std::optional<TypeShape> shape = shape_of_type(argument.type);
    fields.add("untyped", argument.name);
    fields.add("as", shape ? fmt::format("{}x{}", to_string(shape->element), shape->lanes) : argument.type);
    const std::optional<double> number = argument.value ? plain_number(*argument.value) : std::nullopt;
    if (number) fields.add("fixed", fmt::format("{}", *number));
  }
}

}  // namespace

std::string kernel_identity(const KernelDescription& description, const std::vector<Header>& headers) {
  const std::string prefix = description.kernel + ":";
  if (!description.known_identity.empty()) {
    return description.known_identity.starts_with(prefix) ? description.known_identity
                                                          : prefix + description.known_identity;
  }
  HashedFields fields("kernel1");
  // Whole directive lines are left out, so that a value list may be broken over one line more; and what a program does
  // on the host.
  std::string source = description.source.empty() ? description.blanked_source : without_directives(description.source);
  if (description.is_program) source = without_host_code(source);
  fields.add("source", source);
  for (const Header& header : headers) {
    // What kernels could do without, before ours were there (quoted_headers).
    if (begins_uncounted(header)) break;
    if (is_for_host_only(header)) continue;
    const bool has_host = !is_standard(header) && (description.is_program || has_host_code(header.text));
    fields.add("header", header.name);
    fields.add("text", has_host ? without_host_code(header.text) : header.text);
  }
  // Only a caller whose buffers have the padding may be served a winner that counts on it.
  for (const Argument& argument : description.arguments) {
    if (!argument.padding) continue;
    fields.add("padding", argument.name);
    fields.add("bytes", fmt::format("{}", *argument.padding));
  }
  // What a structure holds decides as much as a size does, and no problem says it.
  for (const Argument& argument : description.arguments) {
    if (argument.role != Argument::Role::value) continue;
    fields.add("value", argument.name);
    fields.add("type", argument.type);
    for (const ValueMember& member : argument.members) fields.add("member", member_text(member));
    if (!argument.bytes.empty()) fields.add("bytes of value", argument.bytes);
  }
  // What another program may have otherwise, of the same source. Kernels without have the hash that they always had.
  add_variant(description, fields);
  for (const std::string& define : fixed_defines(description)) fields.add("define", define);
  if (takes_untyped(source, description.kernel)) add_untyped(description, fields);
  return prefix + fields.hash();
}

std::string reuse_hash(const KernelDescription& description, const std::vector<BoundArgument>& arguments) {
  HashedFields fields("reuse2");
  for (std::size_t i = 0; i < description.arguments.size(); ++i) {
    const Argument& argument = description.arguments[i];
    fields.add("argument", argument.name);
    fields.add("role", role_word(argument.role));
    fields.add("type", argument.type);
    fields.add("length", argument.length);
    for (const Generator& generator : argument.generators) {
      fields.add("generator", kGenerators[static_cast<std::size_t>(generator.kind)]);
      for (const search::Expression& parameter : generator.parameters) fields.add("parameter", parameter.text());
      if (generator.is_sorted) fields.add("sorted", "");
    }
    // Its content, whatever the file is called.
    if (i < arguments.size() && arguments[i].file) fields.add("data", arguments[i].file->hash);
    add_tolerance("rtol", argument.rtol, fields);
    add_tolerance("atol", argument.atol, fields);
    if (argument.may_differ) fields.add("may differ", argument.may_differ->text());
    if (argument.is_partial) fields.add("partial", "");
    if (argument.is_trivial) fields.add("trivial", "");
    if (argument.is_unordered) fields.add("unordered", argument.counted_by);
    if (i < arguments.size() && arguments[i].expected) fields.add("expected", arguments[i].expected->hash);
    fields.add("value", argument.value);
    for (const ValueMember& member : argument.members) fields.add("member", member_text(member));
    if (!argument.bytes.empty()) fields.add("bytes of value", argument.bytes);
    if (argument.alignment) fields.add("alignment", fmt::format("{}", *argument.alignment));
    if (argument.padding) fields.add("padding", fmt::format("{}", *argument.padding));
  }
  // What turns a configuration into a binary and is no part of the source, since directives are blanked there.
  for (const NamedExpression& named : description.names) {
    fields.add(named.is_macro ? "define" : "let", named.name);
    fields.add("as", named.expression.text());
  }
  add_variant(description, fields);
  add_reference(description.reference, fields);
  // The baseline says what is right. (A further parameter would be in every configuration's text anyway.)
  std::map<std::string, std::string> defaults;
  for (const ParameterDescription& described : description.parameters) {
    defaults.emplace(described.parameter.name, described.parameter.default_value.text());
  }
  for (const auto& [name, value] : defaults) {
    fields.add("default", name);
    fields.add("is", value);
  }
  if (description.deterministic) fields.add("deterministic", "");
  return fields.hash();
}

std::string space_hash(const search::Space& space) {
  HashedFields fields("space1");
  for (const search::Parameter& parameter : space.parameters()) {
    fields.add("parameter", parameter.name);
    for (const search::Value& value : parameter.values) fields.add("value", value.text());
  }
  for (const search::Constraint& constraint : space.constraints()) {
    fields.add("constraint", constraint.expression.text());
  }
  return fields.hash();
}

}  // namespace tuner
