#pragma once

#include <span>
#include <vector>

#include "tuner/engine/measure/finalists.hpp"
#include "tuner/engine/measure/screen.hpp"

namespace tuner::engine {

/// How much single samples scatter on this GPU for this kernel, learned from the candidates screened so far, and what
/// follows from it: after a sample of a kernel of milliseconds, which scatters by a tenth of a per cent, more is known
/// than after many of a kernel of microseconds.
class Noise {
 public:
  /// The samples of one candidate, in the order taken. Single ones say nothing.
  void add(std::span<const double> samples_ns);
  /// Candidates are screened on several GPUs, whose times differ by this part.
  void set_disagreement(double part) { disagreement_ = part; }

  /// Standard deviation of a single sample, relative to its kernel's time. A tenth while little is known.
  double spread() const;

  /// For a candidate that is compared with `best_ns`; the reference gets enough samples to make a start with the noise.
  ScreenPolicy screen_policy(bool early_kill, std::optional<double> best_ns) const;
  static ScreenPolicy reference_policy(bool early_kill);
  /// The same where another program is at work on the GPU, see interruptions.hpp.
  ScreenPolicy interrupted_policy(bool early_kill, std::optional<double> best_ns) const;
  FinalistPolicy finalist_policy() const;

 private:
  // Differences of the logarithms of successive samples. The first sample of a candidate is a per cent or two longer
  // than the others, so its differences stand apart.
  std::vector<double> first_, later_;
  double disagreement_ = 0;
};

/// How many launches make one sample of a race whose fastest candidate takes this long: the events' clock, and what it
/// takes to start a launch, blur kernels of a few microseconds.
int launches_per_sample(double best_ns);

}  // namespace tuner::engine
