#pragma once

#include <compare>
#include <cstddef>
#include <vector>

namespace tuner::engine {

/// One of those that halving and race are among, by its position among them.
struct EntrantId {
  std::size_t index = 0;
  friend auto operator<=>(const EntrantId&, const EntrantId&) = default;
};

/// One element for each entrant.
template <typename T>
class PerEntrant : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  /// Throw std::out_of_range for an unknown one.
  typename std::vector<T>::reference operator[](EntrantId entrant) { return this->at(entrant.index); }
  typename std::vector<T>::const_reference operator[](EntrantId entrant) const { return this->at(entrant.index); }
  /// All of them, in order.
  std::vector<EntrantId> ids() const {
    std::vector<EntrantId> all;
    for (std::size_t i = 0; i < this->size(); ++i) all.push_back({i});
    return all;
  }
};

}  // namespace tuner::engine
