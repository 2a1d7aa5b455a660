#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/capture/snapshot_format.hpp"

namespace tuner::capture {

struct Parameter {
  std::uint64_t offset = 0;
  std::vector<std::byte> bytes;
};

/// Where a launch came from.
struct Frame {
  std::uint64_t offset = 0;  ///< as FactsOfFrame has it
  std::string file;
};

/// A launch, but for memory and code.
struct LaunchRecord {
  FactsOfLaunch launch;
  std::string kernel;                 ///< its mangled name
  std::vector<Parameter> parameters;  ///< in the order of their offsets
  std::vector<NumberedFact> attributes, limits, launch_attributes;
  std::vector<Frame> frames;  ///< the innermost first
  FactsOfDevice device;
  std::string gpu;  ///< its name
};

/// Bytes that the kernel could reach.
struct Memory {
  std::uint64_t address = 0;  ///< in the program
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  ///< in the files of memory
  std::string name;          ///< of a variable, mangled; empty for an allocation
};

/// A launch as the injected library wrote it down.
struct Snapshot : LaunchRecord {
  std::vector<Memory> allocations, variables;
  std::vector<Memory> unstored;  ///< what else the program had then; the names say what it is
  std::vector<std::byte> image;  ///< of the module; empty if it is not known
};

/// What a launch can have at most of each. More is refused.
inline constexpr std::size_t kMostFacts = 256, kMostFrames = 256, kMostMemories = std::size_t{1} << 16;

/// Whether a launch can be so.
bool is_possible(const LaunchRecord& record);

struct Range {
  std::uint64_t begin = 0, size = 0;
};
/// Whether each has a byte, and none reaches beyond `end` or into another.
bool are_apart(std::vector<Range> ranges, std::uint64_t end);

}  // namespace tuner::capture
