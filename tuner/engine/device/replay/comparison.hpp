#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tuner/core/base/element_type.hpp"
#include "tuner/engine/device/lane/replay.hpp"

namespace tuner::engine {

/// Whether elements of this type agree within the tolerance of descriptions (docs/correctness.md); NaN agrees with NaN.
/// Of types that are not real, and where the type is not known, they are the same bytes.
bool agree(std::span<const std::byte> element, std::span<const std::byte> reference, ElementType type);

/// Compares memory with what the program had, piece by piece: `seen` and `expected` are of one size, a multiple of
/// kPieceBytes but for the last.
class MemoryComparison {
 public:
  /// Records and elements of all sizes end where a piece does.
  static constexpr std::size_t kPieceBytes = std::size_t{48} << 20;

  explicit MemoryComparison(std::optional<ElementType> element) : element_(element) {}
  void add(std::span<const std::byte> seen, std::span<const std::byte> expected);
  /// Adds what was found to what earlier launches did.
  void tell(ReplayedMemory& memory) const;
  /// Of two launches that did the same it is the same.
  std::uint64_t fingerprint() const { return fingerprint_; }

 private:
  void look_closer(std::span<const std::byte> seen, std::span<const std::byte> expected);

  static constexpr std::uint32_t kRecords[] = {32, 24, 16, 12, 8, 4, 2, 1};
  std::optional<ElementType> element_;
  std::uint64_t at_ = 0, different_ = 0, first_different_ = 0, fingerprint_ = 0;
  bool is_within_tolerance_ = true;
  std::uint64_t surplus_[std::size(kRecords)] = {};  ///< sums over the hashes of records, seen less expected
};

/// The second one is a large negative number in every type that has a sign, the third a large one in every type: what
/// a maximum or a minimum leaves alone is one of them.
inline constexpr unsigned char kPatterns[kPatternCount] = {0x00, 0xcb, 0x7b};

/// Memory around launches over the patterns: after each, and what the program had.
struct PatternedMemory {
  std::span<const std::byte> left[kPatternCount], before, after;
  std::optional<ElementType> element;
  std::uint32_t records = 0;  ///< as ReplayLaunch has it
};
/// What follows the patterns and yet changed in the program depends on what is there.
PatternResult compare_patterned(const PatternedMemory& memory);

}  // namespace tuner::engine
