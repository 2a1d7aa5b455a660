#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/space/space.hpp"

namespace tuner::search {

/// What a model sees of a configuration, as a row of numbers that knows nothing of names and little of the order of
/// parameters:
///   - each parameter's value by rank, or by its place in the list if values are names;
///   - how often 2 divides it, where values are not just powers of two: warps, sectors and banks come in powers of two;
///   - the sub-expressions of the constraints, by logarithm: what the author of a kernel knew to matter together, such
///   as
///     the threads of a block or the bytes of a tile. Where there are none, the products and the quotients of each two
///     parameters.
/// Immutable.
class Features {
 public:
  /// `space` must outlive this.
  explicit Features(const Space& space);

  std::size_t size() const { return size_; }
  /// Costs about 1 us. `row` has size() elements.
  void write(const Configuration& configuration, std::span<float> row) const;

 private:
  /// What a parameter's values look like, by their position in its list.
  struct Column {
    std::size_t parameter = 0;
    std::vector<float> by_position;
  };

  void add_ranks(std::size_t parameter);
  void add_twos(std::size_t parameter);
  void add_pairs();

  const Space& space_;
  std::vector<Column> columns_;
  std::vector<Column> logarithms_;                              // of parameters in pairs
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;  // of logarithms_
  std::size_t size_ = 0;
};

}  // namespace tuner::search
