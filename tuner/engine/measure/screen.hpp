#pragma once

#include <optional>
#include <span>
#include <vector>

namespace tuner::engine {

/// How much time a candidate deserves before anything else is known about it.
struct ScreenPolicy {
  /// Samples of a candidate that is not killed. More: fewer good candidates lost to noise; fewer: faster screening.
  int samples = 3;
  /// A first sample above this multiple of the best time so far ends the screening. Lower saves time on slow
  /// candidates; keep it well above the first sample's own excess (a quarter, after an idle moment).
  double kill_after_first = 1.6;
  /// The same for the faster of the first two samples. Keep it at or above what finalists may be slower than the best
  /// (FinalistPolicy::within), or candidates are killed that the race would have taken.
  double kill_after_second = 1.25;
  /// A first sample at most this multiple of the best time so far is enough: what disturbs a sample makes it longer, so
  /// whoever is that fast will be measured again, among its like. Lower: more samples of good candidates; 0: all.
  double enough_after_first = 0;
  /// Off: every candidate gets all its samples, as recordings want.
  bool early_kill = true;
  /// Above 0: another program interrupts, and of so many samples one is uninterrupted. Nobody is killed on fewer, and
  /// the shortest is what counts, also for having enough. `kill_after_first` is not used then.
  int uninterrupted_after = 0;
};

/// What samples of a candidate say of its time: their median; of two the shorter, because what disturbs a sample makes
/// it longer; of one that was killed the shortest, to be read as "at least about this slow". The shortest, too, where
/// others may have interrupted. There must be a sample.
double screened_time_ns(std::span<const double> samples_ns, bool censored, bool interrupted = false);

/// Decides, sample by sample, when enough is known about one candidate. Takes numbers, reads no clock.
class Screen {
 public:
  enum class SampleVerdict {
    more,    ///< take another sample
    done,    ///< all samples taken: `time_ns` is their median
    killed,  ///< clearly slower than the best: `time_ns` is only a lower bound
  };

  /// `best_ns` is the shortest time of the session so far; without it nothing is killed.
  /// Throws Error{bad_usage} for a policy without samples.
  Screen(const ScreenPolicy& policy, std::optional<double> best_ns);

  /// Throws Error{internal} for a sample that is no time, or after the last verdict was `done` or `killed`.
  SampleVerdict add(double sample_ns);

  bool censored() const { return verdict_ == SampleVerdict::killed; }
  /// Nothing until the screen is done or killed; then as `screened_time_ns` has it.
  std::optional<double> time_ns() const;
  /// In the order taken.
  const std::vector<double>& samples_ns() const { return samples_ns_; }

 private:
  ScreenPolicy policy_;
  std::optional<double> best_ns_;
  std::vector<double> samples_ns_;
  SampleVerdict verdict_ = SampleVerdict::more;

  SampleVerdict judge() const;
};

}  // namespace tuner::engine
