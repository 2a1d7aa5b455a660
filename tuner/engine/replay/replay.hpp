#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <optional>

#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/replay/replay_workers.hpp"
#include "tuner/engine/replay/replayed_launch.hpp"

namespace tuner::engine {

struct ReplayOptions {
  std::chrono::milliseconds launch_timeout{2000};
};

/// Runs launches of a capture again.
class Replays {
 public:
  /// Starts the worker. `capture` and `stop` outlive this.
  Replays(MakeReplayLane make_lane, std::filesystem::path folder, const capture::Capture& capture,
          const ReplayOptions& options, const std::atomic<bool>& stop);

  /// Nothing if `stop` was set meanwhile. Takes five launches, one or more for what is not written, and three for
  /// each memory that is; each copies back what may have changed. Throws Error if the lane as a whole cannot go on.
  std::optional<ReplayedLaunch> run(std::size_t position);

 private:
  const std::filesystem::path folder_;
  const capture::Capture& capture_;
  const ReplayOptions options_;
  ReplayWorkers workers_;
};

}  // namespace tuner::engine
