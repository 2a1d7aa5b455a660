#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tuner::engine {

/// How the lane learned that a worker was lost.
enum class LossCause {
  fault,  ///< it said that its context is dead or its data damaged, and ended
  hang,   ///< it said that a launch does not end, and was ended
  ended,  ///< it ended without a word: killed, or gone down with the driver
  mute,   ///< it said nothing until its time was up
};
std::string_view to_string(LossCause cause);

struct WorkerLoss {
  LossCause cause = LossCause::ended;
  bool preparing = false;    ///< no candidate's doing: it was starting, or being brought to where the one before was
  bool spare_ready = false;  ///< a worker with a context stood by
  /// From knowing of the loss until another worker could take the next request; nothing while that is not so.
  std::optional<double> recovery_ms;
};

/// What a lane's workers went through. All times are seconds since the lane was made.
struct DeviceLaneStatistics {
  std::vector<WorkerLoss> losses;  ///< of workers that were in use, in order
  int spares_started = 0;
  int spares_ready = 0;  ///< that stand by now
  int spares_lost = 0;   ///< before they were needed
  int second_runs = 0;   ///< requests that were given to another worker because one was lost over them
  int innocent = 0;      ///< of these, how many then succeeded
};

}  // namespace tuner::engine
