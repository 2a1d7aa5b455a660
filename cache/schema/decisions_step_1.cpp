#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

const char* const kDecisionsStep1 = R"sql(
CREATE TABLE outcome (
  -- How the life of a configuration can end. The numbers are never changed; later versions may append.
  outcome INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO outcome (outcome, name) VALUES
  (0, 'ok'), (1, 'compile_error'), (2, 'compile_timeout'), (3, 'launch_refused'), (4, 'illegal_access'),
  (5, 'guard_violation'), (6, 'input_modified'), (7, 'wrong_result'), (8, 'unwritten_output'), (9, 'nondeterministic'),
  (10, 'run_timeout'), (11, 'out_of_memory'), (12, 'worker_lost');

CREATE TABLE origin (
  -- Where a row came from. The numbers are never changed; later versions may append.
  origin INTEGER PRIMARY KEY,
  name   TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO origin (origin, name) VALUES (0, 'measured'), (1, 'imported'), (2, 'replay');

CREATE TABLE task (
  -- What can be tuned: one kernel on one problem on one device, timed one way. A task is the key of a decision.
  task_id         INTEGER PRIMARY KEY,
  key_hash        TEXT NOT NULL,  -- XXH3-128 of key_text, hexadecimal
  key_text        TEXT NOT NULL,  -- the six parts below, joined; equal texts mean equal keys
  kernel_name     TEXT NOT NULL,
  kernel_identity TEXT NOT NULL,  -- name and hashes of the kernel's source text and of its own headers
  problem         TEXT NOT NULL,  -- row_length=65536,rows=528
  device          TEXT NOT NULL,  -- canonical identity of the kind of device
  mode            TEXT NOT NULL,  -- cold or warm: the state of the L2 cache when a sample begins
  objective       TEXT NOT NULL,  -- time
  UNIQUE (key_hash, key_text)
) STRICT;

CREATE TABLE run (
  -- One session's work on one task under one set of conditions: what its trials and decisions have in common.
  run_id        INTEGER PRIMARY KEY,
  task_id       INTEGER NOT NULL REFERENCES task,
  session       TEXT NOT NULL,     -- identifies one start of the tuner
  reuse_hash    TEXT NOT NULL,     -- hash of signature, generators and tolerances; other trials may not be reused
  tuner_version TEXT NOT NULL,
  toolkit       TEXT NOT NULL,     -- version of NVRTC; empty if nothing was compiled
  driver        TEXT NOT NULL,     -- version of the driver; empty if there was none
  origin        INTEGER NOT NULL REFERENCES origin,
  UNIQUE (task_id, session, reuse_hash, tuner_version, toolkit, driver, origin)
) STRICT;

CREATE TABLE trial (
  -- One finished configuration, successful or not. Rows are only ever added.
  trial_id             INTEGER PRIMARY KEY,
  run_id               INTEGER NOT NULL REFERENCES run,
  sequence             INTEGER NOT NULL,  -- position in the session, from 0
  configuration        TEXT NOT NULL,     -- canonical text
  outcome              INTEGER NOT NULL REFERENCES outcome,
  message              TEXT NOT NULL,     -- why it failed
  censored             INTEGER NOT NULL CHECK (censored IN (0, 1)),  -- stopped early: time_ns is a lower bound
  time_ns              REAL,              -- median of samples_ns
  samples_ns           TEXT NOT NULL CHECK (samples_ns LIKE '[%]'),  -- JSON array in the order taken, no spaces
  registers            INTEGER,           -- a thread
  stack_bytes          INTEGER,           -- a thread
  spill_store_bytes    INTEGER,           -- a thread
  spill_load_bytes     INTEGER,           -- a thread
  static_shared_bytes  INTEGER,           -- a block
  dynamic_shared_bytes INTEGER,           -- a block
  occupancy            REAL,              -- resident warps / maximum, 0..1
  occupancy_limiter    TEXT NOT NULL,     -- registers, shared, warps or blocks
  binary_hash          TEXT NOT NULL,     -- XXH3-128 of the compiled binary, hexadecimal
  launch               TEXT NOT NULL,     -- grid=528x1x1 block=128x1x1 shared=0
  duplicate_of         TEXT NOT NULL,     -- the configuration whose identical binary was timed instead
  compile_ms           REAL NOT NULL,     -- where the time went: host time
  verify_ms            REAL NOT NULL,
  timing_ms            REAL NOT NULL,
  created_unix_ms      INTEGER NOT NULL   -- milliseconds since 1970-01-01 UTC
) STRICT;
CREATE INDEX trial_by_run ON trial (run_id);

CREATE TABLE decision (
  -- What a session concluded for a task. The newest row of a task (the greatest decision_id) is the one that is served;
  -- the others are its history.
  decision_id      INTEGER PRIMARY KEY,
  run_id           INTEGER NOT NULL REFERENCES run,
  configuration    TEXT NOT NULL,     -- the winner, canonical text
  baseline         TEXT NOT NULL,     -- what it is compared with, canonical text
  time_ns          REAL NOT NULL,
  baseline_time_ns REAL,
  speedup          REAL,              -- baseline time / winner's time, paired
  speedup_low      REAL,              -- its confidence interval
  speedup_high     REAL,
  confidence       REAL NOT NULL,     -- level of that interval, 0.99 say
  race_blocks      INTEGER NOT NULL,  -- blocks of the final race that counted
  verified         INTEGER NOT NULL CHECK (verified IN (0, 1)),  -- reproduced the reference on fresh inputs
  noisy            INTEGER NOT NULL CHECK (noisy IN (0, 1)),     -- the device was disturbed while it was measured
  binary_hash      TEXT NOT NULL,     -- XXH3-128 of the winner's binary, hexadecimal
  launch           TEXT NOT NULL,     -- grid=528x1x1 block=128x1x1 shared=0
  created_unix_ms  INTEGER NOT NULL   -- milliseconds since 1970-01-01 UTC
) STRICT;
CREATE INDEX decision_by_run ON decision (run_id);

CREATE TABLE decision_tie (
  -- The finalists that the race could not show to be slower than the winner by more than the threshold, the winner included.
  decision_id   INTEGER NOT NULL REFERENCES decision ON DELETE CASCADE,
  position      INTEGER NOT NULL,  -- from 0, as the race ordered them
  configuration TEXT NOT NULL,
  relative_time REAL NOT NULL,     -- its time / the winner's, paired
  PRIMARY KEY (decision_id, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE decision_counter (
  -- How many configurations the session asked for, compiled, deduplicated, launched, stored, and lost to each failure.
  decision_id INTEGER NOT NULL REFERENCES decision ON DELETE CASCADE,
  name        TEXT NOT NULL,
  value       INTEGER NOT NULL,
  PRIMARY KEY (decision_id, name)
) STRICT, WITHOUT ROWID;

CREATE VIEW v_best AS
  -- One row a task: the decision that is served.
  SELECT task.kernel_name AS kernel, task.problem, task.device, task.mode, task.objective,
         decision.configuration, decision.time_ns,
         decision.baseline, decision.baseline_time_ns,
         decision.speedup, decision.speedup_low, decision.speedup_high, decision.confidence,
         (SELECT count(*) FROM decision_tie AS tie WHERE tie.decision_id = decision.decision_id) AS tied,
         decision.verified, decision.noisy, decision.race_blocks,
         decision.launch, decision.binary_hash,
         origin.name AS origin, run.session, run.tuner_version, run.toolkit, run.driver,
         strftime('%Y-%m-%dT%H:%M:%fZ', decision.created_unix_ms / 1000.0, 'unixepoch') AS created_utc,
         task.kernel_identity, decision.decision_id
  FROM decision
  JOIN run USING (run_id)
  JOIN task USING (task_id)
  JOIN origin USING (origin)
  WHERE decision.decision_id IN (SELECT max(d.decision_id) FROM decision AS d JOIN run AS r USING (run_id)
                                 GROUP BY r.task_id);

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
         trial.binary_hash, trial.compile_ms, trial.verify_ms, trial.timing_ms,
         origin.name AS origin, run.tuner_version, run.toolkit, run.driver,
         strftime('%Y-%m-%dT%H:%M:%fZ', trial.created_unix_ms / 1000.0, 'unixepoch') AS created_utc,
         task.kernel_identity, trial.trial_id
  FROM trial
  JOIN run USING (run_id)
  JOIN task USING (task_id)
  JOIN outcome USING (outcome)
  JOIN origin USING (origin)
  ORDER BY trial.trial_id;

CREATE VIEW v_failures AS
  -- The trials that did not end well, with the class of the failure in words and its reason.
  SELECT kernel, problem, device, mode, objective, session, sequence, configuration,
         outcome AS class, message, launch, binary_hash,
         origin, tuner_version, toolkit, driver, created_utc, kernel_identity, trial_id
  FROM v_trials
  WHERE outcome <> 'ok';

CREATE VIEW v_stale AS
  -- The decisions that are served although the toolkit or the driver has changed since: those that differ from the last
  -- ones that were measured with on the same kind of device. Still valid; first in line to be tuned again.
  -- (Where max() picks a row, SQLite takes the other columns from that row.)
  WITH newest_toolkit AS (
    SELECT task.device, run.toolkit, max(run.run_id) FROM run JOIN task USING (task_id)
    WHERE run.origin = 0 AND run.toolkit <> '' GROUP BY task.device
  ), newest_driver AS (
    SELECT task.device, run.driver, max(run.run_id) FROM run JOIN task USING (task_id)
    WHERE run.origin = 0 AND run.driver <> '' GROUP BY task.device
  )
  SELECT best.kernel, best.problem, best.device, best.mode, best.objective, best.configuration, best.time_ns,
         best.toolkit, newest_toolkit.toolkit AS newest_toolkit, best.driver, newest_driver.driver AS newest_driver,
         best.origin, best.session, best.tuner_version, best.created_utc, best.kernel_identity, best.decision_id
  FROM v_best AS best
  LEFT JOIN newest_toolkit USING (device)
  LEFT JOIN newest_driver USING (device)
  WHERE (best.toolkit <> '' AND best.toolkit <> newest_toolkit.toolkit)
     OR (best.driver <> '' AND best.driver <> newest_driver.driver);
)sql";

}  // namespace tuner::cache
