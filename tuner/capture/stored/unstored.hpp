#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tuner/capture/stored/snapshot.hpp"
#include "tuner/capture/stored/stored_launch.hpp"

namespace tuner::capture {

/// The memory to which words of the launch's allocations seem to point, and which is not stored. Any data may look like
/// a pointer, and not every allocation need be the kernel's. `before` is the file of memory that the snapshot was read
/// with; all of it is read, unless the program had no such memory.
std::vector<UnstoredMemory> unstored_memory(const Snapshot& snapshot, std::span<const std::byte> before);

/// "3 words of its allocations may be pointers to managed memory (cudaMallocManaged), which is not stored"; empty if
/// there is none.
std::string unstored_text(std::span<const UnstoredMemory> memories);

}  // namespace tuner::capture
