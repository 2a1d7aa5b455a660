#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "cache/records/trial.hpp"

namespace tuner::engine {

/// What a result costs a session, in seconds: what its compilers take for one, or its GPUs, whichever is more. It is
/// settled by the first that are measured, and rounded up until the complete search takes 15 s, or a power of
/// two times as long. So sessions that differ a little search alike.
class ResultCost {
 public:
  static constexpr std::size_t kSettling = 24;  ///< results

  /// `compilers` and `gpus` are at work at the same time; what sessions share counts in parts.
  ResultCost(std::uint64_t space_size, double compilers, std::size_t gpus);

  /// A trial, measured now or by an earlier session that went on for less. True if that settles the cost.
  bool add(const cache::Trial& trial);
  /// An earlier session settled it.
  void settle(double seconds) { seconds_ = seconds; }
  std::optional<double> seconds() const { return seconds_; }

 private:
  double size_, compilers_, gpus_;
  double compiling_ms_ = 0, running_ms_ = 0;
  std::size_t results_ = 0;
  std::optional<double> seconds_;
};

}  // namespace tuner::engine
