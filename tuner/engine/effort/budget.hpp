#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace tuner::engine {

/// When to stop asking for more configurations: whichever comes first; nothing set means the whole space.
struct Budget {
  std::optional<std::uint64_t> evaluations = {};
  std::optional<std::chrono::milliseconds> time = {};
  std::optional<double> share = {};           ///< of the space, above 0, at most 1
  std::optional<double> target_ns = {};       ///< until one takes at most so long
  std::optional<double> target_speedup = {};  ///< until one is so many times as fast as the baseline
  std::optional<double> roofline = {};        ///< until one reaches this share of the roofline, above 0, at most 1
  std::optional<std::uint64_t> idle = {};     ///< until so many in a row were not faster than the best before them
  double idle_gain = 0;                       ///< 0.01: for `idle`, faster by less than 1 % is not faster
  std::uint64_t least_for_idle = 0;           ///< `idle` ends no search of fewer configurations
  /// Until going on for as long again is expected to make the best faster by less than this: 0.02 is 2 %.
  std::optional<double> gain = {};
  /// Until what is believed left no longer pays: StopRules::spend says by what. Until then `evaluations` counts.
  bool weighs = false;

  /// "200", "60s", "5min", "250ms", "10%", or several of these with commas between. Throws Error{bad_usage}.
  static Budget parse(const std::string& text);
  /// The same, added to what is there: each kind of limit is given once.
  void add(const std::string& text);
  /// "0.21ms", "210us", "1.5x" for a speed-up over the baseline, or "95%" of the roofline. Throws Error{bad_usage}.
  void stop_at(const std::string& text);
  /// "2%". Throws Error{bad_usage}.
  void stop_when_gain_below(const std::string& text);
};

}  // namespace tuner::engine
