#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "search/space/diagram.hpp"

namespace tuner::search {

/// Numbers distinct keys of a fixed number of words in the order in which they come. A hash table with linear probing.
class StateTable {
 public:
  explicit StateTable(std::size_t words) : words_(words), slots_(64, kEmpty), mask_(63) {}

  /// The number of `key`, which may be new.
  std::uint32_t insert(const std::uint64_t* key) {
    const std::uint64_t hash = hashed(key);
    for (std::size_t at = hash & mask_;; at = (at + 1) & mask_) {
      const std::uint32_t found = slots_[at];
      if (found == kEmpty) {
        slots_[at] = size_;
        keys_.insert(keys_.end(), key, key + words_);
        if (++size_ * std::size_t{2} > slots_.size()) grow();
        return size_ - 1;
      }
      if (std::memcmp(this->key(found), key, words_ * sizeof(std::uint64_t)) == 0) return found;
    }
  }

  std::uint32_t size() const { return size_; }
  const std::uint64_t* key(std::uint32_t number) const { return keys_.data() + number * words_; }
  std::size_t bytes() const { return keys_.capacity() * sizeof(std::uint64_t) + slots_.size() * sizeof(std::uint32_t); }

 private:
  static constexpr std::uint32_t kEmpty = static_cast<std::uint32_t>(-1);

  std::uint64_t hashed(const std::uint64_t* key) const {
    std::uint64_t hash = 0;
    for (std::size_t i = 0; i < words_; ++i) {
      hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, kEmpty);
    mask_ = slots_.size() - 1;
    for (std::uint32_t number = 0; number < size_; ++number) {
      std::size_t at = hashed(key(number)) & mask_;
      while (slots_[at] != kEmpty) at = (at + 1) & mask_;
      slots_[at] = number;
    }
  }

  std::size_t words_;
  std::uint32_t size_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> slots_;
  std::size_t mask_;
};

/// Finds the node with given edges among those added by it. For one layer of a diagram.
class NodeTable {
 public:
  explicit NodeTable(Diagram& diagram) : diagram_(diagram), slots_(64, kEmpty) {}

  Diagram::Id insert(const std::vector<Diagram::Edge>& edges, std::uint64_t total) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hashed(edges.data(), edges.size()) & mask;
    for (; slots_[at] != kEmpty; at = (at + 1) & mask) {
      if (same(diagram_.node(slots_[at]), edges)) return slots_[at];
    }
    const Diagram::Id added = slots_[at] = diagram_.add(edges, total);
    if (++size_ * 2 > slots_.size()) grow();
    return added;
  }

 private:
  static constexpr Diagram::Id kEmpty = static_cast<Diagram::Id>(-1);

  static std::uint64_t hashed(const Diagram::Edge* edges, std::size_t count) {
    std::uint64_t hash = count;
    for (std::size_t i = 0; i < count; ++i) {
      hash = (hash ^ (std::uint64_t{edges[i].choice} << 32 | edges[i].child)) * 0x9e3779b97f4a7c15;
      hash ^= hash >> 29;
    }
    return hash;
  }

  bool same(const Diagram::Node& node, const std::vector<Diagram::Edge>& edges) const {
    return std::equal(
        diagram_.begin(node), diagram_.end(node), edges.begin(), edges.end(),
        [](const Diagram::Edge& a, const Diagram::Edge& b) { return a.choice == b.choice && a.child == b.child; });
  }

  void grow() {
    std::vector<Diagram::Id> old(slots_.size() * 2, kEmpty);
    old.swap(slots_);
    for (const Diagram::Id id : old) {
      if (id == kEmpty) continue;
      const Diagram::Node& node = diagram_.node(id);
      std::size_t at = hashed(diagram_.begin(node), node.size) & (slots_.size() - 1);
      while (slots_[at] != kEmpty) at = (at + 1) & (slots_.size() - 1);
      slots_[at] = id;
    }
  }

  Diagram& diagram_;
  std::vector<Diagram::Id> slots_;
  std::size_t size_ = 0;
};

}  // namespace tuner::search
