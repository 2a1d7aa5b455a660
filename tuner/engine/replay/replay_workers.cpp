#include "tuner/engine/replay/replay_workers.hpp"

#include <algorithm>
#include <utility>

#include "tuner/engine/lanes/call.hpp"

namespace tuner::engine {

std::vector<std::uint64_t> possible_paddings(std::uint64_t first_address, const std::vector<std::uint64_t>& missing) {
  // Seen on an H200, driver 580: where a program's memory begins differs by multiples of this.
  constexpr std::uint64_t kStep = std::uint64_t{32} << 20, kMost = std::uint64_t{64} << 30,
                          kGranule = std::uint64_t{2} << 20;
  std::vector<std::uint64_t> paddings;
  for (const std::uint64_t address : missing) {
    const std::uint64_t begin = address / kGranule * kGranule, padding = first_address - begin;
    const bool is_possible = begin < first_address && padding <= kMost && padding % kStep == 0;
    if (is_possible && std::ranges::find(paddings, padding) == paddings.end()) paddings.push_back(padding);
  }
  std::ranges::sort(paddings);
  return paddings;
}

ReplayWorkers::ReplayWorkers(MakeReplayLane make_lane, const std::atomic<bool>& stop)
    : make_lane_(std::move(make_lane)), stop_(stop), lane_(make_lane_(0)) {}

std::optional<DeviceReply> ReplayWorkers::ask(const ReplayLaunch& request) {
  return call(*lane_, request, stop_);
}

void ReplayWorkers::pad_addresses(std::uint64_t padding) {
  lane_.reset();  // what it has mapped is needed
  padding_ = padding;
  lane_ = make_lane_(padding);
}

}  // namespace tuner::engine
