#include "search/space/valid_set.hpp"

namespace tuner::search {

/// Finds the changes of a configuration that make a valid one. `from_` need not be valid itself.
class ValidSet::NeighbourSearch {
 public:
  NeighbourSearch(const ValidSet& set, const Configuration& from) : set_(set), from_(from), paths_(set.groups_.size()) {
    for (std::uint32_t group = 0; group < paths_.size(); ++group) {
      paths_[group] = path(group);
      if (!valid(group)) ++invalid_;
    }
  }

  void one_changed(bool only_adjacent) {
    Configuration candidate = from_;
    for (const Place& place : set_.places_) {
      if (!others_valid(place.group, place.group)) continue;
      for (const Diagram::Edge& edge : changes(place)) {
        const std::uint32_t here = from_.choice[place.parameter];
        if (only_adjacent && edge.choice + 1 != here && edge.choice != here + 1) continue;
        if (!follows(place.group, edge.child, place.depth + 1)) continue;
        add(candidate, place, edge.choice);
      }
    }
  }

  void two_changed() {
    std::vector<std::vector<std::uint32_t>> alone(set_.places_.size());  // what a place can be changed to by itself
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const Place& place = set_.places_[i];
      for (const Diagram::Edge& edge : changes(place)) {
        if (follows(place.group, edge.child, place.depth + 1)) alone[i].push_back(edge.choice);
      }
    }
    Configuration candidate = from_;
    for (std::size_t i = 0; i < alone.size(); ++i) {
      const Place& first = set_.places_[i];
      for (const Diagram::Edge& change : changes(first)) {
        const bool works_alone = std::find(alone[i].begin(), alone[i].end(), change.choice) != alone[i].end();
        candidate.choice[first.parameter] = change.choice;
        Diagram::Id at = change.child;  // after the first change, up to the second
        std::uint32_t depth = first.depth + 1;
        for (std::size_t j = i + 1; j < alone.size(); ++j) {
          const Place& second = set_.places_[j];
          if (second.group == first.group) {
            if (depth != second.depth) continue;  // no way leads there
            if (others_valid(first.group, first.group)) both_in_group(candidate, second, at);
            if (const Diagram::Edge* const on = follow(at, second); on != nullptr) {
              at = on->child;
              ++depth;
            }
          } else if (works_alone && others_valid(first.group, second.group)) {
            for (const std::uint32_t choice : alone[j]) add(candidate, second, choice);
          }
        }
      }
      candidate.choice[first.parameter] = from_.choice[first.parameter];
    }
  }

  std::vector<Configuration> take() { return std::move(found_); }

 private:
  /// The nodes that the group's own choices lead through, as far as they do: the first is the root.
  std::vector<Diagram::Id> path(std::uint32_t group) const {
    std::vector<Diagram::Id> result{set_.roots_[group]};
    for (const std::uint32_t parameter : set_.groups_[group]) {
      const Diagram::Node& node = set_.diagram_.node(result.back());
      const Diagram::Edge* const edge = set_.diagram_.edge(node, from_.choice[parameter]);
      if (edge == nullptr) break;
      result.push_back(edge->child);
    }
    return result;
  }

  bool valid(std::uint32_t group) const { return paths_[group].size() == set_.groups_[group].size() + 1; }

  /// Whether every group but these is valid as it is.
  bool others_valid(std::uint32_t a, std::uint32_t b) const {
    return invalid_ == (valid(a) ? 0U : 1U) + (a == b || valid(b) ? 0U : 1U);
  }

  /// The edges for other choices of a parameter, those before it unchanged.
  std::vector<Diagram::Edge> changes(const Place& place) const {
    if (place.depth >= paths_[place.group].size()) return {};
    return changes(place, paths_[place.group][place.depth]);
  }
  std::vector<Diagram::Edge> changes(const Place& place, Diagram::Id id) const {
    std::vector<Diagram::Edge> result;
    const Diagram::Node& node = set_.diagram_.node(id);
    for (const Diagram::Edge* edge = set_.diagram_.begin(node); edge != set_.diagram_.end(node); ++edge) {
      if (edge->choice != from_.choice[place.parameter]) result.push_back(*edge);
    }
    return result;
  }

  const Diagram::Edge* follow(Diagram::Id at, const Place& place) const {
    return set_.diagram_.edge(set_.diagram_.node(at), from_.choice[place.parameter]);
  }

  /// Whether the group's unchanged choices lead from this node to the end.
  bool follows(std::uint32_t group, Diagram::Id at, std::uint32_t depth) const {
    const std::vector<std::uint32_t>& parameters = set_.groups_[group];
    for (; depth < parameters.size(); ++depth) {
      const Diagram::Edge* const edge = set_.diagram_.edge(set_.diagram_.node(at), from_.choice[parameters[depth]]);
      if (edge == nullptr) return false;
      at = edge->child;
    }
    return true;
  }

  void both_in_group(Configuration& candidate, const Place& second, Diagram::Id at) {
    for (const Diagram::Edge& edge : changes(second, at)) {
      if (follows(second.group, edge.child, second.depth + 1)) add(candidate, second, edge.choice);
    }
  }

  void add(Configuration& candidate, const Place& place, std::uint32_t choice) {
    candidate.choice[place.parameter] = choice;
    found_.push_back(candidate);
    candidate.choice[place.parameter] = from_.choice[place.parameter];
  }

  const ValidSet& set_;
  const Configuration& from_;
  std::vector<std::vector<Diagram::Id>> paths_;  // by group
  std::uint32_t invalid_ = 0;                    // groups
  std::vector<Configuration> found_;
};

std::vector<Configuration> ValidSet::neighbours(const Configuration& from, Neighbourhood neighbourhood) const {
  if (size_ == 0) return {};
  NeighbourSearch search(*this, from);
  if (neighbourhood == Neighbourhood::hamming2) {
    search.two_changed();
  } else {
    search.one_changed(neighbourhood == Neighbourhood::adjacent);
  }
  return search.take();
}

}  // namespace tuner::search
