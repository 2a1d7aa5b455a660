// What a connection to the queue does when its server does not answer.
#include "tuner/fleet/queue/connection.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>

#include "tests/fleet/server.hpp"

using namespace tuner::test;
using namespace tuner::fleet;

TEST_CASE("a server that is there and does nothing is given up, and found again") {
  Server server;
  server.add_login("anna", "vision", {"submit"});
  const Address address(server.address("anna"));
  Connection connection(address, std::chrono::milliseconds(300));
  CHECK(connection.ask("SELECT 41 + 1").number(0, 0) == 42);
  server.freeze();
  std::string said;
  try {
    connection.ask("SELECT 1");
  } catch (const Unreachable& error) {
    said = error.what();
  }
  server.thaw();
  CHECK(said.find("has not answered for 0.3 s") != std::string::npos);
  CHECK(Connection(address).ask("SELECT 1").number(0, 0) == 1);
}

TEST_CASE("a question that is longer than a socket takes at once is sent whole") {
  const Server server;
  server.add_login("anna", "vision", {"submit"});
  Connection connection(Address(server.address("anna")));
  const std::string body(32 << 20, '\x7f');
  CHECK(connection.ask("SELECT octet_length($1::bytea)", {Parameter::binary(body)}).number(0, 0) == 32 << 20);
  CHECK_THROWS_AS(connection.ask("SELECT 1 / 0"), tuner::Error);
  CHECK(connection.ask("SELECT 1").number(0, 0) == 1);
}
