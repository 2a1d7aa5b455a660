#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/base/element_type.hpp"

namespace tuner::engine {

/// What launches of a replay did to one piece of memory, of all of them the worst.
struct ReplayedMemory {
  bool is_reached = false;          ///< by addresses (capture/stored/reach.hpp); what is not is not there
  bool is_at_own_address = false;   ///< where it was in the program; a variable is where its module is
  bool is_missing = false;          ///< it should be there, and could not be
  bool can_be_read_only = false;    ///< on its own
  std::uint64_t pointers = 0;       ///< words in it that lead to memory
  std::uint64_t different = 0;      ///< bytes that are not what the program had
  bool is_within_tolerance = true;  ///< of its elements, where these are real
  /// In records of so many bytes it holds the same ones in another order; 0: it does not.
  std::uint32_t permuted = 0;
  bool varies = false;  ///< launches differ among themselves
};

struct ByteRange {
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// What became of a memory that held a pattern before the launch, and others before further ones.
struct PatternResult {
  std::uint64_t output = 0;        ///< bytes that have the program's value each time
  std::uint64_t follows = 0;       ///< bytes that still hold the patterns
  std::uint64_t depends = 0;       ///< other bytes: they were written, and what depends on what was there
  std::uint64_t ranges = 0;        ///< of bytes that do not follow
  std::vector<ByteRange> written;  ///< the first of these
};
inline constexpr std::size_t kMostRanges = 64;
inline constexpr int kPatternCount = 3;

struct ReplayResult {
  std::vector<ReplayedMemory> memories;  ///< in the order of capture::MemoryMap
  std::optional<PatternResult> pattern;
  std::uint64_t first_address = 0;  ///< that the driver gives, in a worker that has asked for none
};

/// A launch of a capture, run again. Needs no problem. What was loaded serves the next requests about the same launch
/// and the same addresses.
struct ReplayLaunch {
  using Result = ReplayResult;
  std::string folder;
  std::uint64_t launch = 0;  ///< its position
  /// Everything lies where it lay in the program, reached or not. Otherwise only what memory points to does, and the
  /// rest where there is room, each in granules of its own with nothing mapped around them.
  bool at_own_addresses = false;
  /// For each memory; absent: not known. The tolerance of descriptions decides whether elements are alike.
  std::vector<std::optional<ElementType>> elements;
  /// Positions of memories that launches may change. Others are neither restored nor compared. Absent: all.
  std::optional<std::vector<std::uint64_t>> written;
  /// A write to these ends the worker: it must be able to be read-only.
  std::vector<std::uint64_t> read_only;
  /// Holds another pattern before each of kPatternCount launches.
  std::optional<std::uint64_t> patterned;
  std::uint32_t records = 0;  ///< of it, in bytes, if they come in another order each time; 0: they do not
  int times = 1;              ///< launches, where nothing holds a pattern
  bool may_fault = false;     ///< what the launch does then is an answer, and it is not run again
  std::chrono::milliseconds launch_timeout{2000};
};

}  // namespace tuner::engine
