#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tuner/capture/stored/blob.hpp"
#include "tuner/capture/stored/snapshot.hpp"

namespace tuner::capture {

/// The program that launched.
struct ProgramFacts {
  std::vector<std::string> command;  ///< with its arguments
  std::string executable;            ///< its file; empty if it was not found
  std::string executable_hash;       ///< of its bytes, as cache::content_hash says; empty if they cannot be read
  std::string folder;                ///< that it was started in
};

/// What launches of one shape were in the program's profile.
struct Weight {
  std::uint64_t launches = 0;  ///< 0: not known
  double mean_ns = 0;
  double share = 0;  ///< of the time of all kernels
};

struct StoredMemory {
  std::uint64_t address = 0;
  std::string name;    ///< of a variable, mangled; empty for an allocation
  Blob before, after;  ///< the launch; of one size
};

/// Memory of the program that is not stored, although words of stored allocations seem to point there.
struct UnstoredMemory {
  std::string kind;  ///< "managed memory (cudaMallocManaged)"
  std::uint64_t address = 0, size = 0;
  std::uint64_t words = 0;  ///< that point there
};

struct StoredLaunch : LaunchRecord {
  Weight weight;
  std::vector<StoredMemory> allocations, variables;
  Blob module;          ///< without a size if it is not known
  std::string toolkit;  ///< version of the compiler that made it; empty if it is not known
  std::vector<UnstoredMemory> unstored;
};

/// What a folder holds.
struct Capture {
  std::string tuner;  ///< version of the program that stored it
  std::int64_t created_unix_ms = 0;
  ProgramFacts program;
  std::vector<StoredLaunch> launches;
};

/// More is neither written nor read.
inline constexpr std::size_t kMostLaunches = 64;

}  // namespace tuner::capture
