#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/error.hpp"
#include "tuner/fleet/queue/address.hpp"
#include "tuner/ground/unique_handle.hpp"

struct pg_conn;
struct pg_result;

namespace tuner::fleet {

/// The server cannot be reached, or was lost: what was asked may or may not have been done, and may be asked again.
class Unreachable : public Error {
 public:
  explicit Unreachable(const std::string& sentence) : Error(Errc::store_unavailable, sentence) {}
};

/// A value of a query. Texts are sent as they are, bytes without any encoding.
struct Parameter {
  Parameter(std::string_view text) : bytes(text) {}
  Parameter(const std::string& text) : bytes(text) {}
  Parameter(const char* text) : bytes(text) {}
  Parameter(std::int64_t number) : bytes(std::to_string(number)) {}
  Parameter(int number) : bytes(std::to_string(number)) {}
  Parameter(bool truth) : bytes(truth ? "t" : "f") {}
  static Parameter binary(std::string_view bytes);
  /// bytea[]
  static Parameter list(const std::vector<std::string>& bodies);

  std::string bytes;
  bool is_binary = false;
};

void clear_result(pg_result* result);
void close_connection(pg_conn* connection);

/// The rows of an answer.
class Rows {
 public:
  explicit Rows(pg_result* result) : result_(result) {}
  int size() const;
  /// Empty for NULL.
  std::string text(int row, int column) const;
  std::int64_t number(int row, int column) const;
  double real(int row, int column) const;
  bool truth(int row, int column) const { return text(row, column) == "t"; }
  std::string bytes(int row, int column) const;

 private:
  UniqueHandle<pg_result*, clear_result> result_;
};

/// One connection to the server that holds the queue. From one thread at a time; not to be carried over a fork.
class Connection {
 public:
  /// Throws Unreachable; the sentence has no password. `patience`: for how long the server may do nothing while it is
  /// asked for something; no query of this program takes so long.
  explicit Connection(const Address& address, std::chrono::milliseconds patience = std::chrono::seconds(30));

  /// Throws Unreachable, after which this is of no use, and Error: bad_usage for what the schema's functions refuse,
  /// store_unavailable for rights that are missing, a database without a queue, and everything else that the server
  /// refuses.
  Rows ask(const char* sql, const std::vector<Parameter>& parameters = {});

 private:
  bool wait_for_answer();
  [[noreturn]] void fail(const pg_result* result);

  Address address_;
  std::chrono::milliseconds patience_;
  UniqueHandle<pg_conn*, close_connection> connection_;
};

}  // namespace tuner::fleet
