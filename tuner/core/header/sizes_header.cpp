#include "tuner/core/header/sizes_header.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/core/description/directives.hpp"
#include "tuner/core/description/name_table.hpp"
#include "tuner/core/header/expression_cpp.hpp"
#include "tuner/core/header/header_column.hpp"
#include "tuner/core/sizes/sizes.hpp"
#include "tuner/error.hpp"

namespace tuner {
namespace {

void require_name(const std::string& name, std::string_view what) {
  constexpr std::array<std::string_view, 7> own{"Configuration", "checked",     "choose", "configurations",
                                                "detail",        "not_covered", "std"};
  const bool is_own = std::find(own.begin(), own.end(), name) != own.end() || name.starts_with("tuner_");
  if (is_declarable(name) && !is_own) return;
  throw Error(Errc::bad_usage, fmt::format("The {} `{}` cannot be a name in a header; export without the rule.", what,
                                           one_line(name, 200)));
}

std::string namespace_of(std::string_view kernel) {
  std::string result;
  for (const char c : kernel) result += is_word_character(c) ? c : '_';
  return result.empty() || is_digit(result.front()) ? "_" + result : result;
}

class RuleHeader {
 public:
  RuleHeader(const KernelSizes& sizes, const SizesHeaderRequest& request) : sizes_(sizes), request_(request) {
    for (const search::DomainRange& range : sizes.rule.domain) {
      require_name(range.property, "property");
      types_[range.property] = type_of(range);
    }
    for (const std::string& text : sizes.configurations) {
      rows_.emplace_back();
      for (const std::string& part : split_assignments(text)) {
        const std::size_t equals = part.find('=');
        if (equals == std::string::npos) continue;
        const std::string name = part.substr(0, equals);
        require_name(name, "parameter");
        rows_.back()[name] = search::Value::parse(part.substr(equals + 1));
        columns_[name];
      }
    }
    for (auto& [name, column] : columns_) {
      std::vector<search::Value> values;
      for (const auto& row : rows_) {
        if (const auto found = row.find(name); found != row.end()) values.push_back(found->second);
      }
      column = column_of(values, nullptr);
    }
  }

  std::string text() const {
    std::string text = comment() + "#pragma once\n\n#include <cstdint>\n\n";
    text += fmt::format("namespace {}::{} {{\n\n", request_.name_space, namespace_of(sizes_.kernel));
    text += fmt::format("namespace detail {{\n{}}}  // namespace detail\n\n", cpp_helpers());
    text += configurations() + function();
    return text + fmt::format("}}  // namespace {}::{}\n", request_.name_space, namespace_of(sizes_.kernel));
  }

 private:
  CppType type_of(const search::DomainRange& range) const {
    const bool has_numbers = range.least <= range.most;
    if (has_numbers && !range.names.empty()) {
      throw Error(Errc::bad_usage, fmt::format("The property `{}` is a number in some problems and a name in others, "
                                               "which a header cannot take; export without the rule.",
                                               one_line(range.property, 200)));
    }
    if (!has_numbers) return CppType::name;
    const bool is_whole = std::all_of(sizes_.problems.begin(), sizes_.problems.end(), [&](const TunedSize& tuned) {
      const auto found = tuned.problem.find(range.property);
      return found == tuned.problem.end() || !found->second.is_real();
    });
    return is_whole ? CppType::whole : CppType::real;
  }

  std::string comment() const {
    const search::RuleValidation& validation = sizes_.validation;
    std::string text = comment_line("", "Which configuration of a kernel to use for which problem. Do not edit.");
    text += comment_line("", "Kernel: " + sizes_.kernel);
    text += comment_line("", "GPU: " + sizes_.device);
    if (!request_.date.empty()) text += comment_line("", "Learned: " + request_.date);
    text += comment_line("", fmt::format("From {}. On problems left out it lost {}, at worst {}.",
                                         counted(sizes_.problems.size(), "problem"), percent(validation.rule_mean),
                                         percent(validation.rule_worst)));
    if (validation.compared > 0) {
      text += comment_line("", fmt::format("The configuration of the nearest problem lost {}, at worst {}.",
                                           percent(validation.nearest_mean), percent(validation.nearest_worst)));
    }
    return text;
  }

