#include "tuner/capture/stored/unstored.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <set>

#include "tuner/core/base/text.hpp"

namespace tuner::capture {

std::vector<UnstoredMemory> unstored_memory(const Snapshot& snapshot, std::span<const std::byte> before) {
  const std::vector<Memory>& all = snapshot.unstored;  // by address
  if (all.empty()) return {};
  std::vector<std::uint64_t> words(all.size());
  const std::uint64_t first = all.front().address, length = all.back().address + all.back().size - first;
  for (const Memory& memory : snapshot.allocations) {
    const std::span<const std::byte> bytes = before.subspan(memory.offset, memory.size);
    for (std::size_t at = 0; bytes.size() - at >= sizeof(std::uint64_t); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (word - first >= length) continue;
      const auto holding = std::prev(std::ranges::upper_bound(all, word, {}, &Memory::address));
      if (word - holding->address < holding->size) ++words[holding - all.begin()];
    }
  }
  std::vector<UnstoredMemory> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (words[i] > 0) found.push_back({all[i].name, all[i].address, all[i].size, words[i]});
  return found;
}

std::string unstored_text(std::span<const UnstoredMemory> memories) {
  if (memories.empty()) return {};
  std::uint64_t words = 0;
  std::set<std::string> kinds;
  for (const UnstoredMemory& memory : memories) {
    words += memory.words;
    kinds.insert(memory.kind);
  }
  return fmt::format("{} of its allocations may be pointers to {}, which is not stored", counted(words, "word"),
                     fmt::join(kinds, " and "));
}

}  // namespace tuner::capture
