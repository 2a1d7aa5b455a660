#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tuner::search {

/// Decision diagrams with many values a parameter (multi-valued decision diagrams: T. Kam, T. Villa, R. Brayton,
/// A. Sangiovanni-Vincentelli, "Multi-valued decision diagrams: theory and applications", Multiple-Valued Logic 4,
/// 1998). A node stands for a parameter of which something is left to choose; an edge for a choice from which at least
/// one valid completion follows, and leads to the node of the next parameter of its group. Nodes with the same edges
/// are one node. Each edge knows how many completions the edges before it have, so that completions are numbered in
/// lexicographic order.
class Diagram {
 public:
  using Id = std::uint32_t;
  /// After the last parameter: one completion, which chooses nothing.
  static constexpr Id kEnd = 0;

  struct Node {
    std::uint64_t total = 1;  ///< completions
    std::uint32_t first = 0;  ///< edge
    std::uint32_t size = 0;
  };
  struct Edge {
    std::uint64_t before = 0;
    std::uint32_t choice = 0;
    Id child = 0;
  };

  const Node& node(Id id) const { return nodes_[id]; }
  const Edge* begin(const Node& node) const { return edges_.data() + node.first; }
  const Edge* end(const Node& node) const { return begin(node) + node.size; }

  /// The edge for `choice`; null if nothing valid follows from it.
  const Edge* edge(const Node& node, std::uint32_t choice) const {
    // Choices ascend, so that none stands further right than its own number.
    if (node.size == 0) return nullptr;
    const Edge* const first = begin(node);
    const Edge* at = first + std::min(choice, node.size - 1);
    if (at->choice > choice)
      at = std::lower_bound(first, at, choice, [](const Edge& e, auto c) { return e.choice < c; });
    return at->choice == choice ? at : nullptr;
  }

  /// The edge in which completion `number` is. For number < total.
  const Edge& edge_at(const Node& node, std::uint64_t number) const {
    const Edge* first = begin(node);
    std::uint32_t size = node.size;
    while (size > 1) {
      const std::uint32_t half = size / 2;
      first += first[half].before <= number ? half : 0;
      size -= half;
    }
    return *first;
  }

  Id add(const std::vector<Edge>& edges, std::uint64_t total) {
    nodes_.push_back({total, static_cast<std::uint32_t>(edges_.size()), static_cast<std::uint32_t>(edges.size())});
    edges_.insert(edges_.end(), edges.begin(), edges.end());
    return static_cast<Id>(nodes_.size() - 1);
  }
  void shrink_to_fit() {
    nodes_.shrink_to_fit();
    edges_.shrink_to_fit();
  }
  std::size_t bytes() const { return nodes_.capacity() * sizeof(Node) + edges_.capacity() * sizeof(Edge); }

 private:
  std::vector<Node> nodes_{Node{}};
  std::vector<Edge> edges_;
};

}  // namespace tuner::search
