#include "tuner/engine/device/replay/comparison.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>

#include "tuner/core/base/small_floats.hpp"

namespace tuner::engine {
namespace {

using Bytes = std::span<const std::byte>;

template <typename T>
T value_at(Bytes bytes) {
  T value{};
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

double real_value(Bytes element, ElementType type) {
  switch (type) {
    case ElementType::float16:
      return float_from_half(value_at<std::uint16_t>(element));
    case ElementType::bfloat16:
      return float_from_bfloat16(value_at<std::uint16_t>(element));
    case ElementType::float32:
      return value_at<float>(element);
    default:
      return value_at<double>(element);
  }
}

/// Mixes all bits of a word into all others (the finaliser of MurmurHash3, by Austin Appleby).
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 33)) * 0xff51afd7ed558ccd;
  word = (word ^ (word >> 33)) * 0xc4ceb9fe1a85ec53;
  return word ^ (word >> 33);
}

std::uint64_t hash_of(Bytes record) {
  std::uint64_t hash = record.size();
  for (std::size_t at = 0; at < record.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, record.data() + at, std::min(sizeof word, record.size() - at));
    hash = mixed(hash ^ word);
  }
  return hash;
}

std::size_t element_bytes(std::optional<ElementType> element) {
  return element ? size_of(*element) : 1;
}

}  // namespace

bool agree(Bytes element, Bytes reference, ElementType type) {
  if (std::ranges::equal(element, reference)) return true;
  if (!is_real(type)) return false;
  const double x = real_value(element, type), r = real_value(reference, type);
  if (std::isnan(x) || std::isnan(r)) return std::isnan(x) && std::isnan(r);
  if (std::isinf(x) || std::isinf(r)) return x == r;
  return std::abs(x - r) <= default_atol(type) + default_rtol(type) * std::abs(r);
}

void MemoryComparison::add(Bytes seen, Bytes expected) {
  if (std::memcmp(seen.data(), expected.data(), seen.size()) != 0) look_closer(seen, expected);
  at_ += seen.size();
}

void MemoryComparison::look_closer(Bytes seen, Bytes expected) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] == expected[i]) continue;
    if (different_++ == 0) first_different_ = at_ + i;
    fingerprint_ += mixed((at_ + i) << 8 | static_cast<std::uint64_t>(seen[i]));
  }
  if (const std::size_t size = element_bytes(element_); !element_ || !is_real(*element_)) {
    is_within_tolerance_ = false;
  } else {
    for (std::size_t i = 0; is_within_tolerance_ && i < seen.size(); i += size) {
      const std::size_t count = std::min(size, seen.size() - i);
      is_within_tolerance_ = count < size ? std::ranges::equal(seen.subspan(i), expected.subspan(i))
                                          : agree(seen.subspan(i, size), expected.subspan(i, size), *element_);
    }
  }
  for (std::size_t kind = 0; kind < std::size(kRecords); ++kind) {
    for (std::size_t i = 0; i < seen.size(); i += kRecords[kind]) {
      const std::size_t count = std::min<std::size_t>(kRecords[kind], seen.size() - i);
      if (std::memcmp(seen.data() + i, expected.data() + i, count) == 0) continue;
      surplus_[kind] += hash_of(seen.subspan(i, count)) - hash_of(expected.subspan(i, count));
    }
  }
}

void MemoryComparison::tell(ReplayedMemory& memory) const {
  if (different_ == 0) return;
  const auto kept = std::ranges::find(surplus_, std::uint64_t{0});
  const std::uint32_t permuted = kept == std::end(surplus_) ? 0 : kRecords[kept - std::begin(surplus_)];
  memory.permuted = memory.different == 0 ? permuted : std::min(memory.permuted, permuted);
  if (different_ > memory.different) {
    memory.different = different_;
    memory.first_different = first_different_;
  }
  memory.is_within_tolerance = memory.is_within_tolerance && is_within_tolerance_;
}

namespace {

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
  std::uint64_t surplus[kPatternCount] = {};
  const std::size_t size = memory.records;
  for (std::size_t at = 0; at + size <= memory.after.size(); at += size) {
    if (fate_of(memory, at, size) == Fate::follows) continue;
    const std::uint64_t expected = hash_of(memory.after.subspan(at, size));
    for (std::size_t i = 0; i < std::size(surplus); ++i)
      surplus[i] += hash_of(memory.left[i].subspan(at, size)) - expected;
  }
  return std::ranges::all_of(surplus, [](std::uint64_t each) { return each == 0; });
}

}  // namespace

PatternResult compare_patterned(const PatternedMemory& memory) {
  // Most memory is alike over long stretches, which are compared faster at once.
  constexpr std::size_t kStretch = 4096;
  const bool is_any_order = memory.records > 0 && has_same_records(memory);
  const std::size_t step = memory.records > 0 ? memory.records : element_bytes(memory.element);
  const auto fate_of_element = [&](std::size_t at, std::size_t count) {
    const Fate fate = fate_of(memory, at, count);
    if (fate != Fate::depends) return fate;
    if (is_any_order) return Fate::output;
    if (!memory.element || count != size_of(*memory.element)) return fate;
    const Bytes wanted = memory.after.subspan(at, count);
    const bool agrees = std::ranges::all_of(
        memory.left, [&](Bytes left) { return agree(left.subspan(at, count), wanted, *memory.element); });
    return agrees ? Fate::output : Fate::depends;
  };

  PatternResult result;
  std::uint64_t end_of_last = ~std::uint64_t{0};
  const auto note = [&](Fate fate, std::uint64_t at, std::uint64_t count) {
    if (fate == Fate::follows) {
      result.follows += count;
      return;
    }
    (fate == Fate::output ? result.output : result.depends) += count;
    const bool continues = end_of_last == at;
    end_of_last = at + count;
    if (!continues && result.ranges++ < kMostRanges) result.written.push_back({at, at});
    if (result.ranges <= kMostRanges) result.written.back().end = end_of_last;
  };
  for (std::size_t at = 0; at < memory.after.size(); at += kStretch) {
    const std::size_t size = std::min(kStretch, memory.after.size() - at);
    if (const Fate fate = fate_of(memory, at, size); fate != Fate::depends) {
      note(fate, at, size);
      continue;
    }
    for (std::size_t i = at; i < at + size; i += step) {
      const std::size_t count = std::min(step, at + size - i);
      note(fate_of_element(i, count), i, count);
    }
  }
  return result;
}

}  // namespace tuner::engine