  std::string configurations() const {
    std::string text = enumerators(columns_);
    text += "struct Configuration {\n";
    for (const auto& [name, column] : columns_) text += fmt::format("  {} {};\n", column.type(), name);
    text += "};\n\ninline constexpr Configuration configurations[] = {\n";
    for (const ColumnValues& row : rows_) text += fmt::format("    {{{}}},\n", initialisers(row, columns_));
    return text + "};\n\n";
  }

  std::string function() const {
    std::string parameters;
    for (const auto& [name, type] : types_) {
      const char* spelled = type == CppType::whole ? "std::int64_t" : type == CppType::real ? "double" : "const char*";
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", spelled, name);
    }
    std::string text =
        "/// What `choose` returns for a problem outside of what was tuned.\n"
        "inline constexpr int not_covered = -1;\n\n"
        "/// The index in `configurations` for a problem, or not_covered.\n";
    text += fmt::format("constexpr int choose({}) {{\n", parameters);
    for (const search::DomainRange& range : sizes_.rule.domain) text += guard(range);
    text += "  [[maybe_unused]] detail::Checked checked;\n";
    if (sizes_.rule.nodes.empty()) return text + "  return not_covered;\n}\n\n";
    add_node(0, 1, text);
    return text + "}\n\n";
  }

  std::string guard(const search::DomainRange& range) const {
    const std::string& name = range.property;
    std::string inside;
    if (types_.at(name) != CppType::name) {
      const std::string real = types_.at(name) == CppType::real ? name : fmt::format("static_cast<double>({})", name);
      inside = fmt::format("{} >= {} && {} <= {}", real, search::Value(range.least).text(), real,
                           search::Value(range.most).text());
    }
    for (const std::string& value : range.names) {
      inside += fmt::format("{}detail::same_text({}, {})", inside.empty() ? "" : " || ", name, string_literal(value));
    }
    return fmt::format("  if (!({})) return not_covered;\n", inside);
  }

  void add_node(std::size_t at, std::size_t depth, std::string& text) const {
    const std::string indent(2 * depth, ' ');
    if (const auto* leaf = std::get_if<search::RuleLeaf>(&sizes_.rule.nodes[at])) {
      text += fmt::format("{}return {};  // {} expected\n", indent, leaf->configuration, percent(leaf->expected_loss));
      return;
    }
    const auto& question = std::get<search::RuleQuestion>(sizes_.rule.nodes[at]);
    const CppExpression asked = cpp_expression(question.expression, types_);
    if (asked.type == CppType::name) require_name(question.expression.text(), "question");
    text += comment_line(indent, fmt::format("{} <= {}", question.expression.text(), question.threshold));
    const std::string value = "tuner_value_" + std::to_string(at);
    text += fmt::format("{}const auto {} = static_cast<double>({});\n", indent, value, asked.text);
    text += fmt::format("{}if (!checked.ok) return not_covered;\n", indent);
    text += fmt::format("{}if ({} <= {}) {{\n", indent, value, search::Value(question.threshold).text());
    add_node(question.yes, depth + 1, text);
    text += indent + "}\n";
    add_node(question.no, depth, text);
  }

  const KernelSizes& sizes_;
  const SizesHeaderRequest& request_;
  std::map<std::string, CppType> types_;
  std::vector<ColumnValues> rows_;
  HeaderColumns columns_;
};

}  // namespace

std::string sizes_header(const KernelSizes& sizes, const SizesHeaderRequest& request) {
  return RuleHeader(sizes, request).text();
}

}  // namespace tuner
