#include "search/space/binding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "search/expression/evaluator.hpp"
#include "search/expression/messages.hpp"

namespace tuner::search {

Binding::Binding(std::span<const Parameter> parameters, const Scope& constants)
    : parameters_(parameters), constants_(constants) {
  for (std::uint32_t i = 0; i < parameters.size(); ++i) parameter_index_.emplace(parameters[i].name, i);
}

Binding::Slots Binding::bind(const Expression& expression) {
  return bind(expression.tree(), 0);
}

Binding::Slots Binding::bind(const ExpressionTree& tree, std::size_t height_above) {
  Slots slots;
  for (std::uint32_t i = 0; i < tree.names.size(); ++i) slots.push_back(slot(tree, i, height_above));
  return slots;
}

Binding::Slot Binding::slot(const ExpressionTree& tree, std::uint32_t name, std::size_t height_above) {
  const std::string& text = tree.names[name];
  const ExpressionSite site = tree.site(tree.name_offsets[name]);
  Slot result;
  if (const auto parameter = parameter_index_.find(text); parameter != parameter_index_.end()) {
    result.kind = Slot::Kind::parameter;
    result.index = parameter->second;
    return result;
  }
  const Scope::Meaning meaning = constants_.find(text);
  if (meaning.value != nullptr) {
    result.constant = Operand::of(*meaning.value);
    return result;
  }
  if (meaning.let == nullptr) {
    std::vector<std::string> known = constants_.names();
    for (const Parameter& parameter : parameters_) known.push_back(parameter.name);
    site.fail(fmt::format("`{}` is not known{}", text, suggestion(text, known)));
  }
  result.kind = Slot::Kind::let;
  result.index = bind_let(text, *meaning.let, site, height_above);
  return result;
}

std::uint32_t Binding::bind_let(std::string_view name, const Expression& expression, const ExpressionSite& site,
                                std::size_t height_above) {
  const ExpressionTree& tree = expression.tree();
  const auto [place, added] = let_index_.try_emplace(name, static_cast<std::uint32_t>(lets_.size()));
  const std::uint32_t index = place->second;
  if (!added && lets_[index].height == 0) site.fail(fmt::format("the let `{}` refers to itself", name));
  std::size_t height = added ? tree.nodes[tree.root].height + kLetHeight : lets_[index].height;
  if (height_above + height > kMostHeight) {
    site.fail(fmt::format("the let `{}` is nested too deeply in other lets", name));
  }
  if (!added) return index;

  lets_.emplace_back();
  Slots slots = in_let(name, site, [&] { return bind(tree, height_above + height); });
  std::size_t deepest = 0;
  for (const Slot& slot : slots) {
    if (slot.kind == Slot::Kind::let) deepest = std::max(deepest, lets_[slot.index].height);
  }
  height += deepest;
  Let& let = lets_[index];
  let.name = name;
  let.tree = &tree;
  let.parameters = parameters_used(tree, tree.root, slots);
  let.slots = std::move(slots);
  let.height = height;
  return index;
}

std::vector<std::uint32_t> Binding::parameters_used(const ExpressionTree& tree, NodeId root, const Slots& slots) const {
  std::vector<std::uint32_t> result;
  for (const std::uint32_t name : names_used(tree, root)) {
    const Slot& slot = slots[name];
    if (slot.kind == Slot::Kind::parameter) result.push_back(slot.index);
    if (slot.kind != Slot::Kind::let) continue;
    const std::vector<std::uint32_t>& parameters = lets_[slot.index].parameters;
    result.insert(result.end(), parameters.begin(), parameters.end());
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tuner::search
