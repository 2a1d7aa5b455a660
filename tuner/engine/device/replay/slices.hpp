#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "tuner/engine/device/lane/replay.hpp"
#include "tuner/process/in_threads.hpp"

namespace tuner::engine {

/// Of what one thread compares at a time. Records and elements of all sizes end where it does.
inline constexpr std::size_t kSliceBytes = std::size_t{3} << 20;

/// What `work(slice)` gives for each slice of so many bytes, in order; in threads.
template <typename Result, typename Work>
std::vector<Result> of_slices(std::size_t bytes, Work work) {
  std::vector<Result> results((bytes + kSliceBytes - 1) / kSliceBytes);
  in_threads(results.size(), [&](std::size_t number) {
    const std::size_t begin = number * kSliceBytes;
    results[number] = work(ByteRange{begin, std::min(begin + kSliceBytes, bytes)});
  });
  return results;
}

}  // namespace tuner::engine
