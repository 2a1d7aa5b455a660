#include "tests/fleet/server.hpp"

#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
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

/// The server itself: making one takes seconds.
class Cluster {
 public:
  static Cluster& the_only() {
    static Cluster cluster;
    return cluster;
  }
  const fs::path& folder() const { return folder_; }

  int in_shell(const std::string& command) const {
    // As the package's user if this is root, as whom the server refuses to run.
    const std::string script = "cd " + shell_word(folder_.string()) +
                               " && export LC_ALL=C HOME=$PWD PATH=" + shell_word(programs_.string()) +
                               ":$PATH && unset PGPASSWORD PGHOST PGPORT PGUSER && " + command;
    const std::string as_user =
        geteuid() == 0 ? "exec setpriv --reuid postgres --regid postgres --clear-groups bash -c " : "exec bash -c ";
    const int status = std::system((as_user + shell_word(script)).c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  void start() {
    const int status = in_shell(
        "pg_ctl --pgdata data --wait --log server.log --options \"-k $PWD -c "
        "listen_addresses='' -c max_connections=400\" start > /dev/null");
    require(status == 0, "pg_ctl start: " + read_bytes(folder_ / "server.log"));
    runs_ = true;
  }
  void stop(const std::string& how) {
    require(in_shell("pg_ctl --pgdata data --wait --mode " + how + " stop > /dev/null") == 0, "pg_ctl stop");
    runs_ = false;
  }
  void signal_all(int number) const {
    if (!runs_) return;
    std::istringstream file(read_bytes(folder_ / "data/postmaster.pid"));
    pid_t postmaster = 0;
    if (!(file >> postmaster) || postmaster <= 1) return;
    const std::string id = std::to_string(postmaster);
    std::istringstream children(read_bytes("/proc/" + id + "/task/" + id + "/children"));
    kill(postmaster, number);
    for (pid_t child = 0; children >> child;) kill(child, number);
  }

 private:
  Cluster() : folder_(make_folder()), programs_(find_programs()) {
    write_bytes(folder_ / "schema.sql", read_bytes(TUNER_FLEET_SCHEMA));
    require(in_shell("initdb --pgdata data --username postgres --auth trust --no-locale --encoding UTF8 --no-sync > "
                     "initdb.log 2>&1") == 0,
            "initdb");
    // A test that is killed cannot stop it.
    in_shell("(while [ -d /proc/" + std::to_string(getpid()) +
             " ]; do sleep 1; done; pg_ctl --pgdata data --mode immediate stop; rm -rf \"$PWD\") > /dev/null 2>&1 &");
    start();
  }
  ~Cluster() {
    signal_all(SIGCONT);
    if (runs_) in_shell("pg_ctl --pgdata data --wait --mode immediate stop > /dev/null");
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  fs::path folder_, programs_;
  bool runs_ = false;
};

}  // namespace

Server::Server() {
  static int count = 0;
  const std::string said = sql("CREATE DATABASE tuner" + std::to_string(++count));
  require(said.empty(), said);
  database_ = "tuner" + std::to_string(count);
  const int status = Cluster::the_only().in_shell("psql --host $PWD --username postgres --dbname " + database_ +
                                                  " --set ON_ERROR_STOP=1 --quiet --file schema.sql > schema.log 2>&1");
  require(status == 0, "schema.sql: " + read_bytes(Cluster::the_only().folder() / "schema.log"));
}

Server::~Server() {
  thaw();
}

void Server::start() {
  Cluster::the_only().start();
}

void Server::stop(const std::string& how) {
  Cluster::the_only().stop(how);
}

void Server::freeze() {
  Cluster::the_only().signal_all(SIGSTOP);
}

void Server::thaw() {
  Cluster::the_only().signal_all(SIGCONT);
}

std::string Server::address(const std::string& login) const {
  return "postgresql:///" + database_ + "?host=" + Cluster::the_only().folder().string() + "&user=" + login;
}

std::string Server::sql(const std::string& statements, const std::string& login) const {
  const std::string database = database_.empty() ? "postgres" : database_;
  const fs::path answer = Cluster::the_only().folder() / "answer";
  Cluster::the_only().in_shell("psql --host $PWD --username " + login + " --dbname " + database +
                               " --quiet --no-align --tuples-only --command " + shell_word(statements) +
                               " > answer 2>&1");
  std::string text = read_bytes(answer);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

void Server::add_login(const std::string& login, const std::string& team, const std::vector<std::string>& roles) const {
  // The login may be there already, for another test's database.
  sql("CREATE ROLE " + login + " LOGIN");
  std::string statements = "INSERT INTO tuner_fleet.member VALUES ('" + login + "', '" + team + "');";
  for (const std::string& role : roles) statements += " GRANT tuner_" + role + " TO " + login + ";";
  const std::string said = sql(statements);
  require(!contains(said, "ERROR"), said);
}

}  // namespace tuner::test
