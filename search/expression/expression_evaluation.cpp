#include "search/expression/arithmetic.hpp"
#include "search/expression/evaluator.hpp"
#include "search/expression/expression.hpp"
#include "search/expression/tree.hpp"

namespace tuner::search {

Value Expression::evaluate(const Scope& scope) const {
  return search::evaluate(*tree_, tree_->root, scope).value();
}

std::int64_t Expression::evaluate_integer(const Scope& scope) const {
  return whole(search::evaluate(*tree_, tree_->root, scope), tree_->site(0));
}

bool Expression::evaluate_boolean(const Scope& scope) const {
  return truth(search::evaluate(*tree_, tree_->root, scope), tree_->site(0));
}

}  // namespace tuner::search
