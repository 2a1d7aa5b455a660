#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tuner::host {

struct Index3 {
  unsigned x = 0, y = 0, z = 0;
};

/// In which order the threads of a block get to run between two barriers, and the blocks of a grid. A result that
/// depends on it is a race.
enum class Schedule {
  forward,   ///< by number
  reverse,   ///< from the last one down
  shuffled,  ///< in an order drawn anew after every round, from the seed
};

struct Launch {
  Index3 grid{1, 1, 1};
  Index3 block{1, 1, 1};
  std::size_t shared_bytes = 0;  ///< dynamic shared memory: nothing beyond it can be touched unseen
  Schedule schedule = Schedule::forward;
  std::uint64_t seed = 1;
  unsigned char poison = 0xff;             ///< what shared memory holds when a block begins
  unsigned char* static_shared = nullptr;  ///< the kernel's `__shared__` variables
  std::size_t static_shared_bytes = 0;
};

/// What a kernel did that a GPU answers with a hang or with undefined results: threads of one block that wait at
/// different barriers, at a barrier that a finished thread will never reach, at a shuffle whose lanes do not all come;
/// a misaligned asynchronous copy. The sentence names the threads, where each waits, and the block.
struct Fault {
  std::string sentence;
  std::string file;  ///< where it stands in the kernel's text; empty if that is not known
  int line = 0;
  const char* what() const { return sentence.c_str(); }
};

/// Where a call stands in the kernel's text.
struct Spot {
  const char* file;
  int line;
};

}  // namespace tuner::host
