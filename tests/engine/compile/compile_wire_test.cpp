#include "tuner/engine/compile/compile_wire.hpp"

#include <doctest/doctest.h>

#include "tests/process/record_checks.hpp"

using namespace tuner;
using namespace tuner::engine;

TEST_CASE("every field of every message arrives, and no damage to it goes unnoticed") {
  test::check_each_field<CompileRequest>();
  test::check_each_field<CompileReply>();
  test::check_each_field<HelperStart>();
  test::check_each_field<HelperReady>();
  test::check_each_field<ReplaceWorker>();
  test::check_each_field<NewWorker>();
}

TEST_CASE("a request arrives through a channel as it was sent, whatever bytes are in its texts") {
  CompileRequest request = test::filled<CompileRequest>();
  request.source = std::string("// caf\xe9 \0 \n", 10) + std::string(300'000, 'x');
  request.headers = {{"a.cuh", "\xff"}, {"b.cuh", ""}};
  ChannelPair pair = make_channel_pair();
  REQUIRE(pair.first.send(to_message(kCompile, request)));
  const std::optional<Message> message = pair.second.receive();
  REQUIRE(message);
  const auto received = from_message<CompileRequest>(*message);
  CHECK(received.source == request.source);
  CHECK(received.headers == request.headers);
}
