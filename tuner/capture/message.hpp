#pragma once

#include <cstddef>
#include <cstdint>

// What the injected library sends to the tuner: packets of a socket that both have inherited. Each is a MessageHead and
// what its kind says. Both sides are of one build and one machine, so structures travel as they are; the reader checks
// everything all the same, because whatever runs in the program can write to the socket.

namespace tuner::capture {

/// Variables of the environment. The first is "DESCRIPTOR INODE BEGIN PATIENCE": the number of the socket's descriptor,
/// and its inode, because a program may close what it inherits and open a file that gets the same number; launches
/// before BEGIN, nanoseconds of CLOCK_MONOTONIC, do not count; the program waits for its last report so many
/// milliseconds at most. The second lists files that may be CUPTI, with colons between them.
inline constexpr const char* kToVariable = "CAPTURED_BY_TUNER";
inline constexpr const char* kCuptiVariable = "CAPTURED_WITH_CUPTI";
/// Where it is set, launches are stored and nothing else is seen. Lines: the kernel's mangled name; "LIMIT LONGEST",
/// bytes of memory that a launch may take, and nanoseconds that one took; then for each wanted launch "ORDINAL", or
/// "ORDINAL GRID GRID GRID BLOCK BLOCK BLOCK SHARED", which counts those of that shape only.
inline constexpr const char* kWantedVariable = "CAPTURED_LAUNCHES";

/// Changes with everything in this file.
inline constexpr std::uint32_t kMessageVersion = 0x54435033;
inline constexpr std::size_t kLongestMessage = 64 * 1024;
/// That come with one message.
inline constexpr std::size_t kMostDescriptors = 3;
/// Longer names of kernels are cut.
inline constexpr std::size_t kLongestKernelName = 32 * 1024;

enum class MessageKind : std::uint32_t {
  hello = 1,     ///< a process has begun to use CUDA
  launches = 2,  ///< LaunchShape, LaunchSums, and the kernel's mangled name: launches since the last such message
  trouble = 3,   ///< a sentence
  bye = 4,       ///< the process ends, and everything was sent
  stored = 5,    ///< the number of the wanted launch, from 0; the descriptors of three files: snapshot_format.hpp
  done = 6,      ///< nothing more will be stored
};

struct MessageHead {
  std::uint32_t version = kMessageVersion;
  MessageKind kind = MessageKind::hello;
  std::int32_t process = 0;
  std::uint32_t unused = 0;
};

/// Everything by which launches of a kernel are told apart. Only numbers of one size, so that equal shapes have equal
/// bytes.
struct LaunchShape {
  std::uint32_t grid[3] = {}, block[3] = {}, cluster[3] = {};
  std::uint32_t dynamic_shared = 0;  ///< bytes a block, as are those of the next
  std::uint32_t static_shared = 0;
  std::uint32_t registers = 0;    ///< a thread
  std::uint32_t local_bytes = 0;  ///< a thread
  std::uint32_t in_graph = 0;     ///< 1: launched by a graph
  bool operator==(const LaunchShape&) const = default;
};

/// Durations on the GPU, in nanoseconds.
struct LaunchSums {
  std::uint64_t launches = 0;
  double total = 0;
  double squares = 0;  ///< the sum of their squares
  double shortest = 0;
  double longest = 0;

  void add(const LaunchSums& more) {
    shortest = launches == 0 || more.shortest < shortest ? more.shortest : shortest;
    longest = launches == 0 || more.longest > longest ? more.longest : longest;
    launches += more.launches;
    total += more.total;
    squares += more.squares;
  }
};

}  // namespace tuner::capture
