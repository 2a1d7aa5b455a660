#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace tuner {

/// What a GPU was measured to deliver, in bytes a second.
struct MemoryRates {
  double memory = 0;    ///< from beyond its caches
  double l2_cache = 0;  ///< to kernels that read what it holds
  friend bool operator==(const MemoryRates&, const MemoryRates&) = default;
};

/// A time that is shorter than the declared bytes take from memory. Either the data came from a cache, or `work` or the
/// data is not what the kernel has to do with.
struct BeyondMemory {
  double bytes_per_s = 0;  ///< the declared bytes over the winner's time
  MemoryRates rates;
  friend bool operator==(const BeyondMemory&, const BeyondMemory&) = default;

  bool beyond_l2_cache() const;
};

/// Nothing if memory delivers so much.
std::optional<BeyondMemory> beyond_memory(double bytes_per_s, const MemoryRates& rates);

/// "20.05 TB/s is more than the 7.10 TB/s that the L2 cache of this GPU was measured to deliver: `work` or the data is
/// wrong"
std::string text_of(const BeyondMemory& beyond);

/// As counters of a decision, in megabytes a second, which is how it is stored.
void add_to_counters(const BeyondMemory& beyond, std::map<std::string, std::int64_t>& counters);
/// What add_to_counters wrote.
std::optional<BeyondMemory> beyond_memory_in(const std::map<std::string, std::int64_t>& counters);

}  // namespace tuner
