#include "tuner/engine/device/replay/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "tuner/core/base/small_floats.hpp"
#include "tuner/engine/device/replay/slices.hpp"

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

}  // namespace

bool agree(Bytes element, Bytes reference, ElementType type) {
  if (std::ranges::equal(element, reference)) return true;
  if (!is_real(type)) return false;
  const double x = real_value(element, type), r = real_value(reference, type);
  if (std::isnan(x) || std::isnan(r)) return std::isnan(x) && std::isnan(r);
  if (std::isinf(x) || std::isinf(r)) return x == r;
  return std::abs(x - r) <= default_atol(type) + default_rtol(type) * std::abs(r);
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

MemoryComparison::Difference MemoryComparison::difference_of(Bytes seen, Bytes expected, std::uint64_t at) const {
  Difference found;
  if (std::memcmp(seen.data(), expected.data(), seen.size()) == 0) return found;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (seen[i] != expected[i]) ++found.bytes;
    ++found.surplus[static_cast<std::size_t>(seen[i])];
    --found.surplus[static_cast<std::size_t>(expected[i])];
  }
  found.fingerprint = mixed(hash_of(seen) ^ at);
  if (!element_ || !is_real(*element_)) {
    found.is_within_tolerance = false;
    return found;
  }
  const std::size_t size = size_of(*element_);
  for (std::size_t i = 0; found.is_within_tolerance && i < seen.size(); i += size) {
    const std::size_t count = std::min(size, seen.size() - i);
    found.is_within_tolerance = count < size ? std::ranges::equal(seen.subspan(i), expected.subspan(i))
                                             : agree(seen.subspan(i, size), expected.subspan(i, size), *element_);
  }
  return found;
}

void MemoryComparison::add(Bytes seen, Bytes expected) {
  const std::vector<Difference> slices = of_slices<Difference>(seen.size(), [&](ByteRange slice) {
    const std::size_t size = slice.end - slice.begin;
    return difference_of(seen.subspan(slice.begin, size), expected.subspan(slice.begin, size), at_ + slice.begin);
  });
  for (const Difference& slice : slices) {
    found_.bytes += slice.bytes;
    found_.fingerprint += slice.fingerprint;
    found_.is_within_tolerance = found_.is_within_tolerance && slice.is_within_tolerance;
    for (std::size_t value = 0; value < slice.surplus.size(); ++value) found_.surplus[value] += slice.surplus[value];
  }
  at_ += seen.size();
}

bool MemoryComparison::may_be_permuted() const {
  return found_.bytes > 0 && std::ranges::all_of(found_.surplus, [](std::int64_t each) { return each == 0; });
}

MemoryComparison::Surplus MemoryComparison::surplus_of(Bytes seen, Bytes expected) {
  Surplus surplus{};
  if (std::memcmp(seen.data(), expected.data(), seen.size()) == 0) return surplus;
  for (std::size_t kind = 0; kind < surplus.size(); ++kind) {
    for (std::size_t i = 0; i < seen.size(); i += kRecords[kind]) {
      const std::size_t count = std::min<std::size_t>(kRecords[kind], seen.size() - i);
      if (std::memcmp(seen.data() + i, expected.data() + i, count) == 0) continue;
      surplus[kind] += hash_of(seen.subspan(i, count)) - hash_of(expected.subspan(i, count));
    }
  }
  return surplus;
}

void MemoryComparison::add_records(Bytes seen, Bytes expected) {
  const std::vector<Surplus> slices = of_slices<Surplus>(seen.size(), [&](ByteRange slice) {
    const std::size_t size = slice.end - slice.begin;
    return surplus_of(seen.subspan(slice.begin, size), expected.subspan(slice.begin, size));
  });
  if (!records_) records_.emplace();
  for (const Surplus& slice : slices)
    for (std::size_t kind = 0; kind < slice.size(); ++kind) (*records_)[kind] += slice[kind];
}

void MemoryComparison::tell(ReplayedMemory& memory) const {
  if (found_.bytes == 0) return;
  std::uint32_t permuted = 0;
  if (records_) {
    const auto kept = std::ranges::find(*records_, std::uint64_t{0});
    if (kept != records_->end()) permuted = kRecords[kept - records_->begin()];
  }
  memory.permuted = memory.different == 0 ? permuted : std::min(memory.permuted, permuted);
  memory.different = std::max(memory.different, found_.bytes);
  memory.is_within_tolerance = memory.is_within_tolerance && found_.is_within_tolerance;
}

}  // namespace tuner::engine
