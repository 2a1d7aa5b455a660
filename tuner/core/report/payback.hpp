#pragma once

#include <optional>
#include <string>

#include "cache/records/decision.hpp"

namespace tuner {

/// After how many launches what tuning took has been won back.
struct Payback {
  double tuning_s = 0;
  std::optional<double> launches;  ///< nothing where the winner is not even estimated to be faster
  /// From the interval of the speed-up. `most` is missing where that includes 1: it is not known to pay. Both are where
  /// the uncertainty is not known.
  std::optional<double> fewest, most;
  bool doubtful = false;  ///< the interval includes 1
};

/// What tuning took divided by what a launch of the winner saves. Nothing where that says nothing: the baseline itself
/// won, no speed-up is known, or nothing was measured here.
std::optional<Payback> payback(const cache::Decision& decision, double tuning_s);

/// The same for a decision of the store, which counts `tuning_ms`; nothing if it does not.
std::optional<Payback> stored_payback(const cache::Decision& decision);
inline constexpr const char* kTuningCounter = "tuning_ms";

/// "after 68,800 launches (68,400 to 69,100); tuning took 12.8 s", or that it is not known to.
std::string payback_text(const Payback& payback);

}  // namespace tuner
