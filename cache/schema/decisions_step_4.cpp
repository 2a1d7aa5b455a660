#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

// Columns are added rather than the table built anew, so that no row is copied and what refers to it stays. SQLite
// keeps the comments that are before the end of each statement. Views are texts: v_stale reads the new v_best.
const char* const kDecisionsStep4 = R"sql(
ALTER TABLE decision ADD COLUMN
  effort TEXT CHECK (effort IN ('quick', 'normal', 'full'))  /* how thoroughly the space was searched; NULL: unknown */;
ALTER TABLE decision ADD COLUMN
  evaluated INTEGER  /* configurations that the search asked for; NULL: unknown */;
ALTER TABLE decision ADD COLUMN
  space_size INTEGER  /* valid configurations of the space that was searched; NULL: unknown */;
ALTER TABLE decision ADD COLUMN
  space_hash TEXT NOT NULL DEFAULT ''  /* XXH3-128 of its parameters, values and constraints; empty: unknown */;
ALTER TABLE decision ADD COLUMN
  stopped_because TEXT NOT NULL DEFAULT ''  /* what ended the search before the whole space; empty: nothing, or unknown */;

DROP VIEW IF EXISTS v_best;
CREATE VIEW v_best AS
  -- One row a task: the decision that is served. A task whose newest decision was forgotten has none.
  SELECT task.kernel_name AS kernel, task.problem, task.device, task.mode, task.objective,
         decision.configuration, decision.time_ns,
         decision.baseline, decision.baseline_time_ns,
         decision.speedup, decision.speedup_low, decision.speedup_high, decision.confidence,
         (SELECT count(*) FROM decision_tie AS tie WHERE tie.decision_id = decision.decision_id) AS tied,
         decision.verified, decision.awkward_sizes, decision.noisy, decision.contended, decision.race_blocks,
         decision.effort, decision.evaluated, decision.space_size, decision.stopped_because,
         decision.launch, decision.binary_hash,
         origin.name AS origin, run.session, run.tuner_version, run.toolkit, run.driver,
         strftime('%Y-%m-%dT%H:%M:%fZ', decision.created_unix_ms / 1000.0, 'unixepoch') AS created_utc,
         task.kernel_identity, decision.decision_id
  FROM decision
  JOIN run USING (run_id)
  JOIN task USING (task_id)
  JOIN origin USING (origin)
  WHERE decision.decision_id IN (SELECT max(d.decision_id) FROM decision AS d JOIN run AS r USING (run_id)
                                 GROUP BY r.task_id)
    AND decision.decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f
                                WHERE f.task_id = task.task_id);
)sql";

}  // namespace tuner::cache
