#include "tuner/engine/session/stored_answer.hpp"

#include <utility>

#include "tuner/core/base/timing_text.hpp"
#include "tuner/core/task/identity.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

std::optional<cache::Decision> stored_answer(const Task& task, const SessionOptions& options,
                                             const SessionParts& parts) {
  const bool may_answer = options.takes_stored && options.effort && options.reuse &&
                          options.origin == cache::Origin::measured && options.early_kill && options.hints.empty() &&
                          task.where().empty();
  if (!may_answer) return std::nullopt;
  try {
    std::optional<cache::Decision> decision = parts.store.find_decision(task.key(to_string(options.mode)));
    if (!decision || !decision->effort || *decision->effort <= *options.effort) return std::nullopt;
    if (decision->origin != cache::Origin::measured || decision->reuse_hash != task.reuse_hash()) return std::nullopt;
    if (decision->conditions.driver != task.device().driver_version) return std::nullopt;
    if (decision->space_hash != space_hash(task.space())) return std::nullopt;
    static_cast<void>(task.space().parse(decision->configuration));
    return decision;
  } catch (const Error&) {
    return std::nullopt;  // whatever cannot be read is searched for
  }
}

TuneReport stored_report(const Task& task, const SessionOptions& options, cache::Decision decision) {
  TuneReport report;
  report.kernel = task.description().kernel;
  report.file = task.description().file.string();
  report.problem = problem_text(task.problem());
  report.device = task.device().name;
  report.mode = to_string(options.mode);
  report.session = decision.session;
  report.effort = options.effort;
  report.from_store = true;
  report.space_size = task.space().size();
  report.cartesian_size = task.space().cartesian_size();
  report.stopped_because = decision.stopped_because;
  const search::Configuration winner = task.space().parse(decision.configuration);  // stored_answer did
  const double seconds = decision.time_ns / 1e9;
  if (const auto bytes = task.work_bytes(winner)) report.bytes_per_second = *bytes / seconds;
  if (const auto flops = task.work_flops(winner)) report.flops_per_second = *flops / seconds;
  report.decision = std::move(decision);
  return report;
}

}  // namespace tuner::engine
