#include "tuner/fleet/queue/connection.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <cerrno>
#include <charconv>
#include <cstddef>

namespace tuner::fleet {
namespace {

constexpr int kTextFormat = 0;

/// A number as PostgreSQL sends it, with its highest byte first.
void add_number(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xff);
}

/// Trouble of the server that may be over when it is asked again: it ends or starts, lacks connections or memory, or
/// ended a deadlock (PostgreSQL's manual, appendix A).
bool is_passing(std::string_view state) {
  for (const std::string_view of_class : {"08", "40", "53", "57", "58"}) {
    if (state.starts_with(of_class)) return true;
  }
  return false;
}

UniqueHandle<PGconn*, close_connection> connect(const Address& address) {
  const Address::Lists lists = address.lists();
  UniqueHandle<PGconn*, close_connection> connection(PQconnectdbParams(lists.keywords.data(), lists.values.data(), 0));
  if (connection && PQstatus(connection.get()) == CONNECTION_OK) {
    // Notices are for whoever looks after the server.
    PQsetNoticeProcessor(
        connection.get(), [](void*, const char*) {}, nullptr);
    return connection;
  }
  const std::string said = connection ? PQerrorMessage(connection.get()) : "out of memory";
  throw Unreachable(
      fmt::format("The queue cannot be reached: {}. Check --queue, and that the server runs.", address.redacted(said)));
}

}  // namespace

Parameter Parameter::binary(std::string_view bytes) {
  Parameter parameter(bytes);
  parameter.is_binary = true;
  return parameter;
}

Parameter Parameter::list(const std::vector<std::string>& bodies) {
  constexpr std::uint32_t kOidOfBytea = 17;
  Parameter parameter = binary({});
  // Dimensions, no NULLs, what the elements are; then how many there are, counted from 1.
  for (const std::uint32_t number : {1U, 0U, kOidOfBytea, static_cast<std::uint32_t>(bodies.size()), 1U}) {
    add_number(parameter.bytes, number);
  }
  for (const std::string& body : bodies) {
    add_number(parameter.bytes, static_cast<std::uint32_t>(body.size()));
    parameter.bytes += body;
  }
  return parameter;
}

void clear_result(PGresult* result) {
  PQclear(result);
}
void close_connection(PGconn* connection) {
  PQfinish(connection);
}

int Rows::size() const {
  return PQntuples(result_.get());
}

std::string Rows::text(int row, int column) const {
  return {PQgetvalue(result_.get(), row, column), static_cast<std::size_t>(PQgetlength(result_.get(), row, column))};
}

std::int64_t Rows::number(int row, int column) const {
  const std::string value = text(row, column);
  std::int64_t number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

double Rows::real(int row, int column) const {
  const std::string value = text(row, column);
  double number = 0;
  std::from_chars(value.data(), value.data() + value.size(), number);
  return number;
}

std::string Rows::bytes(int row, int column) const {
  std::size_t size = 0;
  const auto* const escaped = reinterpret_cast<const unsigned char*>(PQgetvalue(result_.get(), row, column));
  unsigned char* const bytes = PQunescapeBytea(escaped, &size);
  if (bytes == nullptr) throw Error(Errc::store_unavailable, "There is no memory for what the queue holds.");
  std::string value(reinterpret_cast<const char*>(bytes), size);
  PQfreemem(bytes);
  return value;
}

Connection::Connection(const Address& address, std::chrono::milliseconds patience)
    : address_(address), patience_(patience), connection_(connect(address_)) {
  // Neither a send nor an answer is waited for in libpq, which would wait for as long as the server is there.
  PQsetnonblocking(connection_.get(), 1);
}

/// Sends what is left of a question, and takes in the answer. False if the connection is lost.
bool Connection::wait_for_answer() {
  for (;;) {
    const int is_left = PQflush(connection_.get());
    if (is_left < 0) return false;
    if (is_left == 0 && PQisBusy(connection_.get()) == 0) return true;
    pollfd socket{PQsocket(connection_.get()), static_cast<short>(is_left > 0 ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = poll(&socket, 1, static_cast<int>(patience_.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      throw Unreachable(
          fmt::format("The queue was lost: its server has not answered for {:.3g} s. Check that it runs, "
                      "and try again.",
                      std::chrono::duration<double>(patience_).count()));
    }
    if ((socket.revents & ~POLLOUT) != 0 && PQconsumeInput(connection_.get()) == 0) return false;
  }
}

Rows Connection::ask(const char* sql, const std::vector<Parameter>& parameters) {
  std::vector<const char*> values;
  std::vector<int> lengths, formats;
  for (const Parameter& parameter : parameters) {
    values.push_back(parameter.bytes.c_str());
    lengths.push_back(static_cast<int>(parameter.bytes.size()));
    formats.push_back(parameter.is_binary ? 1 : 0);
  }
  const int was_sent = PQsendQueryParams(connection_.get(), sql, static_cast<int>(parameters.size()), nullptr,
                                         values.data(), lengths.data(), formats.data(), kTextFormat);
  if (was_sent == 0 || !wait_for_answer()) fail(nullptr);
  PGresult* const result = PQgetResult(connection_.get());
  Rows rows(result);
  // The one after it says that there is none.
  if (!wait_for_answer()) fail(nullptr);
  while (PGresult* const further = PQgetResult(connection_.get())) PQclear(further);
  const ExecStatusType status = PQresultStatus(result);
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) fail(result);
  return rows;
}

void Connection::fail(const PGresult* result) {
  const char* const code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* const primary = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const std::string_view state = code == nullptr ? "" : code;
  const std::string said = address_.redacted(primary != nullptr ? primary : PQerrorMessage(connection_.get()));
  // What has no code is libpq's own trouble with the connection, which it may not call broken yet.
  if (state.empty() || PQstatus(connection_.get()) != CONNECTION_OK || is_passing(state)) {
    throw Unreachable(fmt::format("The queue was lost: {}. Check that its server runs, and try again.", said));
  }
  if (state == "UT001") throw Error(Errc::bad_usage, said + ".");
  if (state == "42501") {
    throw Error(
        Errc::store_unavailable,
        fmt::format("The queue does not let this login do that: {}. Ask its owner for the role (docs/fleet.md).",
                    said));
  }
  if (state == "3F000" || state == "42883" || state == "42P01") {
    throw Error(Errc::store_unavailable,
                fmt::format("There is no queue that this program knows in this database: {}. Its owner makes one with "
                            "packaging/fleet/schema.sql (docs/fleet.md).",
                            said));
  }
  throw Error(Errc::store_unavailable, fmt::format("The queue refused that: {}.", said));
}

}  // namespace tuner::fleet
