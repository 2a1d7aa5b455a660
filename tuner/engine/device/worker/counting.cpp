#include "tuner/engine/device/worker/counting.hpp"

#include "tuner/engine/counters/range_counter.hpp"

namespace tuner::engine {

Verdict count_launches(LoadedKernel& kernel, std::span<const std::string> metrics, Sampler& sampler, WorkStream& stream,
                       CountResult& result) {
  // Before there is a profiler, which waits inside the driver: a launch that faults or never ends is noticed as any
  // other is. It also meets the pages that nobody has touched yet.
  double nanoseconds = 0;
  if (Verdict verdict = sampler.sample(kernel, 1, nanoseconds); !verdict.ok()) return verdict;
  try {
    RangeCounter counter(metrics);
    do {
      Verdict verdict = sampler.launch_alone(kernel, [&] { counter.begin_pass(); });
      if (!verdict.ok()) return verdict;
    } while (!counter.end_pass());
    result.counters = counter.values();
    result.passes = counter.passes();
  } catch (const CountingRefused& refusal) {
    result = {.refused = refusal.what()};
    stream.wait(kOwnWorkLimit);  // if the context has died, that is the reason
  }
  return {};
}

}  // namespace tuner::engine
