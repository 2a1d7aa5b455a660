#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tuner::search {

/// A set of small numbers.
class Bits {
 public:
  explicit Bits(std::size_t size) : words_((size + 63) / 64) {}
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
  bool test(std::size_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }
  std::size_t count() const;
  bool is_subset_of(const Bits& other) const;
  bool meets(const Bits& other) const;
  Bits& operator&=(const Bits& other);
  Bits& operator|=(const Bits& other);
  Bits& remove(const Bits& other);

 private:
  std::vector<std::uint64_t> words_;
};

/// Columns that contain every row of 0 .. rows - 1 between them.
struct Cover {
  std::vector<std::size_t> columns;  ///< ascending
  bool exact = true;                 ///< no fewer columns do; false if `steps` ended the search
};

/// The fewest of `columns`, sets of rows, that contain every row; each row must be in one. Branch and bound: of two
/// columns one of which contains the other the greater is kept, of two rows the one that is harder to cover, and a
/// column that alone has a row is taken. `steps` counts comparisons of two sets; when they are used up, the best cover
/// found until then is the answer, which is the greedy one without its superfluous columns or better.
Cover smallest_cover(const std::vector<Bits>& columns, std::size_t rows, std::size_t steps);

}  // namespace tuner::search
