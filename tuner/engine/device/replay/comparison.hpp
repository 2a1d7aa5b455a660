#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>

#include "tuner/core/base/element_type.hpp"
#include "tuner/engine/device/lane/replay.hpp"
#include "tuner/engine/device/replay/slices.hpp"

namespace tuner::engine {

/// Whether elements of this type agree within the tolerance of descriptions (docs/correctness.md); NaN agrees with NaN.
/// Of types that are not real, and where the type is not known, they are the same bytes.
bool agree(std::span<const std::byte> element, std::span<const std::byte> reference, ElementType type);

/// A hash of the bytes. Those of records add up to the same sum in any order.
std::uint64_t hash_of(std::span<const std::byte> record);

/// Compares memory with what the program had, piece by piece and in threads: `seen` and `expected` are of one size, a
/// multiple of kPieceBytes but for the last.
class MemoryComparison {
 public:
  static constexpr std::size_t kPieceBytes = 16 * kSliceBytes;

  explicit MemoryComparison(std::optional<ElementType> element) : element_(element) {}
  void add(std::span<const std::byte> seen, std::span<const std::byte> expected);
  /// Whether all memory holds the same bytes in another order, so that records may have changed places. Then
  /// add_records() has to be given everything, too, which takes longer than add().
  bool may_be_permuted() const;
  void add_records(std::span<const std::byte> seen, std::span<const std::byte> expected);
  /// Adds what was found to what earlier launches did.
  void tell(ReplayedMemory& memory) const;
  /// Of two launches that did the same it is the same.
  std::uint64_t fingerprint() const { return found_.fingerprint; }

 private:
  static constexpr std::uint32_t kRecords[] = {32, 24, 16, 12, 8, 4, 2, 1};
  using Surplus = std::array<std::uint64_t, std::size(kRecords)>;
  struct Difference {
    std::uint64_t bytes = 0, fingerprint = 0;
    bool is_within_tolerance = true;
    std::array<std::int64_t, 256> surplus{};  ///< how many more bytes of each value were seen than expected
  };
  Difference difference_of(std::span<const std::byte> seen, std::span<const std::byte> expected,
                           std::uint64_t at) const;
  static Surplus surplus_of(std::span<const std::byte> seen, std::span<const std::byte> expected);

  std::optional<ElementType> element_;
  std::uint64_t at_ = 0;
  Difference found_;
  std::optional<Surplus> records_;  ///< sums over the hashes of records, seen less expected
};

}  // namespace tuner::engine
