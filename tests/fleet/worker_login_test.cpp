// What a worker's login can change, asked of the server itself: a job's code may find the login's password, and speaks
// to the server as it likes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cache/exchange/key_rows.hpp"
#include "tests/fleet/server.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"
#include "tuner/fleet/job/row_text.hpp"
#include "tuner/fleet/queue/pull.hpp"
#include "tuner/fleet/queue/queue.hpp"

using namespace tuner;
using namespace tuner::test;
using namespace tuner::fleet;

namespace {

/// A team with two workers, each of which holds a job; a third job is done by the first, a fourth is queued.
struct Team {
  Server server;
  Taken done, mine, of_other;
  Team() {
    server.add_login("anna", "vision", {"submit", "read"});
    server.add_login("hand", "vision", {"work"});
    server.add_login("foot", "vision", {"work"});
    const std::string source = "a source";
    for (const char* const problem : {"n=1", "n=2", "n=3", "n=4"}) {
      as("anna").submit("", {&source, 1}, {{{.file = "f.cu", .kernel = "k", .problem = problem, .spec = "s"}}});
    }
    done = as("hand").take("hand", "GPU").value();
    as("hand").store_rows(done, {"a row"});
    REQUIRE(as("hand").finish(done, "session of hand", 1, "a log"));
    mine = as("hand").take("hand", "GPU").value();
    of_other = as("foot").take("foot", "GPU").value();
    as("foot").store_rows(of_other, {"a row of foot"});
  }
  Queue as(const std::string& login) const { return Queue(Address(server.address(login))); }

