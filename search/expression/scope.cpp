#include <fmt/format.h>

#include <algorithm>

#include "search/expression/evaluator.hpp"
#include "search/expression/expression.hpp"
#include "search/expression/messages.hpp"
#include "search/expression/tree.hpp"

namespace tuner::search {
namespace {

/// One evaluation in one scope. Each `let` is evaluated at most once in it, whatever number of other `let`s use it.
class Evaluation {
 public:
  explicit Evaluation(const Scope& scope) : scope_(scope) {}

  Operand run(const ExpressionTree& tree, NodeId root);
  Operand let(std::string_view name, const Expression& expression, const ExpressionSite& site);

 private:
  class TreeNames final : public Names {
   public:
    TreeNames(Evaluation& evaluation, const ExpressionTree& tree) : evaluation_(evaluation), tree_(tree) {}
    Operand load(std::uint32_t index, const ExpressionSite& site) override;

   private:
    Evaluation& evaluation_;
    const ExpressionTree& tree_;
  };

  struct Let {
    Operand value;
    bool known = false;  // else it is being evaluated
  };

  const Scope& scope_;
  std::map<std::string_view, Let> lets_;
  std::size_t height_ = 0;  // of the expressions being evaluated, one in a let of the other
};

Operand Evaluation::run(const ExpressionTree& tree, NodeId root) {
  if (height_ == 0) height_ = tree.nodes[root].height;
  TreeNames names(*this, tree);
  return evaluate(tree, root, names);
}

Operand Evaluation::let(std::string_view name, const Expression& expression, const ExpressionSite& site) {
  const auto [place, added] = lets_.try_emplace(name);
  Let& let = place->second;
  if (let.known) return let.value;
  if (!added) site.fail(fmt::format("the let `{}` refers to itself", name));
  const ExpressionTree& tree = expression.tree();
  const std::size_t height = tree.nodes[tree.root].height + kLetHeight;
  if (height_ + height > kMostHeight) site.fail(fmt::format("the let `{}` is nested too deeply in other lets", name));
  height_ += height;
  let.value = in_let(name, site, [&] { return run(tree, tree.root); });
  height_ -= height;
  let.known = true;
  return let.value;
}

Operand Evaluation::TreeNames::load(std::uint32_t index, const ExpressionSite& site) {
  const std::string& name = tree_.names[index];
  const Scope::Meaning meaning = evaluation_.scope_.find(name);
  if (meaning.value != nullptr) return Operand::of(*meaning.value);
  if (meaning.let != nullptr) return evaluation_.let(name, *meaning.let, site);
  site.fail(fmt::format("`{}` is not known{}", name, suggestion(name, evaluation_.scope_.names())));
}

}  // namespace

Operand evaluate(const ExpressionTree& tree, NodeId root, const Scope& scope) {
  return Evaluation(scope).run(tree, root);
}

void Scope::set(std::string name, Value value) {
  lets_.erase(name);
  values_.insert_or_assign(std::move(name), std::move(value));
}

void Scope::define(std::string name, Expression expression) {
  values_.erase(name);
  lets_.insert_or_assign(std::move(name), std::move(expression));
}

void Scope::accept_name(std::string name) {
  if (knows(name)) return;
  Value value(name);
  values_.emplace(std::move(name), std::move(value));
}

Scope::Meaning Scope::find(std::string_view name) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (const auto value = scope->values_.find(name); value != scope->values_.end()) return {&value->second, nullptr};
    if (const auto let = scope->lets_.find(name); let != scope->lets_.end()) return {nullptr, &let->second};
  }
  return {};
}

Value Scope::get(std::string_view name) const {
  const Meaning meaning = find(name);
  if (meaning.value != nullptr) return *meaning.value;
  if (meaning.let == nullptr) {
    throw Error(Errc::bad_description, fmt::format("`{}` is not known{}.", name, suggestion(name, names())));
  }
  return Evaluation(*this).let(name, *meaning.let, {meaning.let->text(), 0}).value();
}

bool Scope::knows(std::string_view name) const {
  const Meaning meaning = find(name);
  return meaning.value != nullptr || meaning.let != nullptr;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> result;
  for (const Scope* scope = this; scope != nullptr; scope = scope->outer_) {
    for (const auto& entry : scope->values_) result.push_back(entry.first);
    for (const auto& entry : scope->lets_) result.push_back(entry.first);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tuner::search
