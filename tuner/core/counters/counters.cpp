#include "tuner/core/counters/counters.hpp"

#include <array>

namespace tuner {

std::span<const std::string_view> counter_names() {
  using namespace counter;
  static constexpr std::array kAll{
      kLongScoreboard,
      kShortScoreboard,
      kLgThrottle,
      kMioThrottle,
      kMathPipeThrottle,
      kBarrier,
      kWait,
      kNotSelected,
      kNoInstruction,
      kDrain,
      kWarpLatency,
      kIssueActive,
      kWarpsEligible,
      kOccupancy,
      kThreadsPerInstruction,
      kThreadsNotPredicatedOff,
      kSmThroughput,
      kDramThroughput,
      kFp64Pipe,
      kFmaPipe,
      kXuPipe,
      kLsuPipe,
      kInstructions,
      kLocalLoads,
      kLocalStores,
      kGlobalLoadRequests,
      kGlobalLoadSectors,
      kGlobalStoreRequests,
      kGlobalStoreSectors,
      kAtomicRequests,
      kAtomicResultRequests,
      kL2AtomicSectors,
      kL1HitRate,
      kL2HitRate,
      kDramRead,
      kDramWritten,
      kL1ToL2Written,
      kSharedLoadConflicts,
      kSharedStoreConflicts,
      kSharedAtomicConflicts,
      kSharedWavefronts,
  };
  return kAll;
}

}  // namespace tuner
