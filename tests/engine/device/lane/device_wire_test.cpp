#include "tuner/engine/device/lane/device_wire.hpp"

#include <doctest/doctest.h>

#include "tests/engine/device/lane/lane_support.hpp"
#include "tests/process/record_checks.hpp"
#include "tuner/engine/device/lane/message_fields.hpp"

using namespace tuner;
using namespace tuner::engine;

TEST_CASE("every field of every request arrives, and no damage to it goes unnoticed") {
  for (std::size_t kind = 0; kind < std::variant_size_v<DeviceRequest>; ++kind) {
    DeviceRequest request;
    test::Filler{kind}("", request);
    REQUIRE(request.index() == kind);
    test::check_each_field(request, encode_request, decode_request);
  }
}

TEST_CASE("every field of every reply arrives, and no damage to it goes unnoticed") {
  for (std::size_t kind = 0; kind < std::variant_size_v<DeviceResult>; ++kind) {
    const auto reply = test::filled<WorkerReply>(kind);
    REQUIRE(reply.reply.result.index() == kind);
    test::check_each_field(reply, encode_reply, decode_reply);
  }
}

TEST_CASE("a device arrives, and no damage to it goes unnoticed") {
  test::check_each_field<DeviceInfo>();
}

TEST_CASE("several binaries in one message keep apart") {
  const auto back =
      std::get<LoadFinalists>(decode_request(encode_request(LoadFinalists{{candidate("a"), {}, candidate("ccc")}})));
  REQUIRE(back.candidates.size() == 3);
  CHECK(back.candidates[0].cubin.bytes == candidate("a").cubin.bytes);
  CHECK(back.candidates[1].cubin.bytes.empty());
  CHECK(back.candidates[2].cubin.bytes == candidate("ccc").cubin.bytes);
}

TEST_CASE("a reply has the result of its own kind of request, and defaults for any other") {
  const DeviceReply block{.result = BlockResult{.samples_ns = {1}, .culprit = 7}};
  CHECK(block.result_of<RunBlock>().culprit == 7U);
  CHECK_FALSE(block.result_of<LoadFinalists>().culprit);
  CHECK(block.timed_run().samples_ns.empty());
  CHECK(DeviceReply{}.result_of<LoadFinalists>().launches_per_sample == 1);
  const TimedRun run{.samples_ns = {2, 3}};
  CHECK(DeviceReply{.result = ScreenResult{run}}.timed_run().samples_ns == run.samples_ns);
  CHECK(DeviceReply{.result = ReferenceResult{run, {}}}.timed_run().samples_ns == run.samples_ns);
}

TEST_CASE("a message that is not understood is an error that names it") {
  Message message = encode_request(RunBlock{{1}});
  message.type = "sing";
  CHECK_THROWS_WITH_AS(decode_request(message),
                       "A device worker was sent a 'sing' message, which it does not support; report this.", Error);
  message.type = kRequest;
  message.body = "70;";
  CHECK_THROWS_AS(decode_request(message), Error);
  PrepareProblem problem;
  problem.arguments.resize(1);
  problem.arguments[0].type = static_cast<ElementType>(99);
  CHECK_THROWS_AS(decode_request(encode_request(problem)), Error);
}
