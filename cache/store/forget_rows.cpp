#include "cache/store/rows.hpp"
#include "cache/store/served_store.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

/// The rows of one table that belong to a task and count: how many there are, and the last of them.
struct Counting {
  std::int64_t count = 0;
  std::int64_t last = 0;  ///< 0: none
};

Counting counting(sqlite::Statement& select, std::int64_t task_id, bool wanted) {
  if (!wanted || !select.bind(task_id).step()) return {};
  return {select.integer(0), select.integer(1)};
}

}  // namespace

std::vector<Forgotten> forget_rows(const sqlite::Connection& connection, const std::vector<Filter>& filters,
                                   Forget what) {
  sqlite::Statement tasks(connection,
                          "SELECT task_id FROM task WHERE (?1 = '' OR kernel_name = ?1) AND (?2 = '' OR problem = ?2) "
                          "AND (?3 = '' OR device = ?3)");
  sqlite::Statement decisions(
      connection,
      "SELECT count(*), ifnull(max(decision_id), 0) FROM run JOIN decision USING (run_id) WHERE task_id = ?1 "
      "AND decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f WHERE f.task_id = ?1)");
  sqlite::Statement trials(
      connection,
      "SELECT count(*), ifnull(max(trial_id), 0) FROM run JOIN trial USING (run_id) WHERE task_id = ?1 "
      "AND trial_id > (SELECT ifnull(max(f.trial_id), 0) FROM forgotten AS f WHERE f.task_id = ?1)");
  sqlite::Statement quarantined(
      connection,
      "SELECT count(*), ifnull(max(quarantine_id), 0) FROM quarantine WHERE task_id = ?1 "
      "AND quarantine_id > (SELECT ifnull(max(f.quarantine_id), 0) FROM forgotten AS f WHERE f.task_id = ?1)");
  sqlite::Statement mark(connection,
                         "INSERT INTO forgotten (task_id, decision_id, trial_id, quarantine_id, created_unix_ms) "
                         "VALUES (?1, ?2, ?3, ?4, ?5)");
  const auto wanted = [&](Forget kind) { return what == Forget::everything || what == kind; };

  if (wanted(Forget::decisions)) drop_served(connection, filters);
  const auto forget_task = [&](std::int64_t task_id, Forgotten& forgotten) {
    const Counting of_decisions = counting(decisions, task_id, wanted(Forget::decisions));
    const Counting of_trials = counting(trials, task_id, wanted(Forget::trials));
    const Counting of_quarantine = counting(quarantined, task_id, wanted(Forget::quarantine));
    if (of_decisions.count + of_trials.count + of_quarantine.count == 0) return;
    // A task serves one decision; those before it were history already.
    forgotten.decisions += of_decisions.count > 0 ? 1 : 0;
    forgotten.trials += of_trials.count;
    forgotten.quarantined += of_quarantine.count;
    mark.bind(task_id, of_decisions.last, of_trials.last, of_quarantine.last, now_unix_ms()).run();
  };
  std::vector<Forgotten> all;
  for (const Filter& filter : filters) {
    std::vector<std::int64_t> task_ids;
    tasks.bind(filter.kernel_name, filter.problem, filter.device);
    while (tasks.step()) task_ids.push_back(tasks.integer(0));
    Forgotten& forgotten = all.emplace_back();
    for (const std::int64_t task_id : task_ids) forget_task(task_id, forgotten);
  }
  return all;
}

}  // namespace tuner::cache
