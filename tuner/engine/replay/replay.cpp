#include "tuner/engine/replay/replay.hpp"

#include <utility>

#include "tuner/engine/replay/replayer.hpp"

namespace tuner::engine {

Replays::Replays(MakeReplayLane make_lane, std::filesystem::path folder, const capture::Capture& capture,
                 const ReplayOptions& options, const std::atomic<bool>& stop)
    : folder_(std::move(folder)), capture_(capture), options_(options), workers_(std::move(make_lane), stop) {}

std::optional<ReplayedLaunch> Replays::run(std::size_t position) {
  ReplayLaunch request;
  request.folder = folder_.string();
  request.launch = position;
  request.launch_timeout = options_.launch_timeout;
  try {
    return Replayer(workers_, capture_.launches.at(position), std::move(request)).run();
  } catch (const Replayer::Stopped&) {
    return std::nullopt;
  }
}

}  // namespace tuner::engine
