#include "tuner/engine/candidates/ready_queue.hpp"

#include <algorithm>

#include "tuner/engine/device/lane/occupancy.hpp"

namespace tuner::engine {

namespace {
constexpr int kMostPassed = 4;
}  // namespace

Evidence evidence(const cache::ResourceFacts& facts, const Geometry& launch, bool known_launch,
                  const DeviceInfo& device) {
  Evidence result;
  result.spill_bytes = facts.spill_store_bytes.value_or(0) + facts.spill_load_bytes.value_or(0);
  result.occupancy = facts.occupancy;
  if (result.occupancy || !facts.registers || !known_launch) return result;
  result.occupancy = possible_occupancy(
      device, {.registers = *facts.registers, .static_shared = facts.static_shared_bytes.value_or(0)}, launch);
  return result;
}

void ReadyQueue::push(EntryId entry, const Evidence& evidence) {
  const auto place = std::lower_bound(waiting_.begin(), waiting_.end(), entry,
                                      [](const Waiting& one, EntryId other) { return one.entry < other; });
  waiting_.insert(place, {entry, evidence});
}

EntryId ReadyQueue::pop() {
  auto next =
      std::find_if(waiting_.begin(), waiting_.end(), [](const Waiting& one) { return one.passed >= kMostPassed; });
  if (next == waiting_.end()) {
    // The first of equals, which is the one asked for first.
    next = std::min_element(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
      const bool a_spills = a.evidence.spill_bytes > 0;
      const bool b_spills = b.evidence.spill_bytes > 0;
      if (a_spills != b_spills) return b_spills;
      return a.evidence.occupancy.value_or(0) > b.evidence.occupancy.value_or(0);
    });
  }
  for (auto passed = waiting_.begin(); passed != next; ++passed) ++passed->passed;
  const EntryId entry = next->entry;
  waiting_.erase(next);
  return entry;
}

bool ReadyQueue::take(EntryId entry) {
  return std::erase_if(waiting_, [&](const Waiting& one) { return one.entry == entry; }) > 0;
}

}  // namespace tuner::engine
