#include "tuner/engine/device/replay/pattern_comparison.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>
#include <vector>

#include "tuner/engine/device/replay/comparison.hpp"
#include "tuner/engine/device/replay/slices.hpp"

namespace tuner::engine {
namespace {

using Bytes = std::span<const std::byte>;

enum class Fate { follows, output, depends };

/// What became of a stretch of memory, as far as bytes tell.
Fate fate_of(const PatternedMemory& memory, std::size_t at, std::size_t count) {
  const auto part = [&](Bytes bytes) { return bytes.subspan(at, count); };
  const auto holds = [](Bytes bytes, unsigned char pattern) {
    return std::ranges::all_of(bytes, [=](std::byte byte) { return byte == std::byte{pattern}; });
  };
  const auto same = [](Bytes one, Bytes other) { return std::memcmp(one.data(), other.data(), one.size()) == 0; };
  const Bytes after = part(memory.after);
  if (std::ranges::all_of(memory.left, [&](Bytes left) { return same(part(left), after); })) return Fate::output;
  for (std::size_t i = 0; i < std::size(kPatterns); ++i)
    if (!holds(part(memory.left[i]), kPatterns[i])) return Fate::depends;
  return same(part(memory.before), after) ? Fate::follows : Fate::depends;
}

/// Whether launches wrote the same records as the program's, wherever they lie.
bool has_same_records(const PatternedMemory& memory) {
  using Surplus = std::array<std::uint64_t, kPatternCount>;
  const std::size_t size = memory.records;
  const std::vector<Surplus> slices = of_slices<Surplus>(memory.after.size(), [&](ByteRange slice) {
    Surplus surplus{};
    for (std::size_t at = slice.begin; at < slice.end; at += size) {
      const std::size_t count = std::min<std::size_t>(size, slice.end - at);  // the last one may be a part of one
      if (fate_of(memory, at, count) == Fate::follows) continue;
      const std::uint64_t expected = hash_of(memory.after.subspan(at, count));
      for (std::size_t i = 0; i < surplus.size(); ++i)
        surplus[i] += hash_of(memory.left[i].subspan(at, count)) - expected;
    }
    return surplus;
  });
  Surplus sums{};
  for (const Surplus& slice : slices)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += slice[i];
  return sums == Surplus{};
}

/// Adds up the fates of stretches, from the first to the last.
class Fates {
 public:
  void add(Fate fate, ByteRange stretch) {
    const std::uint64_t bytes = stretch.end - stretch.begin;
    (fate == Fate::follows ? result_.follows : fate == Fate::output ? result_.output : result_.depends) += bytes;
    if (fate != Fate::follows) add_range(stretch);
  }
  /// What comes behind.
  void add(const Fates& others) {
    result_.follows += others.result_.follows;
    result_.output += others.result_.output;
    result_.depends += others.result_.depends;
    for (const ByteRange& range : others.result_.written) add_range(range);
    if (others.result_.ranges <= kMostRanges) return;
    // The rest are no longer named; the last of them may go on.
    result_.ranges += others.result_.ranges - kMostRanges;
    end_of_last_ = others.end_of_last_;
  }
  PatternResult result() && { return std::move(result_); }

 private:
  void add_range(ByteRange range) {
    const bool continues = end_of_last_ == range.begin;
    end_of_last_ = range.end;
    if (!continues && result_.ranges++ < kMostRanges) result_.written.push_back(range);
    if (result_.ranges <= kMostRanges) result_.written.back().end = range.end;
  }

  PatternResult result_;
  std::uint64_t end_of_last_ = ~std::uint64_t{0};
};

}  // namespace

PatternResult compare_patterned(const PatternedMemory& memory) {
  // Most memory is alike over long stretches, which are compared faster at once. Records of all sizes end with them.
  constexpr std::size_t kStretch = 12288;
  static_assert(kSliceBytes % kStretch == 0);
  const bool is_any_order = memory.records > 0 && has_same_records(memory);
  const std::size_t element_bytes = memory.element ? size_of(*memory.element) : 1;
  const std::size_t step = memory.records > 0 ? memory.records : element_bytes;
  const auto fate_of_element = [&](std::size_t at, std::size_t count) {
    const Fate fate = fate_of(memory, at, count);
    if (fate != Fate::depends) return fate;
    if (is_any_order) return Fate::output;
    if (!memory.element || count != element_bytes) return fate;
    const Bytes wanted = memory.after.subspan(at, count);
    const bool agrees = std::ranges::all_of(
        memory.left, [&](Bytes left) { return agree(left.subspan(at, count), wanted, *memory.element); });
    return agrees ? Fate::output : Fate::depends;
  };
  const std::vector<Fates> slices = of_slices<Fates>(memory.after.size(), [&](ByteRange slice) {
    Fates fates;
    for (std::size_t at = slice.begin; at < slice.end; at += kStretch) {
      const std::size_t end = std::min<std::size_t>(at + kStretch, slice.end);
      if (const Fate fate = fate_of(memory, at, end - at); fate != Fate::depends) {
        fates.add(fate, {at, end});
        continue;
      }
      for (std::size_t i = at; i < end; i += step) {
        const std::size_t count = std::min(step, end - i);
        fates.add(fate_of_element(i, count), {i, i + count});
      }
    }
    return fates;
  });
  Fates all;
  for (const Fates& slice : slices) all.add(slice);
  return std::move(all).result();
}

}  // namespace tuner::engine
