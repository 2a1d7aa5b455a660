#include "search/expression/expression.hpp"

#include "search/expression/tree.hpp"

namespace tuner::search {

Expression Expression::parse(std::string_view text) {
  return Expression(std::make_shared<const ExpressionTree>(parse_tree(text)));
}

const std::string& Expression::text() const {
  return tree_->text;
}

const std::vector<std::string>& Expression::names() const {
  return tree_->names;
}

std::size_t Expression::offset_of(std::string_view name) const {
  for (std::size_t i = 0; i < tree_->names.size(); ++i) {
    if (tree_->names[i] == name) return tree_->name_offsets[i];
  }
  return 0;
}

}  // namespace tuner::search
