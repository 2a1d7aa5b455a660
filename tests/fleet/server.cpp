#include "tests/fleet/server.hpp"

#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <sstream>
#include <stdexcept>

#include "tests/support/files.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/skip.hpp"

namespace tuner::test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kUser = "postgres";

/// Debian keeps the server's programs out of PATH, in a folder a version.
fs::path find_programs() {
  std::error_code ignored;
  for (const fs::directory_entry& version : fs::directory_iterator("/usr/lib/postgresql", ignored)) {
    if (fs::exists(version.path() / "bin/initdb")) return version.path() / "bin";
  }
  skip("there is no PostgreSQL server here; Debian's package is `postgresql`");
}

void require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error("the test's own server failed: " + what);
}

/// Short, since the path of a socket has at most 107 bytes.
fs::path make_folder() {
  std::string name = "/tmp/tuner-fleet-test-XXXXXX";
  require(mkdtemp(name.data()) != nullptr, "no folder in /tmp");
  if (geteuid() == 0) {
    const passwd* const user = getpwnam(kUser);
    require(user != nullptr && chown(name.c_str(), user->pw_uid, user->pw_gid) == 0, "no user postgres");
  }
  // Its socket is for whoever the test runs programs as; what is in it is read by its owner only.
  require(chmod(name.c_str(), 0711) == 0, "chmod");
  return name;
}

}  // namespace

Server::Server() : folder_(make_folder()), programs_(find_programs()) {
  write_bytes(folder_ / "schema.sql", read_bytes(TUNER_FLEET_SCHEMA));
  require(in_shell("initdb --pgdata data --username postgres --auth trust --no-locale --encoding UTF8 --no-sync > "
                   "initdb.log 2>&1") == 0,
          "initdb");
  start();
  const std::string said = sql("CREATE DATABASE tuner");
  require(said.find("ERROR") == std::string::npos, said);
  require(in_shell("psql --host . --username postgres --dbname tuner --set ON_ERROR_STOP=1 --quiet --file schema.sql > "
                   "schema.log 2>&1") == 0,
          "schema.sql: " + read_bytes(folder_ / "schema.log"));
}

Server::~Server() {
  try {
    thaw();
    if (runs_) stop("immediate");
  } catch (const std::exception&) {  // it ended by itself
  }
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

int Server::in_shell(const std::string& command) const {
  // As the package's user if this is root, as whom the server refuses to run.
  const std::string script = "cd " + shell_word(folder_.string()) +
                             " && export LC_ALL=C HOME=$PWD PATH=" + shell_word(programs_.string()) +
                             ":$PATH && unset PGPASSWORD PGHOST PGPORT PGUSER && " + command;
  const std::string as_user =
      geteuid() == 0 ? "exec setpriv --reuid postgres --regid postgres --clear-groups bash -c " : "exec bash -c ";
  const int status = std::system((as_user + shell_word(script)).c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void Server::start() {
  require(in_shell("pg_ctl --pgdata data --wait --log server.log --options \"-k $PWD -c listen_addresses='' -c "
                   "max_connections=400\" start > /dev/null") == 0,
          "pg_ctl start: " + read_bytes(folder_ / "server.log"));
  runs_ = true;
}

void Server::stop(const std::string& how) {
  require(in_shell("pg_ctl --pgdata data --wait --mode " + how + " stop > /dev/null") == 0, "pg_ctl stop");
  runs_ = false;
}

void Server::signal_all(int number) const {
  std::istringstream file(read_bytes(folder_ / "data/postmaster.pid"));
  pid_t postmaster = 0;
  if (!(file >> postmaster) || postmaster <= 1) return;
  kill(postmaster, number);
  std::istringstream children(
      read_bytes("/proc/" + std::to_string(postmaster) + "/task/" + std::to_string(postmaster) + "/children"));
  for (pid_t child = 0; children >> child;) kill(child, number);
}

void Server::freeze() {
  signal_all(SIGSTOP);
}

void Server::thaw() {
  if (runs_) signal_all(SIGCONT);
}

std::string Server::address(const std::string& login) const {
  return "postgresql:///tuner?host=" + folder_.string() + "&user=" + login;
}

std::string Server::sql(const std::string& statements, const std::string& login) const {
  const std::string database = statements.starts_with("CREATE DATABASE") ? "postgres" : "tuner";
  const fs::path answer = folder_ / "answer";
  in_shell("psql --host . --username " + login + " --dbname " + database +
           " --quiet --no-align --tuples-only --command " + shell_word(statements) + " > answer 2>&1");
  std::string text = read_bytes(answer);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void Server::add_login(const std::string& login, const std::string& team, const std::vector<std::string>& roles) const {
  std::string statements =
      "CREATE ROLE " + login + " LOGIN; INSERT INTO tuner_fleet.member VALUES ('" + login + "', '" + team + "');";
  for (const std::string& role : roles) statements += " GRANT tuner_" + role + " TO " + login + ";";
  const std::string said = sql(statements);
  require(said.empty(), said);
}

}  // namespace tuner::test
