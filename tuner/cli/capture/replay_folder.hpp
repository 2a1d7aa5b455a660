#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/replay/replay.hpp"

namespace tuner::cli {

struct ReplayRequest {
  std::filesystem::path folder;
  int ordinal = 0;                    ///< of the GPU
  std::optional<std::size_t> launch;  ///< its position; absent: all
  std::chrono::milliseconds launch_timeout{2000};
};

struct FolderReplay {
  struct Launch {
    std::size_t position = 0;
    engine::ReplayedLaunch replayed;
  };
  std::vector<Launch> launches;  ///< as far as it came

  bool all_repeatable() const;
  std::string text(const capture::Capture& capture) const;
  nlohmann::ordered_json json(const capture::Capture& capture) const;
};

/// Runs the launches of a capture again, one after the other. Waits for others that measure on the GPU, with a warning.
/// Throws Error{no_driver, no_worker, device_lost}.
FolderReplay replay_folder(const ReplayRequest& request, const capture::Capture& capture,
                           const std::atomic<bool>& stop);

}  // namespace tuner::cli
