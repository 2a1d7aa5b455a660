#include "search/expression/tree.hpp"

#include <algorithm>

namespace tuner::search {

std::vector<NodeId> conjuncts(const ExpressionTree& tree, NodeId root) {
  std::vector<NodeId> result;
  std::vector<NodeId> waiting{root};
  while (!waiting.empty()) {
    const NodeId id = waiting.back();
    waiting.pop_back();
    const Node& node = tree.nodes[id];
    if (node.kind != NodeKind::all) {
      result.push_back(id);
      continue;
    }
    for (std::uint32_t i = node.count; i-- > 0;) waiting.push_back(tree.links[node.first + i].node);
  }
  return result;
}

std::vector<std::uint32_t> names_used(const ExpressionTree& tree, NodeId root) {
  std::vector<std::uint32_t> result;
  std::vector<NodeId> waiting{root};
  while (!waiting.empty()) {
    const Node& node = tree.nodes[waiting.back()];
    waiting.pop_back();
    if (node.kind == NodeKind::name || node.kind == NodeKind::size_of) result.push_back(node.index);
    for (std::uint32_t i = 0; i < node.count; ++i) waiting.push_back(tree.links[node.first + i].node);
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace tuner::search