  /// Everything that is stored in the queue and said of it, its database and its server, but for what PostgreSQL lets a
  /// login say of itself: its password, its settings, and what becomes of things that it may not make.
  std::string everything() const {
    std::string question;
    for (const std::string& rows : {
             "tuner_fleet.about",
             "tuner_fleet.member",
             "tuner_fleet.content",
             "tuner_fleet.job",
             "tuner_fleet.result",
             "tuner_fleet.result_row",
             "tuner_fleet.log",
             "(SELECT last_value FROM tuner_fleet.job_id_seq)",
             "(SELECT oid, relname, relnamespace, relowner, relacl, relrowsecurity, relkind FROM pg_class)",
             "(SELECT oid, proname, pronamespace, proowner, proacl, prosrc, proconfig FROM pg_proc)",
             "(SELECT oid, typname, typowner, typacl FROM pg_type)",
             "(SELECT attrelid, attname, attacl FROM pg_attribute)",
             "(SELECT datname, datdba, datacl, datconnlimit FROM pg_database)",
             "(SELECT oid, rolname, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolcanlogin FROM pg_roles)",
             "(SELECT * FROM pg_db_role_setting WHERE setrole <> 'hand'::regrole)",
             "(SELECT * FROM pg_default_acl WHERE defaclrole <> 'hand'::regrole)",
             "(SELECT name, setting FROM pg_file_settings)",
             "(SELECT slot_name FROM pg_replication_slots)",
             "pg_namespace",
             "pg_auth_members",
             "pg_largeobject_metadata",
             "pg_policy",
             "pg_trigger",
             "pg_event_trigger",
             "pg_rewrite",
             "pg_extension",
             "pg_language",
             "pg_cast",
             "pg_operator",
             "pg_collation",
             "pg_foreign_server",
             "pg_publication",
             "pg_tablespace",
             "pg_description",
             "pg_shdescription",
             "pg_seclabel",
         }) {
      question += (question.empty() ? "SELECT '" : " UNION ALL SELECT '") + rows.substr(0, rows.find('\'')) +
                  "', md5(string_agg(x::text, ';' ORDER BY x::text)) FROM " + rows + " x";
    }
    const std::string said = server.sql(question);
    REQUIRE_MESSAGE(!contains(said, "ERROR"), said);
    return said;
  }
};

/// What PostgreSQL refuses. `$MINE` is the number of the job that the login holds, `$DONE` of the one that it has
/// answered, `$OTHER` of the one that another login holds.
const std::vector<std::string> kRefused{
    "INSERT INTO tuner_fleet.job (team, submitter, file, kernel, problem, spec, device, priority) VALUES ('vision', "
    "'anna', 'f', 'k', 'p', 's', '', 0)",
    "INSERT INTO tuner_fleet.result VALUES ($OTHER, 'vision', 1, 'forged', 1)",
    "INSERT INTO tuner_fleet.result VALUES ($MINE, 'vision', 1, 'forged', 1)",
    "INSERT INTO tuner_fleet.result_row VALUES ($OTHER, 1, sha256('forged'), 'vision', 'forged')",
    "INSERT INTO tuner_fleet.result_row VALUES ($DONE, 1, sha256('forged'), 'vision', 'forged')",
    "INSERT INTO tuner_fleet.log VALUES ($OTHER, 1, 'anna', 'forged')",
    "INSERT INTO tuner_fleet.content (team, body) VALUES ('vision', 'forged')",
    "INSERT INTO tuner_fleet.member VALUES ('hand', 'speech')",
    "INSERT INTO tuner_fleet.about DEFAULT VALUES",
    "UPDATE tuner_fleet.job SET state = 'done' WHERE id = $OTHER",
    "UPDATE tuner_fleet.job SET priority = 100",
    "UPDATE tuner_fleet.job SET token = NULL",
    "UPDATE tuner_fleet.job SET worker = 'hand', token = '00000000-0000-4000-8000-000000000000'",
    "UPDATE tuner_fleet.result SET session = 'forged'",
    "UPDATE tuner_fleet.result SET accepted = 'infinity'",
    "UPDATE tuner_fleet.result_row SET body = 'forged'",
    "UPDATE tuner_fleet.content SET body = 'forged'",
    "UPDATE tuner_fleet.log SET body = 'forged'",
    "UPDATE tuner_fleet.member SET team = 'speech'",
    "UPDATE tuner_fleet.about SET lease = '1 year'",
    "DELETE FROM tuner_fleet.job",
    "DELETE FROM tuner_fleet.result",
    "DELETE FROM tuner_fleet.result_row",
    "DELETE FROM tuner_fleet.content",
    "DELETE FROM tuner_fleet.log",
    "DELETE FROM tuner_fleet.member",
    "MERGE INTO tuner_fleet.job j USING (SELECT 1) s ON true WHEN MATCHED THEN DELETE",
    "TRUNCATE tuner_fleet.job CASCADE",
    "TRUNCATE tuner_fleet.result_row",
    "DROP TABLE tuner_fleet.result_row",
    "DROP SCHEMA tuner_fleet CASCADE",
    "DROP FUNCTION tuner_fleet.take(text, text)",
    "DROP POLICY of_team ON tuner_fleet.content",
    "DROP DATABASE template1",
    "DROP ROLE anna",
    "ALTER TABLE tuner_fleet.content DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE tuner_fleet.job DISABLE TRIGGER ALL",
    "ALTER TABLE tuner_fleet.job ADD COLUMN mine integer",
    "ALTER TABLE tuner_fleet.job OWNER TO hand",
    "ALTER FUNCTION tuner_fleet.take(text, text) SECURITY INVOKER",
    "ALTER SCHEMA tuner_fleet RENAME TO mine",
    "ALTER SEQUENCE tuner_fleet.job_id_seq RESTART 1000000",
    "ALTER ROLE hand SUPERUSER",
    "ALTER ROLE hand BYPASSRLS",
    "ALTER ROLE hand RENAME TO anna2",
    "ALTER ROLE anna PASSWORD 'mine'",
    "ALTER ROLE foot SET statement_timeout = 1",
    "ALTER ROLE tuner_work SET statement_timeout = 1",
    "ALTER ROLE ALL SET statement_timeout = 1",
    "ALTER DATABASE postgres SET statement_timeout = 1",
    "ALTER SYSTEM SET max_connections = 1",
    "ALTER DEFAULT PRIVILEGES FOR ROLE anna GRANT ALL ON TABLES TO hand",
    "GRANT tuner_submit TO hand",
    "GRANT tuner_work TO anna",
    "GRANT SELECT ON tuner_fleet.job TO hand",
    "GRANT hand TO foot",
    "REVOKE tuner_work FROM foot",
    "REASSIGN OWNED BY foot TO hand",
    "DROP OWNED BY foot",
    "SET ROLE postgres",
    "SET ROLE anna",
    "SET ROLE tuner_submit",
    "SET SESSION AUTHORIZATION anna",
    "SET session_replication_role = replica",
    "CREATE TABLE tuner_fleet.mine (a integer)",
    "CREATE TABLE public.mine (a integer)",
    "CREATE TEMPORARY TABLE mine (a integer)",
    "CREATE TABLE pg_temp.mine (a integer)",
    "CREATE SCHEMA mine",
    "CREATE FUNCTION public.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION pg_temp.session_user() RETURNS name LANGUAGE sql AS 'SELECT ''anna''::name'",
    "CREATE OR REPLACE FUNCTION tuner_fleet.my_teams() RETURNS SETOF text LANGUAGE sql AS $$ SELECT 'speech' $$",
    "CREATE FUNCTION pg_catalog.mine() RETURNS integer LANGUAGE sql AS 'SELECT 1'",
    "CREATE VIEW pg_temp.job AS SELECT 1 AS id",
    "CREATE TRIGGER mine BEFORE UPDATE ON tuner_fleet.job EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE RULE mine AS ON INSERT TO tuner_fleet.result DO INSTEAD NOTHING",
    "CREATE POLICY mine ON tuner_fleet.log USING (true)",
    "CREATE INDEX ON tuner_fleet.job (id)",
    "CREATE STATISTICS mine ON id, team FROM tuner_fleet.job",
    "CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE EXTENSION pgcrypto",
    "CREATE EXTENSION postgres_fdw",
    "CREATE FOREIGN DATA WRAPPER mine",
    "CREATE SERVER mine FOREIGN DATA WRAPPER mine",
    "CREATE SUBSCRIPTION mine CONNECTION 'dbname=tuner' PUBLICATION mine",
    "CREATE PUBLICATION mine FOR ALL TABLES",
    "CREATE TABLESPACE mine LOCATION '/tmp'",
    "CREATE DATABASE mine",
    "CREATE ROLE mine",
    "CREATE CAST (integer AS text) WITH INOUT AS ASSIGNMENT",
    "CREATE LANGUAGE plperlu",
    "COMMENT ON TABLE tuner_fleet.job IS 'mine'",
    "COMMENT ON ROLE hand IS 'mine'",
    "SECURITY LABEL ON TABLE tuner_fleet.job IS 'mine'",
    "COPY tuner_fleet.result_row FROM PROGRAM 'true'",
    "COPY (SELECT 1) TO PROGRAM 'cat > /tmp/tuner-fleet-mine'",
    "COPY (SELECT 1) TO '/tmp/tuner-fleet-mine'",
    "COPY tuner_fleet.member FROM '/etc/passwd'",
    "COPY tuner_fleet.job TO STDOUT",
    "SELECT lo_create(0)",
    "SELECT lo_creat(-1)",
    "SELECT lo_from_bytea(0, 'mine')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/tuner-fleet-mine')",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT pg_reload_conf()",
    "SELECT pg_rotate_logfile()",
    "SELECT pg_switch_wal()",
    "SELECT pg_create_restore_point('mine')",
    "SELECT pg_create_physical_replication_slot('mine')",
    "SELECT pg_stat_reset()",
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename IS DISTINCT FROM 'hand'",
    "SELECT nextval('tuner_fleet.job_id_seq')",
    "SELECT setval('tuner_fleet.job_id_seq', 1000000)",
    "SELECT * FROM tuner_fleet.content FOR UPDATE",
    "SELECT token FROM tuner_fleet.job",
    "SELECT token FROM tuner_fleet.job WHERE id = $MINE",
    "SET row_security = off; SELECT * FROM tuner_fleet.content",
    "SELECT * FROM pg_authid",
    "BEGIN; LOCK TABLE tuner_fleet.job IN ACCESS SHARE MODE",
    "BEGIN; LOCK TABLE tuner_fleet.content IN EXCLUSIVE MODE",
    "CHECKPOINT",
    "REINDEX TABLE tuner_fleet.job",
    "CLUSTER tuner_fleet.job USING job_pkey",
    "BEGIN; PREPARE TRANSACTION 'mine'",
    "SELECT tuner_fleet.submit('vision', 'f', 'k', 'p', '', 0, 's')",
    "SELECT tuner_fleet.put_content('vision', 'mine')",
    "SELECT tuner_fleet.cancel($OTHER)",
    "SELECT tuner_fleet.keep_log($OTHER, 1, 'forged')",
    "SELECT tuner_fleet.give_back_silent('{vision}')",
    "SELECT tuner_fleet.team_for('vision')",
    "DO $$ BEGIN EXECUTE 'UPDATE tuner_fleet.job SET priority = 100'; END $$",
    "DO $$ BEGIN PERFORM tuner_fleet.finish($MINE, 1, (SELECT token FROM tuner_fleet.job WHERE id = $MINE), 's', 1, "
    "''); "
    "END $$",
};

/// What the login may say without changing anything but itself.
const std::vector<std::string> kWithoutEffect{
    "ALTER ROLE hand PASSWORD 'mine'",
    "ALTER ROLE hand SET application_name = 'mine'",
    "ALTER ROLE hand RESET ALL",
    "ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO PUBLIC",
    "ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC",
    "REVOKE tuner_work FROM hand",
    "REVOKE SELECT ON tuner_fleet.content FROM tuner_work",
    "REVOKE USAGE ON SCHEMA tuner_fleet FROM tuner_work",
    "GRANT SELECT ON tuner_fleet.content TO PUBLIC",
    "DROP OWNED BY hand",
    "ANALYZE tuner_fleet.job",
    "VACUUM FULL tuner_fleet.job",
    "NOTIFY mine",
    "SELECT pg_logical_emit_message(false, 'mine', 'mine')",
    "SELECT pg_advisory_lock(1)",
    "SET search_path = pg_temp; SELECT tuner_fleet.count_open('GPU')",
    "SELECT tuner_fleet.describe()",
    "BEGIN; SELECT job FROM tuner_fleet.take('hand', 'GPU'); ROLLBACK",
};

std::string replaced_all(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// An answer to a job in all its forms, with a `$TOKEN` that is not its holder's.
std::vector<std::string> answers(const Taken& job, const std::string& token) {
  std::vector<std::string> all;
  for (const char* const call :
       {"beat($JOB, $ATTEMPT, $TOKEN)", "store_rows($JOB, $ATTEMPT, $TOKEN, ARRAY['forged'::bytea])",
        "finish($JOB, $ATTEMPT, $TOKEN, 'forged', 1, 'forged')",
        "fail($JOB, $ATTEMPT, $TOKEN, 'forged', 'forged', true)",
        "fail($JOB, $ATTEMPT, $TOKEN, 'forged', 'forged', NULL)", "could_not_work($JOB, $ATTEMPT, $TOKEN, 'forged')",
        "give_back($JOB, $ATTEMPT, $TOKEN)"}) {
    std::string text = replaced_all(std::string("SELECT tuner_fleet.") + call, "$JOB", std::to_string(job.job));
    text = replaced_all(text, "$ATTEMPT", std::to_string(job.attempt));
    all.push_back(replaced_all(text, "$TOKEN", token));
  }
  return all;
}

}  // namespace

TEST_CASE("a worker's login can change nothing but its own attempts") {
  const Team team;
  const std::string before = team.everything();
  const auto ask = [&](std::string statement) {
    statement = replaced_all(statement, "$MINE", std::to_string(team.mine.job));
    statement = replaced_all(statement, "$DONE", std::to_string(team.done.job));
    return team.server.sql(replaced_all(statement, "$OTHER", std::to_string(team.of_other.job)), "hand");
  };
  CHECK(kRefused.size() + kWithoutEffect.size() >= 50);
  for (const std::string& statement : kRefused) {
    CAPTURE(statement);
    const std::string said = ask(statement);
    CHECK_MESSAGE(contains(said, "ERROR"), said);
  }
  CHECK(team.everything() == before);
  for (const std::string& statement : kWithoutEffect) {
    CAPTURE(statement);
    ask(statement);
    CHECK(team.everything() == before);
  }
  CHECK_FALSE(std::filesystem::exists("/tmp/tuner-fleet-mine"));
}

TEST_CASE("a worker's login can answer neither another one's attempt nor one that is over") {
  const Team team;
  const std::string before = team.everything();
  Taken earlier = team.of_other, later = team.of_other;
  --earlier.attempt;
  ++later.attempt;
  const std::string own = "'" + team.mine.token + "'";
  const auto refuse = [&](const Taken& job, const std::string& token) {
    for (const std::string& statement : answers(job, token)) {
      CAPTURE(statement);
      const std::string said = team.server.sql(statement, "hand");
      CHECK_MESSAGE((said == "f" || contains(said, "ERROR")), said);
    }
    CHECK(team.everything() == before);
  };
  for (const std::string& token : {own, std::string("NULL"), std::string("'00000000-0000-0000-0000-000000000000'"),
                                   std::string("gen_random_uuid()"), std::string("'' OR true")}) {
    for (const Taken& job : {team.of_other, earlier, later}) refuse(job, token);
  }
  // Of what is over with its own token, only what was said already is true.
  refuse({.job = team.done.job, .attempt = team.done.attempt}, own);
  const std::string said = team.server.sql(answers(team.done, "'" + team.done.token + "'")[1], "hand");
  CHECK(said == "f");
  CHECK(team.everything() == before);
  // Its own attempt is answered as ever, and so is the other one's.
  CHECK(team.as("hand").fail(team.mine, std::string(5000, 'x'), "", true));
  CHECK(team.as("anna").list(team.mine.job).front().reason.size() == 1000);
  CHECK(team.as("foot").finish(team.of_other, "session of foot", 1, ""));
}

TEST_CASE("a worker's answer cannot hold results of another job") {
  const Team team;
  const auto rows_for = [](const std::string& kernel, const std::string& problem) {
    cache::Trial trial;
    trial.key = {kernel, "identity", problem, "GPU", "cold", "time"};
    trial.session = "session of " + kernel + " for " + problem;
    trial.configuration = "BLOCK=128";
    trial.time_ns = 1000;
    trial.samples_ns = {1000};
    cache::Decision decision;
    static_cast<cache::Run&>(decision) = trial;
    decision.configuration = trial.configuration;
    decision.time_ns = 1000;
    return row_texts({.key = trial.key, .decision = decision, .trials = {trial}});
  };
  const auto answer = [&](Queue queue, const Taken& taken, std::vector<std::string> rows) {
    REQUIRE(queue.store_rows(taken, rows));
    REQUIRE(queue.finish(taken, "session " + std::to_string(taken.job), rows.size(), ""));
  };
  std::vector<std::string> forged = rows_for("k", "n=2");
  for (std::string& row : rows_for("k", "n=4")) forged.push_back(std::move(row));
  answer(team.as("hand"), team.mine, forged);
  answer(team.as("hand"), team.as("hand").take("hand", "GPU").value(), rows_for("k", "n=4"));
  const TemporaryFolder folder;
  std::string said;
  Queue reader = team.as("anna");
  team.server.sql("DELETE FROM tuner_fleet.result WHERE job = " +
                  std::to_string(team.done.job));  // no rows of a session
  const Pulled pulled = pull(reader, folder / "pulled.db", [&](const std::string& sentence) { said += sentence; });
  CHECK(contains(said, "Its worker sent rows of k for n=4, which is another job."));
  CHECK(pulled.damaged == 1);
  CHECK(pulled.jobs == 1);
}
