#include "tuner/runtime/instance_table.hpp"

#include <bit>

namespace tuner {
namespace {

constexpr std::size_t kFirstSlots = 64;

/// The product carries every bit upwards, the shift brings the high ones down to where slots are chosen.
std::uint64_t mix(std::uint64_t state, std::uint64_t word) {
  const std::uint64_t product = (state ^ word) * 0x9e3779b97f4a7c15u;
  return product ^ (product >> 32);
}

/// Equal for values that are the same.
std::uint64_t hash_of(std::uint64_t context, std::span<const ProblemValue> values) {
  std::uint64_t hash = mix(context + 1, values.size());
  for (const ProblemValue& value : values) {
    switch (value.kind()) {
      case ProblemValue::Kind::integer:
        hash = mix(hash, static_cast<std::uint64_t>(value.integer()));
        break;
      case ProblemValue::Kind::real:
        hash = mix(hash, std::bit_cast<std::uint64_t>(value.real()));
        break;
      case ProblemValue::Kind::word:
        for (const char c : value.word()) hash = mix(hash, static_cast<unsigned char>(c));
        break;
    }
  }
  return hash;
}

/// Same kind and same value, bit for bit: 2 and 2.0 are different keys.
bool same(const ProblemValue& a, const ProblemValue& b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ProblemValue::Kind::integer:
      return a.integer() == b.integer();
    case ProblemValue::Kind::real:
      return std::bit_cast<std::uint64_t>(a.real()) == std::bit_cast<std::uint64_t>(b.real());
    case ProblemValue::Kind::word:
      break;
  }
  return a.word() == b.word();
}

}  // namespace

InstanceTable::StoredValues::StoredValues(std::span<const ProblemValue> values) {
  std::size_t length = 0;
  for (const ProblemValue& value : values) {
    if (value.kind() == ProblemValue::Kind::word) length += value.word().size();
  }
  words_.reserve(length);  // views into it must not move
  for (const ProblemValue& value : values) {
    if (value.kind() != ProblemValue::Kind::word) {
      values_.push_back(value);
      continue;
    }
    const std::size_t begin = words_.size();
    words_ += value.word();
    values_.emplace_back(std::string_view(words_).substr(begin));
  }
}

bool InstanceTable::StoredValues::equals(std::span<const ProblemValue> values) const {
  if (values.size() != values_.size()) return false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!same(values[i], values_[i])) return false;
  }
  return true;
}

InstanceTable::InstanceTable() {
  slots_.push_back(std::make_unique<Slots>(kFirstSlots));
  current_.store(slots_.back().get(), std::memory_order_release);
}

// One function with all that it calls: as three, a look-up took a tenth more or less by where the linker put them.
[[gnu::flatten]] const Instance* InstanceTable::find(std::uint64_t context,
                                                     std::span<const ProblemValue> values) const noexcept {
  const std::uint64_t hash = hash_of(context, values);
  const Slots& slots = *current_.load(std::memory_order_acquire);
  for (std::size_t at = hash & slots.mask;; at = (at + 1) & slots.mask) {
    const Answered* entry = slots.entries[at].load(std::memory_order_acquire);
    if (entry == nullptr) return nullptr;
    if (entry->hash == hash && entry->context == context && entry->values.equals(values)) return entry->instance;
  }
}

void InstanceTable::Slots::put(const Answered& entry) noexcept {
  std::size_t at = entry.hash & mask;
  while (entries[at].load(std::memory_order_relaxed) != nullptr) at = (at + 1) & mask;
  entries[at].store(&entry, std::memory_order_release);
}

void InstanceTable::insert(std::uint64_t context, std::span<const ProblemValue> values, const Instance& instance) {
  if (2 * (answered_.size() + 1) > slots_.back()->mask + 1) {
    auto larger = std::make_unique<Slots>(2 * (slots_.back()->mask + 1));
    for (const Answered& entry : answered_) larger->put(entry);
    slots_.push_back(std::move(larger));
    current_.store(slots_.back().get(), std::memory_order_release);
  }
  slots_.back()->put(answered_.emplace_back(hash_of(context, values), context, values, instance));
}

}  // namespace tuner
