#pragma once

#include <cstddef>
#include <filesystem>
#include <map>

#include "tuner/capture/stored/stored_launch.hpp"
#include "tuner/engine/replay/replayed_launch.hpp"

namespace tuner::engine {

// What replays have found out stays in the folder of the capture, beside its manifest: {"format", "tuner", "manifest":
// the hash of the manifest that it belongs to, "launches": as replayed_json gives them}.

inline constexpr const char* kReplayFile = "replay.json";

/// By the launches' positions in the capture.
using KnownReplays = std::map<std::size_t, ReplayedLaunch>;

/// Adds these to what the folder has of the same manifest. Throws Error{bad_usage} if it cannot be written.
void store_replays(const std::filesystem::path& folder, const capture::Capture& capture, const KnownReplays& replays);

/// What the folder has; empty if nothing was replayed. Whatever the file holds, that is it, or Error{store_damaged,
/// store_newer, file_not_found}; store_damaged too if it belongs to another manifest.
KnownReplays stored_replays(const std::filesystem::path& folder, const capture::Capture& capture);

}  // namespace tuner::engine
