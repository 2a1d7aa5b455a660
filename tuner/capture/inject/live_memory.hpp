#pragma once

#include <cuda.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace tuner::capture {

enum class MemoryKind { device, pooled, managed, mapped };

struct LiveMemory {
  std::uint64_t address = 0, size = 0;
  MemoryKind kind = MemoryKind::device;
  CUcontext context = nullptr;  ///< that was current where it was made

  /// Other kinds cannot yet.
  bool can_be_stored(CUcontext with) const { return kind == MemoryKind::device && context == with; }
  bool holds(std::uint64_t where) const { return where >= address && where - address < size; }
};

/// What the program has allocated on GPUs and not freed. For several threads; calls nobody under its lock.
class LiveMemories {
 public:
  void add(const LiveMemory& memory);
  /// Whatever begins in so many bytes.
  void remove(std::uint64_t address, std::uint64_t size = 1);
  void clear();
  /// All of them, by address.
  std::vector<LiveMemory> list() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::uint64_t, LiveMemory> by_address_;
};

/// That in which `where` lies; nullptr if none. `memories` are sorted by address.
const LiveMemory* find_holding(const std::vector<LiveMemory>& memories, std::uint64_t where);

}  // namespace tuner::capture
