#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/device/lane/device.hpp"
#include "tuner/engine/replay/launch_facts.hpp"

namespace tuner::engine {

/// What running a launch again comes to, from the best.
enum class ReplayVerdict {
  exact,           ///< five launches left, byte for byte, what the program's did
  close,           ///< they differ in real numbers only, within the tolerance of descriptions
  same_set,        ///< or in the order of records
  not_repeatable,  ///< something else
  not_run,         ///< it faults, hangs or cannot be launched
};
std::string_view to_string(ReplayVerdict verdict);

/// What a kernel does to a piece of memory that the capture has.
enum class MemoryUse {
  unreached,  ///< no address leads there
  in,         ///< it writes nothing there
  out,        ///< what it writes does not depend on what was there
  inout,
};
std::string_view to_string(MemoryUse use);

struct MemoryFacts {
  MemoryUse use = MemoryUse::unreached;
  bool is_certain = true;  ///< false: whether it is written could not be found out
  ReplayedMemory replayed;
  std::optional<PatternResult> pattern;  ///< of what is written, if launches over patterns came to an end
  std::vector<ArrayFact> arrays;
};

struct ReplayedLaunch {
  ReplayVerdict verdict = ReplayVerdict::not_run;
  std::string reason;                 ///< one sentence, of what is not exact
  std::vector<MemoryFacts> memories;  ///< in the order of capture::MemoryMap
  bool at_own_addresses = false;      ///< it needed all memory where it lay
  int workers_lost = 0;
};

struct ReplayOptions {
  std::chrono::milliseconds launch_timeout{2000};
};

/// The lane to a worker that leaves so many bytes of its addresses alone before its context is made.
using MakeReplayLane = std::function<std::unique_ptr<DeviceLane>(std::uint64_t address_padding)>;

/// Runs launches of a capture again, in the GPU's worker, which their faults and hangs end and which then is replaced.
class Replays {
 public:
  /// Starts the worker. `capture` and `stop` outlive this.
  Replays(MakeReplayLane make_lane, std::filesystem::path folder, const capture::Capture& capture,
          const ReplayOptions& options, const std::atomic<bool>& stop);

  /// Nothing if `stop` was set meanwhile. Takes five launches, one or more for what is not written, and three for
  /// each memory that is; each copies back what may have changed. Throws Error if the lane as a whole cannot go on.
  std::optional<ReplayedLaunch> run(std::size_t position);

 private:
  friend class Replayer;
  /// Another worker.
  void pad_addresses(std::uint64_t padding);

  const MakeReplayLane make_lane_;
  const std::filesystem::path folder_;
  const capture::Capture& capture_;
  const ReplayOptions options_;
  const std::atomic<bool>& stop_;
  std::uint64_t padding_ = 0;  ///< launches of a program need the same
  std::unique_ptr<DeviceLane> lane_;
};

/// How many bytes of addresses a worker has to leave alone so that the driver gives these, where it gave
/// `first_address` to one that left none: it chooses its addresses below what a process has mapped when it starts. The
/// most likely first.
std::vector<std::uint64_t> possible_paddings(std::uint64_t first_address, const std::vector<std::uint64_t>& missing);

}  // namespace tuner::engine
