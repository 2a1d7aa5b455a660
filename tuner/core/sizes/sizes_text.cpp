#include <fmt/format.h>

#include <cmath>

#include "tuner/core/base/assignments.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/sizes/sizes.hpp"

namespace tuner {
namespace {

std::string portfolio_table(const KernelSizes& sizes, std::size_t width) {
  Table table({{"problems", Table::Align::right},
               {"mean loss", Table::Align::right},
               {"worst", Table::Align::right},
               {"configuration"}});
  for (const std::size_t member : sizes.portfolio.members) {
    std::size_t count = 0;
    double sum = 0, weights = 0, worst = 0;
    for (const TunedSize& tuned : sizes.problems) {
      if (tuned.member != member) continue;
      ++count;
      sum += tuned.weight * tuned.loss;
      weights += tuned.weight;
      worst = std::max(worst, tuned.loss);
    }
    table.add({grouped(count), percent(weights > 0 ? sum / weights : 0), percent(worst),
               named_assignments(sizes.configurations[member])});
  }
  return table.text(width);
}

std::string curve_table(const std::vector<SizesPortfolio>& curve, std::size_t width) {
  Table table({{"configurations", Table::Align::right},
               {"mean loss", Table::Align::right},
               {"worst", Table::Align::right},
               {""}});
  for (const SizesPortfolio& portfolio : curve) {
    table.add({grouped(portfolio.members.size()), percent(portfolio.mean_loss), percent(portfolio.worst_loss),
               portfolio.exact ? "" : "not proven to be best"});
  }
  return table.text(width);
}

void add_node(const KernelSizes& sizes, std::size_t at, std::size_t depth, std::size_t width, std::string& text) {
  const std::string indent(2 * depth + 2, ' ');
  if (const auto* leaf = std::get_if<search::RuleLeaf>(&sizes.rule.nodes[at])) {
    text += labelled(indent,
                     fmt::format("{}{} ({} expected, {})", leaf->nearest ? "as the nearest, or " : "",
                                 one_line(named_assignments(sizes.configurations[leaf->configuration])),
                                 percent(leaf->expected_loss), counted(leaf->problems, "problem")),
                     width);
    return;
  }
  const auto& question = std::get<search::RuleQuestion>(sizes.rule.nodes[at]);
  const std::string threshold = fmt::format("{}", question.threshold);
  text += fmt::format("{}if {} <= {}\n", indent, one_line(question.expression.text()), threshold);
  add_node(sizes, question.yes, depth + 1, width, text);
  text += indent + "else\n";
  add_node(sizes, question.no, depth + 1, width, text);
}

std::string who_is_asked(const search::Rule& rule) {
  std::size_t leaves = 0, nearest = 0;
  for (const search::RuleNode& node : rule.nodes) {
    const auto* leaf = std::get_if<search::RuleLeaf>(&node);
    leaves += leaf != nullptr ? 1 : 0;
    nearest += leaf != nullptr && leaf->nearest ? 1 : 0;
  }
  if (nearest == 0) return "; the rule is used";
  return nearest == leaves ? "; the nearest is asked first" : "; the rule is used, and says where the nearest is asked";
}

std::string rule_text(const KernelSizes& sizes, std::size_t width) {
  const search::RuleValidation& validation = sizes.validation;
  std::string verdict = fmt::format("loses {} on problems left out, at worst {}", percent(validation.rule_mean),
                                    percent(validation.rule_worst));
  if (validation.compared > 0) {
    verdict += fmt::format("; the nearest size loses {}, at worst {}", percent(validation.nearest_mean),
                           percent(validation.nearest_worst));
    verdict += who_is_asked(sizes.rule);
  }
  std::string text = labelled("Rule: ", verdict, width);
  for (const search::DomainRange& range : sizes.rule.domain) {
    std::string values = range.least <= range.most ? fmt::format("{} to {}", range.least, range.most) : "";
    for (const std::string& name : range.names) values += (values.empty() ? "" : ", ") + one_line(name);
    text += labelled("  for ", fmt::format("{} = {}", one_line(range.property), values), width);
  }
  if (!sizes.rule.nodes.empty()) add_node(sizes, 0, 0, width, text);
  return text;
}

}  // namespace

std::string sizes_text(const KernelSizes& sizes, std::size_t width) {
  std::string text = labelled(
      "",
      fmt::format("{}: {} for {} of `{}`, {} of the best on each", one_line(sizes.device),
                  counted(sizes.portfolio.members.size(), "configuration"), counted(sizes.problems.size(), "problem"),
                  one_line(sizes.kernel), "within " + percent(sizes.within)),
      width);
  if (!sizes.portfolio.exact) text += labelled("  ", "Fewer may do: the search was cut short.", width);
  text += portfolio_table(sizes, width);
  text += "\n" + curve_table(sizes.curve, width);
  text += "\n" + (sizes.rule.nodes.empty() ? labelled("", std::string(kNoRule), width) : rule_text(sizes, width));
  return text;
}

}  // namespace tuner
