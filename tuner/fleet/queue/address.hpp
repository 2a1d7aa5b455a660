#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tuner::fleet {

/// Where a queue is, as libpq names it: `postgresql://HOST/DATABASE`, `service=NAME`, `host=... dbname=...`. A password
/// is never part of it: libpq finds it in PGPASSWORD, in ~/.pgpass or in a service file.
class Address {
 public:
  /// Throws Error{bad_usage} for what libpq cannot read, for a password in it, and for what may have one in the name of
  /// a user or a database; the sentence shows none of it.
  explicit Address(std::string_view text);

  /// What libpq is given, each list with a null pointer at its end; they point into this.
  struct Lists {
    std::vector<const char*> keywords, values;
  };
  Lists lists() const;

  /// Whether a server of that name and port answers that it cannot be connected to now, or nobody does: it may be
  /// starting. Takes as long as a connection.
  bool is_away() const;

  /// Takes the password that PGPASSWORD holds out of the environment, and keeps it for connections: processes that are
  /// started afterwards do not inherit it. Before threads are started.
  void keep_password_of_environment();

  /// `text`, as the server or libpq says it, without a password that is known here, on one line and without the
  /// full stop at its end.
  std::string redacted(std::string text) const;

 private:
  std::vector<std::pair<std::string, std::string>> parameters_;
  std::string password_;  ///< of the environment, if it was taken out
};

}  // namespace tuner::fleet
