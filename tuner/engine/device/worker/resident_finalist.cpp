#include "tuner/engine/device/worker/resident_finalist.hpp"

#include <fmt/format.h>

namespace tuner::engine {
namespace {

Verdict use(ResidentFinalist& finalist, int launches, const RecheckTools& tools) {
  const int before = tools.launches();
  Verdict verdict = tools.sampler.use(finalist.kernel, launches, kLongUse);
  finalist.launches += tools.launches() - before;
  return verdict;
}

/// Twice, a launch apart: a module that is at every second launch as it was when loaded is not taken for one that never
/// changes.
Verdict look_at_globals(ResidentFinalist& finalist, const RecheckTools& tools) {
  if (finalist.globals.empty() || finalist.changes_globals) return {};
  finalist.changes_globals = finalist.globals.changed(tools.support);
  if (finalist.changes_globals) return {};
  if (Verdict verdict = use(finalist, 1, tools); !verdict.ok()) return verdict;
  finalist.changes_globals = finalist.globals.changed(tools.support);
  return {};
}

Verdict verify(ResidentFinalist& finalist, const RecheckTools& tools) {
  const int before = tools.launches();
  const int launches = finalist.launches;
  Verdict verdict = tools.runner.verify_where_timed(finalist.kernel);
  if (Verdict found = tools.runner.inspect(); !found.ok()) verdict = std::move(found);
  finalist.launches += tools.launches() - before;
  if (verdict.ok()) {
    finalist.right_after = finalist.launches;
    return verdict;
  }
  return {verdict.outcome, fmt::format("It was correct when it was loaded, but not after {} launches: {} Its output "
                                       "must not depend on earlier launches (a __device__ variable?).",
                                       launches, verdict.message)};
}

}  // namespace

Verdict recheck(ResidentFinalist& finalist, const RecheckFinalist& request, const RecheckTools& tools) {
  const bool known = finalist.right_after > 0 && finalist.right_after == finalist.launches;
  const bool used_enough = !request.wins || !finalist.changes_globals || finalist.used_long;
  if (known && used_enough && finalist.launches >= request.launches) return {};
  if (Verdict verdict = tools.buffers.resize_scratch(finalist.kernel.scratch_lengths); !verdict.ok()) return verdict;
  // What other finalists did to the buffers while they were timed is mended first, and not this one's fault.
  tools.runner.inspect();
  if (tools.runner.damaged()) {
    return {Outcome::worker_lost,
            "The reference outputs changed during the race, and any finalist may have changed them."};
  }
  if (Verdict verdict = use(finalist, request.launches - finalist.launches, tools); !verdict.ok()) return verdict;
  if (Verdict verdict = look_at_globals(finalist, tools); !verdict.ok()) return verdict;
  // Once is enough, and what is launched afterwards, in blocks, is checked as for any other.
  if (request.wins && finalist.changes_globals && !finalist.used_long) {
    if (Verdict verdict = use(finalist, kLongUseLaunches, tools); !verdict.ok()) return verdict;
    finalist.used_long = true;
  }
  return verify(finalist, tools);
}

}  // namespace tuner::engine
