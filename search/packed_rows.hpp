#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tuner::search {

/// A sorted table of small numbers, each in as few bits as its column needs: eight bytes for a typical configuration,
/// so that a space of millions fits in memory and is searched quickly.
class PackedRows {
 public:
  PackedRows() = default;
  /// `counts[i]`: numbers in column i are below this.
  explicit PackedRows(std::span<const std::size_t> counts);

  /// Adds a row that is above all rows before it.
  void push(std::span<const std::uint32_t> row);

  std::uint64_t size() const { return size_; }
  std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  void read(std::uint64_t index, std::span<std::uint32_t> row) const;
  /// Where `row` is, if it is there. Its numbers must be below the counts.
  std::optional<std::uint64_t> find(std::span<const std::uint32_t> row) const;

 private:
  /// No field reaches across words, and the first column has the highest bits: words compare as rows do.
  struct Field {
    std::uint32_t word = 0;
    std::uint32_t shift = 0;
    std::uint64_t mask = 0;
  };

  std::vector<std::uint64_t> packed(std::span<const std::uint32_t> row) const;

  std::vector<Field> fields_;
  std::size_t stride_ = 0;  // words a row; 0 where every column has a single number
  std::vector<std::uint64_t> words_;
  std::uint64_t size_ = 0;
};

}  // namespace tuner::search
