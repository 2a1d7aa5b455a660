#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

// See step 4. Views are texts: v_latest and v_failures read the new v_trials.
const char* const kDecisionsStep7 = R"sql(
ALTER TABLE trial ADD COLUMN
  gpu TEXT NOT NULL DEFAULT ''  /* UUID of the GPU that ran it; empty: none did, or unknown */;

DROP VIEW IF EXISTS v_trials;
CREATE VIEW v_trials AS
  -- One row a trial, successful or not, in the order recorded.
  SELECT task.kernel_name AS kernel, task.problem, task.device, task.mode, task.objective,
         run.session, trial.sequence, trial.configuration,
         outcome.name AS outcome, trial.message, trial.censored, trial.time_ns,
         length(trial.samples_ns) - length(replace(trial.samples_ns, ',', '')) + (trial.samples_ns <> '[]') AS sample_count,
         trial.samples_ns,
         trial.duplicate_of, trial.launch,
         trial.registers, trial.stack_bytes, trial.spill_store_bytes, trial.spill_load_bytes,
         trial.static_shared_bytes, trial.dynamic_shared_bytes, trial.occupancy, trial.occupancy_limiter,
         trial.binary_hash, trial.gpu, trial.compile_ms, trial.verify_ms, trial.timing_ms,
         origin.name AS origin, run.tuner_version, run.toolkit, run.driver,
         strftime('%Y-%m-%dT%H:%M:%fZ', trial.created_unix_ms / 1000.0, 'unixepoch') AS created_utc,
         task.kernel_identity, trial.trial_id
  FROM trial
  JOIN run USING (run_id)
  JOIN task USING (task_id)
  JOIN outcome USING (outcome)
  JOIN origin USING (origin)
  ORDER BY trial.trial_id;
)sql";

}  // namespace tuner::cache
