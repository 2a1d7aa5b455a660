// Spaces whose configurations are given one by one.
#include <algorithm>
#include <map>

#include "search/space/valid_set.hpp"

namespace tuner::search {
namespace {

/// Rows that begin alike, from some parameter on: the node of what they leave to choose there.
struct Bundle {
  std::size_t row = 0;  ///< the first of them
  Diagram::Id node = Diagram::kEnd;
};

/// By row: how many of `parameters`, from the first, it chooses as the row before it does.
std::vector<std::size_t> common_beginnings(ValidSet::Rows rows, std::span<const std::uint32_t> parameters) {
  std::vector<std::size_t> common(rows.size());
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto differs = [&](std::uint32_t p) { return rows[i - 1]->choice[p] != rows[i]->choice[p]; };
    common[i] =
        static_cast<std::size_t>(std::find_if(parameters.begin(), parameters.end(), differs) - parameters.begin());
  }
  return common;
}

bool by_edges(const std::vector<Diagram::Edge>& a, const std::vector<Diagram::Edge>& b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return std::pair(x.choice, x.child) < std::pair(y.choice, y.child);
  });
}

/// From the last parameter to the first: bundles that begin alike become one, and its choices the edges of a node.
Diagram::Id build_rows(ValidSet::Rows rows, std::span<const std::uint32_t> parameters, Diagram& diagram) {
  const std::vector<std::size_t> common = common_beginnings(rows, parameters);
  std::vector<Bundle> bundles(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) bundles[i].row = i;
  for (std::size_t depth = parameters.size(); depth-- > 0;) {
    std::map<std::vector<Diagram::Edge>, Diagram::Id, decltype(&by_edges)> nodes(&by_edges);
    std::vector<Bundle> above;
    for (std::size_t begin = 0; begin < bundles.size();) {
      std::vector<Diagram::Edge> edges;
      std::uint64_t total = 0;
      std::size_t end = begin;
      do {
        edges.push_back({total, rows[bundles[end].row]->choice[parameters[depth]], bundles[end].node});
        total += diagram.node(bundles[end].node).total;
        ++end;
      } while (end < bundles.size() && common[bundles[end].row] >= depth);
      auto known = nodes.find(edges);
      if (known == nodes.end()) known = nodes.emplace(edges, diagram.add(edges, total)).first;
      above.push_back({bundles[begin].row, known->second});
      begin = end;
    }
    bundles = std::move(above);
  }
  return bundles.front().node;
}

}  // namespace

ValidSet::ValidSet(Rows rows, std::span<const Parameter> parameters) : empty_(rows.empty()), size_(rows.size()) {
  groups_.emplace_back();
  for (std::uint32_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].values.size() < 2) continue;
    places_.push_back({i, 0, static_cast<std::uint32_t>(groups_.front().size())});
    groups_.front().push_back(i);
  }
  roots_.push_back(empty_ ? Diagram::kEnd : build_rows(rows, groups_.front(), diagram_));
  diagram_.shrink_to_fit();
}

}  // namespace tuner::search
