#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// What all GPUs of a spread lane time to be compared with each other: at first the reference, 0, then one near the
/// best, numbered as better ones take its place. How a new one compares with the one before is found out by one GPU,
/// between two readings of that; all others keep to the one before until then. GPUs are numbered from 0.
class CommonConfigurations {
 public:
  /// Before anything is read; its time, which is not known at first, may come later.
  void set_reference(Candidate reference) { all_[0] = std::move(reference); }
  void set_reference_time(double time_ns) { best_ns_ = time_ns; }
  /// Whether there is something to compare GPUs by.
  bool are_timed() const { return best_ns_ > 0; }

  /// A candidate takes so long: if that is worth it, it becomes the next to be introduced.
  void offer(const Candidate& candidate, double time_ns);
  /// What a GPU is to time now, in this order. With `may_introduce` it may be asked to introduce the next.
  std::vector<std::size_t> to_read(std::size_t gpu, bool may_introduce);
  /// How many samples are a reading.
  std::size_t samples() const;
  /// One that `to_read` has just said.
  const Candidate& operator[](std::size_t common) const { return all_.at(common); }
  /// It could not be read.
  void fail(std::size_t common);
  /// What `to_read` said is read, or the GPU is lost. If it introduced one, that is known from now on; or, unless
  /// `agree`, is returned: what was read of it is worth nothing.
  std::optional<std::size_t> end_reading(std::size_t gpu, bool agree);

 private:
  std::map<std::size_t, Candidate> all_;  ///< the reference, and those that a GPU may have to time
  std::size_t best_ = 0;
  double best_ns_ = 0;                      ///< of the best that there was, also if it fails; 0: there is none
  std::size_t known_ = 0;                   ///< the newest of which it is known how it compares with those before
  std::optional<std::size_t> introducing_;  ///< the GPU that finds that out for another
  std::size_t introduced_ = 0;              ///< which that is
};

}  // namespace tuner::engine
