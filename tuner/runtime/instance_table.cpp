#include "tuner/runtime/instance_table.hpp"

namespace tuner {
namespace {

constexpr std::size_t kFirstSlots = 64;

}  // namespace

InstanceTable::InstanceTable() {
  slots_.push_back(std::make_unique<Slots>(kFirstSlots));
  current_.store(slots_.back().get(), std::memory_order_release);
}

const Instance* InstanceTable::find(std::uint64_t context, std::span<const ProblemValue> values) const noexcept {
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
