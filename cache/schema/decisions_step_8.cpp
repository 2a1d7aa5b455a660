#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

// Of several rows of a group SQLite takes the columns from the one with the largest decision_id.
const char* const kDecisionsStep8 = R"sql(
CREATE VIEW v_sizes AS
  -- One row for a kernel on a kind of GPU: what is known of it over all its problems, as JSON. None if the decision that
  -- it belongs to was forgotten.
  SELECT task.kernel_name AS kernel, task.device, task.mode, task.objective, text.text AS sizes,
         origin.name AS origin, run.session, run.tuner_version, run.toolkit, run.driver,
         strftime('%Y-%m-%dT%H:%M:%fZ', decision.created_unix_ms / 1000.0, 'unixepoch') AS created_utc,
         task.kernel_identity, max(decision.decision_id) AS decision_id
  FROM decision_text
  JOIN text USING (text_id)
  JOIN decision USING (decision_id)
  JOIN run USING (run_id)
  JOIN task USING (task_id)
  JOIN origin USING (origin)
  WHERE decision_text.kind = 'sizes' AND decision_text.name = ''
    AND decision.decision_id > (SELECT ifnull(max(f.decision_id), 0) FROM forgotten AS f
                                WHERE f.task_id = task.task_id)
  GROUP BY task.kernel_identity, task.device, task.mode, task.objective;
)sql";

}  // namespace tuner::cache
