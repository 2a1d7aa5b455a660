#pragma once

#include <string>
#include <vector>

namespace tuner::test {

/// A PostgreSQL server of the test program's own, with an empty queue in a database of its own: in a folder that is
/// removed when the program ends, as the package's user where the test runs as root, reachable through a socket in that
/// folder only. Skips the test where there is no server to start.
class Server {
 public:
  Server();
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Where it is for this login.
  std::string address(const std::string& login) const;
  /// What `psql` prints for these statements, as the owner of the database or as a login: values with `|` between, a
  /// row a line; what it complains about stands behind "ERROR". Both outputs together.
  std::string sql(const std::string& statements, const std::string& login = "postgres") const;
  /// A login with these roles, without `tuner_`, in a team.
  void add_login(const std::string& login, const std::string& team, const std::vector<std::string>& roles) const;

  void start();
  /// "fast": as its administrator does; "immediate": as a crash does.
  void stop(const std::string& how);
  /// Its processes do nothing from here on, and go on.
  void freeze();
  void thaw();

 private:
  std::string database_;
};

}  // namespace tuner::test
