#include "tuner/capture/inject/live_memory.hpp"

#include <algorithm>
#include <iterator>

namespace tuner::capture {

void LiveMemories::add(const LiveMemory& memory) {
  const std::lock_guard lock(mutex_);
  by_address_.insert_or_assign(memory.address, memory);
}

void LiveMemories::remove(std::uint64_t address, std::uint64_t size) {
  const std::lock_guard lock(mutex_);
  auto each = by_address_.lower_bound(address);
  while (each != by_address_.end() && each->first - address < size) each = by_address_.erase(each);
}

void LiveMemories::clear() {
  const std::lock_guard lock(mutex_);
  by_address_.clear();
}

std::vector<LiveMemory> LiveMemories::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<LiveMemory> all;
  for (const auto& [address, memory] : by_address_) all.push_back(memory);
  return all;
}

const LiveMemory* find_holding(const std::vector<LiveMemory>& memories, std::uint64_t where) {
  const auto behind = std::ranges::upper_bound(memories, where, {}, &LiveMemory::address);
  if (behind == memories.begin()) return nullptr;
  const LiveMemory& memory = *std::prev(behind);
  return memory.holds(where) ? &memory : nullptr;
}

}  // namespace tuner::capture
