-- The queue of a team's tuning jobs: `tuner fleet` and `tuner pull` work with it (docs/fleet.md). Run once, by a
-- superuser, or by the owner of the database if he may create roles; he owns everything in it then:
--
--     psql --dbname tuner --set ON_ERROR_STOP=1 --file schema.sql
--
-- Nobody else changes a table directly: each role has functions for what it may do, and reads the rows of its teams, of
-- logs only its own.
BEGIN;

-- Roles belong to the server, so another of its databases may have made them.
DO $$
DECLARE
  wanted text;
BEGIN
  FOREACH wanted IN ARRAY ARRAY['tuner_submit', 'tuner_work', 'tuner_read'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
    END IF;
  END LOOP;
END $$;

CREATE SCHEMA tuner_fleet;
GRANT USAGE ON SCHEMA tuner_fleet TO tuner_submit, tuner_work, tuner_read;
SET LOCAL search_path = pg_catalog, tuner_fleet, pg_temp;

-- One row. A change of what clients see is another version.
CREATE TABLE tuner_fleet.about (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  version integer NOT NULL DEFAULT 1,
  lease interval NOT NULL DEFAULT '60 s',  -- a job whose worker is silent for so long is given back
  most_tries integer NOT NULL DEFAULT 3    -- then it is set aside
);
INSERT INTO tuner_fleet.about DEFAULT VALUES;

-- Who belongs to which team: logins of this server. What they may do there are the roles that were granted to them.
CREATE TABLE tuner_fleet.member (
  login name NOT NULL,
  team text NOT NULL CHECK (team <> ''),
  PRIMARY KEY (login, team)
);

-- Sources, headers and data, each once a team, by the hash that the server makes of it.
CREATE TABLE tuner_fleet.content (
  team text NOT NULL,
  hash bytea NOT NULL GENERATED ALWAYS AS (sha256(body)) STORED,
  body bytea NOT NULL CHECK (octet_length(body) <= 268435456),
  PRIMARY KEY (team, hash)
);

CREATE TABLE tuner_fleet.job (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  team text NOT NULL,
  submitter name NOT NULL,
  file text NOT NULL,
  kernel text NOT NULL,
  problem text NOT NULL,
  spec bytea NOT NULL CHECK (octet_length(spec) <= 1048576),
  device text NOT NULL,  -- a part of the GPU's name; empty: any GPU
  priority integer NOT NULL,
  state text NOT NULL DEFAULT 'queued' CHECK (state IN ('queued', 'running', 'done', 'aside', 'cancelled')),
  tries integer NOT NULL DEFAULT 0,
  unfit text[] NOT NULL DEFAULT '{}',  -- hosts whose workers could not work when they had it
  attempt integer NOT NULL DEFAULT 0,  -- grows with every taking; one that a crash undid comes again, with another token
  token uuid,                          -- known to whoever holds the job, and to nobody else
  worker text NOT NULL DEFAULT '',
  heartbeat timestamptz,
  submitted timestamptz NOT NULL DEFAULT now(),
  taken timestamptz,
  finished timestamptz,
  reason text NOT NULL DEFAULT ''
);
CREATE INDEX job_queued ON tuner_fleet.job (priority DESC, id) WHERE state = 'queued';
CREATE INDEX job_running ON tuner_fleet.job (heartbeat) WHERE state = 'running';

-- What was accepted: one attempt a job.
CREATE TABLE tuner_fleet.result (
  job bigint PRIMARY KEY REFERENCES tuner_fleet.job,
  team text NOT NULL,
  attempt integer NOT NULL,
  session text NOT NULL,
  row_count integer NOT NULL,
  accepted timestamptz NOT NULL DEFAULT now()
);

-- Copies of the rows that `tuner export` writes. They count when their attempt is accepted.
CREATE TABLE tuner_fleet.result_row (
  job bigint NOT NULL REFERENCES tuner_fleet.job,
  attempt integer NOT NULL,
  hash bytea NOT NULL,
  team text NOT NULL,
  body bytea NOT NULL CHECK (octet_length(body) <= 67108864),
  PRIMARY KEY (job, attempt, hash)
);

-- What compilers and workers said of a job: for who submitted it.
CREATE TABLE tuner_fleet.log (
  job bigint NOT NULL REFERENCES tuner_fleet.job,
  attempt integer NOT NULL,
  submitter name NOT NULL,
  body bytea NOT NULL CHECK (octet_length(body) <= 1048576),
  PRIMARY KEY (job, attempt)
);

-- The login counts, not what it calls itself by SET ROLE.
CREATE FUNCTION tuner_fleet.my_teams() RETURNS SETOF text
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$ SELECT team FROM tuner_fleet.member WHERE login = session_user $$;

CREATE FUNCTION tuner_fleet.describe(OUT version integer, OUT lease_seconds double precision)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$ SELECT version, extract(epoch FROM lease)::double precision FROM tuner_fleet.about $$;

-- For role submit ---------------------------------------------------------------------------------------------------

-- The team that a submission is for: the one that was named, or the only one.
CREATE FUNCTION tuner_fleet.team_for(p_team text) RETURNS text
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
DECLARE
  teams text[] := ARRAY(SELECT my_teams() ORDER BY 1);
BEGIN
  IF p_team <> '' AND p_team = ANY (teams) THEN RETURN p_team; END IF;
  IF p_team = '' AND cardinality(teams) = 1 THEN RETURN teams[1]; END IF;
  IF cardinality(teams) = 0 THEN
    RAISE EXCEPTION '% is in no team: ask the owner of the queue for a row in tuner_fleet.member', session_user
      USING ERRCODE = 'UT001';
  END IF;
  RAISE EXCEPTION '% is in these teams: %; name one of them with --team', session_user, array_to_string(teams, ', ')
    USING ERRCODE = 'UT001';
END $$;

CREATE FUNCTION tuner_fleet.put_content(p_team text, p_body bytea) RETURNS bytea
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
BEGIN
  INSERT INTO content (team, body) VALUES (team_for(p_team), p_body) ON CONFLICT DO NOTHING;
  RETURN sha256(p_body);
END $$;

CREATE FUNCTION tuner_fleet.submit(p_team text, p_file text, p_kernel text, p_problem text, p_device text,
                                   p_priority integer, p_spec bytea) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
  INSERT INTO job (team, submitter, file, kernel, problem, device, priority, spec)
  VALUES (team_for(p_team), session_user, p_file, p_kernel, p_problem, p_device, p_priority, p_spec) RETURNING id
$$;

-- What the job is afterwards; nothing if it is none of the caller's.
CREATE FUNCTION tuner_fleet.cancel(p_job bigint) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
BEGIN
  UPDATE job SET state = 'cancelled', token = NULL, finished = now()
  WHERE id = p_job AND submitter = session_user AND state IN ('queued', 'running');
  RETURN (SELECT state FROM job WHERE id = p_job AND submitter = session_user);
END $$;

-- For role work -----------------------------------------------------------------------------------------------------

-- Jobs of these teams whose workers are silent. After a start of the server they have a lease's time to come back.
CREATE FUNCTION tuner_fleet.give_back_silent(p_teams text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
  WITH silent AS (
    SELECT id, most_tries FROM job, about
    WHERE state = 'running' AND heartbeat < now() - lease AND pg_postmaster_start_time() < now() - lease
      AND team = ANY (p_teams)
    FOR UPDATE OF job SKIP LOCKED)
  UPDATE job SET
    state = CASE WHEN tries >= most_tries THEN 'aside' ELSE 'queued' END,
    finished = CASE WHEN tries >= most_tries THEN now() END,
    reason = CASE WHEN tries >= most_tries
      THEN format('Each of its %s workers stopped without an answer.', tries) ELSE '' END,
    token = NULL
  FROM silent WHERE job.id = silent.id
$$;

-- It does not wait for the disk: a taking that a crash of the server undoes is as if the worker had been too late, and
-- what it stores later is on the disk only behind its taking.
CREATE FUNCTION tuner_fleet.take(p_worker text, p_device text)
RETURNS TABLE (job bigint, team text, attempt integer, token uuid, spec bytea)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
DECLARE
  teams text[] := ARRAY(SELECT m.team FROM member m WHERE m.login = session_user);
  found bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  -- Plans of plpgsql are kept: calling the function for nothing would cost more than all the rest.
  IF EXISTS (SELECT FROM tuner_fleet.job j, about WHERE j.state = 'running' AND j.heartbeat < now() - lease) THEN
    PERFORM give_back_silent(teams);
  END IF;
  SELECT j.id INTO found FROM tuner_fleet.job j
  WHERE j.state = 'queued' AND j.team = ANY (teams) AND position(lower(j.device) IN lower(p_device)) > 0
  ORDER BY j.priority DESC, j.id LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF found IS NULL THEN RETURN; END IF;
  RETURN QUERY UPDATE tuner_fleet.job j SET
    state = 'running', tries = j.tries + 1, attempt = j.attempt + 1, token = gen_random_uuid(), worker = left(p_worker, 200),
    heartbeat = clock_timestamp(), taken = now()
  WHERE j.id = found RETURNING j.id, j.team, j.attempt, j.token, j.spec;
END $$;

-- How many jobs this worker could take, now or when whoever holds them stops.
CREATE FUNCTION tuner_fleet.count_open(p_device text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
  SELECT count(*) FROM job WHERE state IN ('queued', 'running') AND team IN (SELECT my_teams())
    AND position(lower(device) IN lower(p_device)) > 0
$$;

-- Whether the job is still the caller's. It does not wait for the disk either.
CREATE FUNCTION tuner_fleet.beat(p_job bigint, p_attempt integer, p_token uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE job SET heartbeat = clock_timestamp()
  WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'running';
  RETURN FOUND;
END $$;

-- False if the job is no longer the caller's. What is there already is not added again.
CREATE FUNCTION tuner_fleet.store_rows(p_job bigint, p_attempt integer, p_token uuid, p_bodies bytea[]) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
BEGIN
  UPDATE job SET heartbeat = clock_timestamp()
  WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'running';
  IF NOT FOUND THEN RETURN false; END IF;
  INSERT INTO result_row (job, attempt, hash, team, body)
  SELECT p_job, p_attempt, sha256(b), (SELECT team FROM job WHERE id = p_job), b FROM unnest(p_bodies) AS b
  ON CONFLICT DO NOTHING;
  RETURN true;
END $$;

CREATE FUNCTION tuner_fleet.keep_log(p_job bigint, p_attempt integer, p_log bytea) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
  INSERT INTO log (job, attempt, submitter, body)
  SELECT id, p_attempt, submitter, p_log FROM job WHERE id = p_job AND octet_length(p_log) > 0
$$;

-- Accepts what was stored of this attempt. True also if it was accepted already: the answer may have been lost.
CREATE FUNCTION tuner_fleet.finish(p_job bigint, p_attempt integer, p_token uuid, p_session text, p_rows integer,
                                   p_log bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
BEGIN
  UPDATE job SET state = 'done', finished = now(), reason = ''
  WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'running';
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT FROM job
                   WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'done');
  END IF;
  IF p_rows = 0 OR p_session = '' THEN
    RAISE EXCEPTION 'Job % was finished without a result', p_job USING ERRCODE = 'UT002';
  END IF;
  IF p_rows <> (SELECT count(*) FROM result_row r WHERE r.job = p_job AND r.attempt = p_attempt) THEN
    RAISE EXCEPTION 'Job % was finished with % rows, and others are stored', p_job, p_rows USING ERRCODE = 'UT002';
  END IF;
  INSERT INTO result (job, team, attempt, session, row_count)
  SELECT id, team, p_attempt, p_session, p_rows FROM job WHERE id = p_job;
  PERFORM keep_log(p_job, p_attempt, p_log);
  RETURN true;
END $$;

-- The job failed. It is queued again unless it was tried often enough, or `p_final` says that it would fail again. True
-- also if that is known already, as long as nobody else has the job.
CREATE FUNCTION tuner_fleet.fail(p_job bigint, p_attempt integer, p_token uuid, p_reason text, p_log bytea,
                                 p_final boolean) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
DECLARE
  is_over boolean;
BEGIN
  SELECT p_final OR tries >= most_tries INTO is_over FROM job, about
  WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'running' FOR UPDATE OF job;
  IF NOT FOUND THEN
    RETURN EXISTS (SELECT FROM job
                   WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state IN ('queued', 'aside'));
  END IF;
  UPDATE job SET state = CASE WHEN is_over THEN 'aside' ELSE 'queued' END, reason = left(p_reason, 1000),
                 finished = CASE WHEN is_over THEN now() END
  WHERE id = p_job;
  PERFORM keep_log(p_job, p_attempt, p_log);
  RETURN true;
END $$;

-- The worker, HOST:..., could not work: its GPU or its disk may be broken, or the job may break GPUs. So it counts as a
-- try once a host: one that is started again and again sets no job aside, but for one that was taken ten times as often
-- as it may be tried.
CREATE FUNCTION tuner_fleet.could_not_work(p_job bigint, p_attempt integer, p_token uuid, p_log bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
DECLARE
  host text;
BEGIN
  SELECT split_part(worker, ':', 1) INTO host FROM job
  WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'running' FOR UPDATE;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE job SET tries = tries - 1 FROM about WHERE id = p_job AND host = ANY (unfit) AND attempt < 10 * most_tries;
  UPDATE job SET unfit = unfit || host WHERE id = p_job AND NOT host = ANY (unfit);
  RETURN fail(p_job, p_attempt, p_token, 'Its worker could not work.', p_log, false);
END $$;

-- The worker ends before the job does, which is not the job's fault: the try does not count.
CREATE FUNCTION tuner_fleet.give_back(p_job bigint, p_attempt integer, p_token uuid) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, tuner_fleet, pg_temp
AS $$
BEGIN
  UPDATE job SET state = 'queued', tries = tries - 1, token = NULL
  WHERE id = p_job AND attempt = p_attempt AND token = p_token AND state = 'running';
  RETURN FOUND;
END $$;

-- Who may do what ---------------------------------------------------------------------------------------------------

-- What PostgreSQL lets every login make in a new database: temporary tables and functions, before version 15 tables,
-- and large objects. The functions for these are the server's own: who is no superuser gets a warning here.
DO $$
BEGIN
  EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
  IF to_regnamespace('public') IS NOT NULL THEN REVOKE CREATE ON SCHEMA public FROM PUBLIC; END IF;
END $$;
REVOKE EXECUTE ON FUNCTION lo_creat(integer), lo_create(oid), lo_from_bytea(oid, bytea) FROM PUBLIC;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA tuner_fleet FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tuner_fleet.my_teams(), tuner_fleet.describe() TO tuner_submit, tuner_work, tuner_read;
GRANT EXECUTE ON FUNCTION
  tuner_fleet.put_content(text, bytea), tuner_fleet.cancel(bigint),
  tuner_fleet.submit(text, text, text, text, text, integer, bytea) TO tuner_submit;
GRANT EXECUTE ON FUNCTION
  tuner_fleet.take(text, text), tuner_fleet.count_open(text), tuner_fleet.beat(bigint, integer, uuid),
  tuner_fleet.store_rows(bigint, integer, uuid, bytea[]), tuner_fleet.give_back(bigint, integer, uuid),
  tuner_fleet.finish(bigint, integer, uuid, text, integer, bytea),
  tuner_fleet.fail(bigint, integer, uuid, text, bytea, boolean),
  tuner_fleet.could_not_work(bigint, integer, uuid, bytea) TO tuner_work;

-- Everything of a job but what it carries and the token of whoever holds it.
GRANT SELECT (id, team, submitter, file, kernel, problem, device, priority, state, tries, attempt, worker, heartbeat,
              submitted, taken, finished, reason) ON tuner_fleet.job TO tuner_submit, tuner_read;
GRANT SELECT ON tuner_fleet.result, tuner_fleet.result_row TO tuner_read;
GRANT SELECT ON tuner_fleet.content TO tuner_work;
GRANT SELECT ON tuner_fleet.log TO tuner_submit;

ALTER TABLE tuner_fleet.about ENABLE ROW LEVEL SECURITY;
ALTER TABLE tuner_fleet.member ENABLE ROW LEVEL SECURITY;
ALTER TABLE tuner_fleet.content ENABLE ROW LEVEL SECURITY;
ALTER TABLE tuner_fleet.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE tuner_fleet.result ENABLE ROW LEVEL SECURITY;
ALTER TABLE tuner_fleet.result_row ENABLE ROW LEVEL SECURITY;
ALTER TABLE tuner_fleet.log ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_team ON tuner_fleet.content FOR SELECT USING (team IN (SELECT tuner_fleet.my_teams()));
CREATE POLICY of_team ON tuner_fleet.job FOR SELECT USING (team IN (SELECT tuner_fleet.my_teams()));
CREATE POLICY of_team ON tuner_fleet.result FOR SELECT USING (team IN (SELECT tuner_fleet.my_teams()));
CREATE POLICY of_team ON tuner_fleet.result_row FOR SELECT USING (team IN (SELECT tuner_fleet.my_teams()));
CREATE POLICY of_submitter ON tuner_fleet.log FOR SELECT USING (submitter = session_user);

COMMIT;
