#include "tuner/capture/stored/snapshot.hpp"

#include <algorithm>

#include "tuner/capture/message.hpp"

namespace tuner::capture {
namespace {

constexpr std::uint64_t kMostThreadsOfBlock = 1024;     // of a block
constexpr std::uint32_t kMostBlocks = 0x7fffffff;       // along one axis
constexpr std::uint32_t kMostShared = 1 << 24;          // far more than a GPU has
constexpr std::uint64_t kMostParameterBytes = 1 << 16;  // twice what CUDA takes

bool is_shape(const FactsOfLaunch& launch) {
  std::uint64_t threads = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const std::uint32_t block = launch.block[axis], grid = launch.grid[axis];
    if (block == 0 || block > kMostThreadsOfBlock || grid == 0 || grid > kMostBlocks) return false;
    if (launch.cluster[axis] > kMostThreadsOfBlock) return false;
    threads *= block;
  }
  return threads <= kMostThreadsOfBlock && launch.dynamic_shared <= kMostShared;
}

bool are_parameters(const std::vector<Parameter>& parameters) {
  std::uint64_t end = 0;
  for (const Parameter& parameter : parameters) {
    const std::uint64_t size = parameter.bytes.size();
    if (size == 0 || parameter.offset < end || parameter.offset > kMostParameterBytes) return false;
    end = parameter.offset + size;
    if (end > kMostParameterBytes) return false;
  }
  return true;
}

}  // namespace

bool is_possible(const LaunchRecord& record) {
  if (record.kernel.empty() || record.kernel.size() > kLongestKernelName ||
      record.kernel.find('\0') != std::string::npos)
    return false;
  for (const auto* facts : {&record.attributes, &record.limits, &record.launch_attributes})
    if (facts->size() > kMostFacts) return false;
  return record.launch.ordinal > 0 && record.launch.cooperative <= 1 && is_shape(record.launch) &&
         are_parameters(record.parameters) && record.frames.size() <= kMostFrames && record.device.driver >= 0 &&
         record.device.compute_capability >= 0 && record.device.compute_capability < 1000;
}

bool are_apart(std::vector<Range> ranges, std::uint64_t end) {
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) { return a.begin < b.begin; });
  std::uint64_t free = 0;
  for (const Range& range : ranges) {
    if (range.size == 0 || range.begin < free || range.begin > end || end - range.begin < range.size) return false;
    free = range.begin + range.size;
  }
  return true;
}

}  // namespace tuner::capture
