#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/capture/message.hpp"

namespace tuner::capture {

/// One launch that the tuner asks for, and how far the program has come.
struct OpenRequest {
  std::uint64_t ordinal = 0;         ///< from 1; among the launches of its shape, if that is given
  std::optional<LaunchShape> shape;  ///< of which grid, block and dynamic_shared count
  std::uint64_t seen = 0;
  bool done = false;
};

/// What the tuner asks for, of one kernel.
class WantedLaunches {
 public:
  /// As the environment says (kWantedVariable); nothing if it asks for nothing.
  static std::optional<WantedLaunches> from_environment();

  const std::string& kernel() const { return kernel_; }  ///< mangled
  std::uint64_t limit() const { return limit_; }         ///< bytes of memory that one launch may take
  std::uint64_t longest() const { return longest_; }     ///< nanoseconds that a launch of it took
  std::uint64_t seen() const { return seen_; }

  /// Counts a launch; the index of what it should be stored for, if it should. A launch that could not be stored leaves
  /// that to the next one.
  std::optional<std::size_t> take(const LaunchShape& shape);
  /// It was stored, or nobody shall try again.
  void finish(std::size_t index) { launches_[index].done = true; }
  bool all_done() const;

 private:
  std::string kernel_;
  std::uint64_t limit_ = 0, longest_ = 0, seen_ = 0;
  std::vector<OpenRequest> launches_;
};

}  // namespace tuner::capture
