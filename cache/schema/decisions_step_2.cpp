#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

// `decision` and its two children are built anew rather than altered, so that `.schema` shows every column with its
// comment. The children go first: dropping a table deletes its rows, and with them those that refer to it.
const char* const kDecisionsStep2 = R"sql(
DROP VIEW v_stale;
DROP VIEW v_best;

CREATE TABLE new_decision (
  -- What a session concluded for a task. The newest row of a task (the greatest decision_id) is the one that is served,
  -- unless it was forgotten; the others are its history.
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
  verified         INTEGER NOT NULL CHECK (verified IN (0, 1)),   -- reproduced the reference on fresh inputs
  awkward_sizes    INTEGER NOT NULL,  -- at how many awkward sizes it did, too; 0: it serves its exact size only
  noisy            INTEGER NOT NULL CHECK (noisy IN (0, 1)),      -- the device was disturbed while it was measured
  contended        INTEGER NOT NULL CHECK (contended IN (0, 1)),  -- other processes computed on the device meanwhile
  binary_hash      TEXT NOT NULL,     -- XXH3-128 of the winner's binary, hexadecimal
  launch           TEXT NOT NULL,     -- grid=528x1x1 block=128x1x1 shared=0
  created_unix_ms  INTEGER NOT NULL   -- milliseconds since 1970-01-01 UTC
) STRICT;
INSERT INTO new_decision SELECT decision_id, run_id, configuration, baseline, time_ns, baseline_time_ns, speedup,
  speedup_low, speedup_high, confidence, race_blocks, verified, 0, noisy, 0, binary_hash, launch, created_unix_ms
  FROM decision;

CREATE TABLE new_decision_tie (
  -- The finalists that the race could not show to be slower than its leader by more than the threshold; the winner,
  -- which need not be the leader, is one of them.
  decision_id   INTEGER NOT NULL REFERENCES new_decision ON DELETE CASCADE,
  position      INTEGER NOT NULL,  -- from 0, as the race ordered them
  configuration TEXT NOT NULL,
  relative_time REAL NOT NULL,     -- its time / the winner's, paired
  PRIMARY KEY (decision_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO new_decision_tie SELECT decision_id, position, configuration, relative_time FROM decision_tie;

CREATE TABLE new_decision_counter (
  -- How many configurations the session asked for, compiled, deduplicated, launched, stored, and lost to each failure.
  decision_id INTEGER NOT NULL REFERENCES new_decision ON DELETE CASCADE,
  name        TEXT NOT NULL,
  value       INTEGER NOT NULL,
  PRIMARY KEY (decision_id, name)
) STRICT, WITHOUT ROWID;
INSERT INTO new_decision_counter SELECT decision_id, name, value FROM decision_counter;

DROP TABLE decision_tie;
DROP TABLE decision_counter;
DROP TABLE decision;
ALTER TABLE new_decision RENAME TO decision;
ALTER TABLE new_decision_tie RENAME TO decision_tie;
ALTER TABLE new_decision_counter RENAME TO decision_counter;
CREATE INDEX decision_by_run ON decision (run_id);

CREATE TABLE quarantine (
  -- Binaries that killed the process or hung the device that ran them, and did so again when tried alone. They are not
  -- launched on the same problem, kind of device and driver again, in no mode, until they are forgotten.
  quarantine_id   INTEGER PRIMARY KEY,
  task_id         INTEGER NOT NULL REFERENCES task,
  binary_hash     TEXT NOT NULL,     -- XXH3-128 of the compiled binary, hexadecimal
  launch          TEXT NOT NULL,     -- its launch, the lengths of scratch buffers included
  driver          TEXT NOT NULL,     -- version of the driver
  configuration   TEXT NOT NULL,     -- whose binary it is; others may be compiled to the same
  outcome         INTEGER NOT NULL REFERENCES outcome,
  message         TEXT NOT NULL,     -- what it did
  launch_timeout_ms INTEGER,         -- a hang: how long its launch was given; with a longer limit it is tried again
  session         TEXT NOT NULL,
  created_unix_ms INTEGER NOT NULL   -- milliseconds since 1970-01-01 UTC
) STRICT;
CREATE INDEX quarantine_by_task ON quarantine (task_id);

CREATE TABLE forgotten (
  -- What `tuner forget` was told: of this task the rows up to these (0: none) are history. They are not served, not
  -- reused and not in force any more; they are never deleted, and nor are these marks.
  forgotten_id    INTEGER PRIMARY KEY,
  task_id         INTEGER NOT NULL REFERENCES task,
  decision_id     INTEGER NOT NULL,
  trial_id        INTEGER NOT NULL,
  quarantine_id   INTEGER NOT NULL,
  created_unix_ms INTEGER NOT NULL   -- milliseconds since 1970-01-01 UTC
) STRICT;
CREATE INDEX forgotten_by_task ON forgotten (task_id);

CREATE VIEW v_best AS
  -- One row a task: the decision that is served. A task whose newest decision was forgotten has none.
  SELECT task.kernel_name AS kernel, task.problem, task.device, task.mode, task.objective,
         decision.configuration, decision.time_ns,
         decision.baseline, decision.baseline_time_ns,
         decision.speedup, decision.speedup_low, decision.speedup_high, decision.confidence,
         (SELECT count(*) FROM decision_tie AS tie WHERE tie.decision_id = decision.decision_id) AS tied,
         decision.verified, decision.awkward_sizes, decision.noisy, decision.contended, decision.race_blocks,
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

CREATE VIEW v_latest AS
  -- The trials that count: of each task and configuration the one recorded last, whichever session made it; forgotten
  -- ones are left out.
  SELECT * FROM v_trials
  WHERE trial_id IN (SELECT max(t.trial_id) FROM trial AS t JOIN run AS r USING (run_id)
                     WHERE t.trial_id > (SELECT ifnull(max(f.trial_id), 0) FROM forgotten AS f
                                         WHERE f.task_id = r.task_id)
                     GROUP BY r.task_id, t.configuration);

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

CREATE VIEW v_quarantine AS
  -- The binaries that are not launched again, until `tuner forget`.
  SELECT task.kernel_name AS kernel, task.problem, task.device, task.mode, task.objective,
         quarantine.configuration, outcome.name AS class, quarantine.message, quarantine.launch, quarantine.binary_hash,
         quarantine.session, quarantine.driver,
         strftime('%Y-%m-%dT%H:%M:%fZ', quarantine.created_unix_ms / 1000.0, 'unixepoch') AS created_utc,
         task.kernel_identity, quarantine.quarantine_id
  FROM quarantine
  JOIN task USING (task_id)
  JOIN outcome USING (outcome)
  WHERE quarantine.quarantine_id > (SELECT ifnull(max(f.quarantine_id), 0) FROM forgotten AS f
                                    WHERE f.task_id = task.task_id)
  ORDER BY quarantine.quarantine_id;
)sql";

}  // namespace tuner::cache
