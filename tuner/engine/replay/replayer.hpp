#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tuner/capture/stored/reach.hpp"
#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/replay/replay_workers.hpp"
#include "tuner/engine/replay/replayed_launch.hpp"

namespace tuner::engine {

/// Launches of one repeat.
inline constexpr int kRepeats = 5;
/// Workers that may be lost over finding out which memory is written, and as many again over what is written there. The
/// next worker loads everything again, so of a launch with much memory fewer may be lost.
inline constexpr int kMostLost = 12, kFewestLost = 3;
inline constexpr std::uint64_t kMostLoadedAgain = std::uint64_t{32} << 30;

/// What one memory alone comes to. `is_real`: its elements are.
ReplayVerdict verdict_of(const ReplayedMemory& memory, bool is_real);

/// The repeats of one launch: as captured (replayer.cpp), then to find out what it writes (replayer_written.cpp).
class Replayer {
 public:
  struct Stopped {};  ///< thrown when the workers were told to stop

  /// `workers` and `launch` outlive this; the request says which launch it is.
  Replayer(ReplayWorkers& workers, const capture::StoredLaunch& launch, ReplayLaunch request);
  ReplayedLaunch run();

 private:
  using Positions = std::vector<std::uint64_t>;

  DeviceReply ask(const ReplayLaunch& request);
  bool is_real(std::size_t memory) const;
  void judge(const ReplayResult& replayed);
  std::vector<std::uint64_t> missing_addresses(const DeviceReply& reply) const;
  /// Asks, and where addresses are missing asks workers in which the driver may give them.
  DeviceReply ask_where_addresses_are();
  /// Whether the program's launch changed memory to which no address leads, perhaps over a pointer in another form. A
  /// launch without it may find something else at that address.
  bool lacks_changed() const;
  /// As captured: where there is room at first, and where everything lay if that does something else, or less.
  bool repeat();
  std::string name_of(std::uint64_t memory) const;
  /// What could not be placed, so that nothing was launched. The uses of all are what the program's launch shows.
  std::string missing_memory();
  int losses_allowed() const;
  void find_written();
  /// Five launches count, and what the first one left alone was not compared after the others: it is most of the
  /// memory. Now it is known which of it they may change.
  void compare_written();
  /// By the kernel's name, as far as it has types: not through a pointer to const alone.
  bool may_be_output(std::uint64_t memory) const;
  bool shows_writes(std::uint64_t memory);
  DeviceReply ask_over_patterns(std::uint64_t memory);
  /// What becomes of a launch while nothing can be written there.
  Outcome outcome_without(const Positions& memories);
  void separate(std::span<const std::uint64_t> memories);
  /// Whether other memory is not what it is without the pattern, which then is read. What differs anyway says nothing.
  bool changes_others(std::uint64_t memory, const ReplayResult& patterned) const;
  void look_at_written(std::uint64_t memory);
  std::string why_not_exact();

  ReplayWorkers& workers_;
  const capture::StoredLaunch& launch_;
  const capture::MemoryMap map_;
  ReplayLaunch request_;
  ReplayedLaunch result_;
  Positions written_, proven_, uncertain_;
  int may_be_lost_ = kMostLost;  ///< workers, over either question
  int most_lost_ = 0;            ///< workers, when no more patterns are tried
  std::size_t pieces_ = 0;       ///< of memory in requests over patterns
};

}  // namespace tuner::engine
