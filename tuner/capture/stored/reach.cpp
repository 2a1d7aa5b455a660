#include "tuner/capture/stored/reach.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tuner::capture {
namespace {

constexpr std::size_t kWord = sizeof(std::uint64_t);

}  // namespace

MemoryMap::MemoryMap(const StoredLaunch& launch) : launch_(launch), by_address_(size()) {
  std::iota(by_address_.begin(), by_address_.end(), std::size_t{0});
  std::ranges::sort(by_address_, {}, [&](std::size_t memory) { return (*this)[memory].address; });
}

const StoredMemory& MemoryMap::operator[](std::size_t memory) const {
  return is_variable(memory) ? launch_.variables[memory - launch_.allocations.size()] : launch_.allocations[memory];
}

std::optional<MemoryPlace> MemoryMap::find(std::uint64_t address) const {
  const auto behind =
      std::ranges::upper_bound(by_address_, address, {}, [&](std::size_t memory) { return (*this)[memory].address; });
  if (behind == by_address_.begin()) return std::nullopt;
  const std::size_t memory = *std::prev(behind);
  const std::uint64_t offset = address - (*this)[memory].address;
  if (offset > (*this)[memory].before.size) return std::nullopt;
  return MemoryPlace{memory, offset};
}

std::vector<PointerWord> pointers_in(std::span<const std::byte> bytes, const MemoryMap& map) {
  std::vector<PointerWord> found;
  if (map.size() == 0) return found;
  std::uint64_t lowest = ~std::uint64_t{0}, highest = 0;
  for (std::size_t memory = 0; memory < map.size(); ++memory) {
    lowest = std::min(lowest, map[memory].address);
    highest = std::max(highest, map[memory].address + map[memory].before.size);
  }
  for (std::size_t at = 0; at + kWord <= bytes.size(); at += kWord) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, kWord);
    if (word < lowest || word > highest) continue;
    if (const std::optional<MemoryPlace> place = map.find(word)) found.push_back({at, *place});
  }
  return found;
}

std::vector<std::byte> parameter_block(const StoredLaunch& launch) {
  std::vector<std::byte> block;
  for (const Parameter& parameter : launch.parameters) {
    block.resize(std::max<std::size_t>(block.size(), parameter.offset + parameter.bytes.size()));
    std::ranges::copy(parameter.bytes, block.begin() + static_cast<std::ptrdiff_t>(parameter.offset));
  }
  return block;
}

Reach reach_of(const StoredLaunch& launch, const MemoryMap& map,
               const std::function<std::span<const std::byte>(std::size_t memory)>& before) {
  Reach reach{std::vector<bool>(map.size()), std::vector<bool>(map.size()), std::vector<std::uint64_t>(map.size())};
  std::vector<std::size_t> to_search;
  const auto add = [&](std::size_t memory) {
    if (reach.is_reached[memory]) return;
    reach.is_reached[memory] = true;
    to_search.push_back(memory);
  };
  for (std::size_t memory = launch.allocations.size(); memory < map.size(); ++memory) add(memory);
  for (const PointerWord& pointer : pointers_in(parameter_block(launch), map)) add(pointer.leads_to.memory);
  while (!to_search.empty()) {
    const std::size_t memory = to_search.back();
    to_search.pop_back();
    const std::vector<PointerWord> pointers = pointers_in(before(memory), map);
    reach.pointers[memory] = pointers.size();
    for (const PointerWord& pointer : pointers) {
      reach.is_pointed_to[pointer.leads_to.memory] = true;
      add(pointer.leads_to.memory);
    }
  }
  return reach;
}

}  // namespace tuner::capture
