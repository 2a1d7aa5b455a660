#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "tuner/capture/stored/stored_launch.hpp"

namespace tuner::capture {

/// Where an address leads in the memory of a launch.
struct MemoryPlace {
  std::size_t memory = 0;  ///< its position, as MemoryMap counts
  std::uint64_t offset = 0;
};

/// The memory of a launch in one order: its allocations, then its variables. Keeps a reference to the launch.
class MemoryMap {
 public:
  explicit MemoryMap(const StoredLaunch& launch);

  std::size_t size() const { return launch_.allocations.size() + launch_.variables.size(); }
  const StoredMemory& operator[](std::size_t memory) const;
  bool is_variable(std::size_t memory) const { return memory >= launch_.allocations.size(); }
  /// The end of an allocation belongs to it, where nothing else begins there.
  std::optional<MemoryPlace> find(std::uint64_t address) const;

 private:
  const StoredLaunch& launch_;
  std::vector<std::size_t> by_address_;
};

/// An address that stands in memory or in parameters, where addresses stand: at a multiple of 8 bytes.
struct PointerWord {
  std::uint64_t offset = 0;
  MemoryPlace leads_to;
};
std::vector<PointerWord> pointers_in(std::span<const std::byte> bytes, const MemoryMap& map);

/// What the parameters hold, one behind the other as the kernel gets them, with zeros between.
std::vector<std::byte> parameter_block(const StoredLaunch& launch);

/// What a launch can reach from its parameters and variables by the addresses that stand there, and in what these lead
/// to. Numbers may look like addresses, so it may be less.
struct Reach {
  std::vector<bool> is_reached;         ///< for each memory; variables always are
  std::vector<bool> is_pointed_to;      ///< by a word in memory: it has to lie where it lay
  std::vector<std::uint64_t> pointers;  ///< words in it that lead to memory
};
/// `before` gives what a memory held; it is asked once for each that is reached.
Reach reach_of(const StoredLaunch& launch, const MemoryMap& map,
               const std::function<std::span<const std::byte>(std::size_t memory)>& before);

}  // namespace tuner::capture
