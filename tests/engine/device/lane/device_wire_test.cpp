#include "tuner/engine/device/lane/device_wire.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "tests/engine/device/lane/lane_support.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

template <typename Request>
Request round_trip(const Request& request) {
  return std::get<Request>(decode_request(encode_request(request)));
}

void check_same(const Candidate& a, const Candidate& b) {
  CHECK(a.configuration == b.configuration);
  CHECK(a.cubin == b.cubin);
  CHECK(a.lowered_name == b.lowered_name);
  REQUIRE(a.parameters.size() == b.parameters.size());
  for (std::size_t i = 0; i < a.parameters.size(); ++i) {
    CHECK(a.parameters[i].offset == b.parameters[i].offset);
    CHECK(a.parameters[i].size == b.parameters[i].size);
  }
  CHECK(a.geometry == b.geometry);
  CHECK(a.scratch_lengths == b.scratch_lengths);
}

Candidate some_candidate(const std::string& cubin) {
  Candidate result = candidate(cubin);
  result.geometry.grid = {7, 6, 5};
  result.geometry.shared_bytes = 123456;
  result.scratch_lengths = {std::uint64_t{1} << 40, 3};
  return result;
}

}  // namespace

TEST_CASE("a problem survives the wire") {
  PrepareProblem request = problem();
  request.seed = ~std::uint64_t{0};
  request.mode = CacheMode::warm;
  request.deterministic = true;
  request.arguments[0].rtol = std::numeric_limits<double>::infinity();
  request.arguments[0].atol = 1e-300;
  request.arguments[0].alignment = 4096;
  request.arguments[1].lanes = 4;
  request.arguments[1].type = ElementType::bfloat16;
  request.arguments[2].generator_parameters = {-0.1, 1.0 / 3};
  request.arguments.back().value = search::Value(0.5);
  // A name of a file is bytes, and need be no text.
  request.arguments[0].generator = Generator::Kind::file;
  request.arguments[0].file = DataFile{"/a b/\"\xff\".npy", 128, std::uint64_t{1} << 40, "00ff"};
  request.arguments[1].role = Argument::Role::constant;
  request.arguments[2].file = DataFile{"/other.npy", 80, 4, "01"};
  const PrepareProblem back = round_trip(request);
  CHECK(back.seed == request.seed);
  CHECK(back.mode == request.mode);
  CHECK(back.deterministic);
  CHECK_FALSE(round_trip(problem()).deterministic);
  CHECK(back.support_cubin == request.support_cubin);
  CHECK(back.launch_timeout == request.launch_timeout);
  REQUIRE(back.arguments.size() == request.arguments.size());
  for (std::size_t i = 0; i < back.arguments.size(); ++i) {
    const BoundArgument& a = back.arguments[i];
    const BoundArgument& b = request.arguments[i];
    CHECK(a.name == b.name);
    CHECK(a.role == b.role);
    CHECK(a.type == b.type);
    CHECK(a.lanes == b.lanes);
    CHECK(a.length == b.length);
    CHECK(a.generator == b.generator);
    CHECK(a.generator_parameters == b.generator_parameters);
    CHECK(a.rtol == b.rtol);
    CHECK(a.atol == b.atol);
    CHECK(a.alignment == b.alignment);
    CHECK(a.value == b.value);
    CHECK(a.value.is_real() == b.value.is_real());
    REQUIRE(a.file.has_value() == b.file.has_value());
    if (!a.file) continue;
    CHECK(a.file->path == b.file->path);
    CHECK(a.file->offset == b.file->offset);
    CHECK(a.file->bytes == b.file->bytes);
    CHECK(a.file->hash == b.file->hash);
  }
}

TEST_CASE("candidates and policies survive the wire") {
  ScreenCandidate request{some_candidate("binary one"),
                          {.samples = 9, .kill_after_first = 1.5, .early_kill = false, .uninterrupted_after = 3},
                          1234.5};
  const ScreenCandidate back = round_trip(request);
  check_same(back.candidate, request.candidate);
  CHECK(back.policy.samples == 9);
  CHECK(back.policy.kill_after_first == 1.5);
  CHECK(back.policy.kill_after_second == request.policy.kill_after_second);
  CHECK(back.policy.enough_after_first == request.policy.enough_after_first);
  CHECK_FALSE(back.policy.early_kill);
  CHECK(back.policy.uninterrupted_after == request.policy.uninterrupted_after);
  CHECK(back.best_ns == 1234.5);
  CHECK_FALSE(back.isolation.diagnose);
  CHECK_FALSE(back.isolation.launch_timeout.has_value());
  request.isolation = {.diagnose = true, .launch_timeout = std::chrono::milliseconds(50)};
  CHECK(round_trip(request).isolation.launch_timeout == std::chrono::milliseconds(50));
  CHECK(round_trip(request).isolation.diagnose);
  CHECK(round_trip(RunReference{some_candidate("r"), {}, {true, {}}}).isolation.diagnose);
  CHECK(round_trip(ConfirmCandidate{some_candidate("r"), some_candidate("c"), 1, {true, {}}}).isolation.diagnose);
  CHECK_FALSE(round_trip(ScreenCandidate{}).best_ns.has_value());
  check_same(round_trip(RunReference{some_candidate("r"), {}}).candidate, some_candidate("r"));
}

TEST_CASE("several binaries in one message keep apart") {
  const LoadFinalists back =
      round_trip(LoadFinalists{{some_candidate("a"), some_candidate(""), some_candidate("ccc")}});
  REQUIRE(back.candidates.size() == 3);
  CHECK(back.candidates[0].cubin == bytes_of("a"));
  CHECK(back.candidates[1].cubin.empty());
  CHECK(back.candidates[2].cubin == bytes_of("ccc"));
  const ConfirmCandidate confirm =
      round_trip(ConfirmCandidate{some_candidate("reference"), some_candidate("candidate"), 99});
  CHECK(confirm.reference.cubin == bytes_of("reference"));
  CHECK(confirm.candidate.cubin == bytes_of("candidate"));
  CHECK(confirm.seed == 99);
  CHECK(round_trip(RunBlock{{3, 1, 2}}).order == std::vector<std::size_t>{3, 1, 2});
  CHECK(round_trip(RunBlock{}).order.empty());
  CHECK(round_trip(RunBlock{}).launches == 1);
  CHECK(round_trip(RunBlock{{0}, 12}).launches == 12);
  CHECK(round_trip(LoadFinalists{{}, 7}).launches == 7);
  const RecheckFinalist recheck = round_trip(RecheckFinalist{3, 250, true});
  CHECK(recheck.finalist == 3);
  CHECK(recheck.launches == 250);
  CHECK(recheck.wins);
}

TEST_CASE("a reply survives the wire") {
  WorkerReply answer;
  answer.ends = true;
  DeviceReply& reply = answer.reply;
  reply.outcome = Outcome::wrong_result;
  reply.message = "bytes that are no text: \xff";
  reply.samples_ns = {1.5, 1e9};
  reply.censored = true;
  reply.occupancy = 0.75;
  reply.occupancy_limiter = "registers";
  reply.local_bytes = 8;
  reply.not_compared = {{"y", std::uint64_t{1} << 60, 3, 5}};
  reply.launches = 12;
  reply.disturbed = true;
  reply.sm_clock_mhz = 1980;
  reply.load_ms = 0.25;
  reply.verify_ms = 1;
  reply.timing_ms = 2;
  reply.culprit = 7;
  reply.reference_failed = true;
  reply.launches_per_sample = 5;
  reply.unfenced = "Why not.";
  reply.other_processes = {"4711 (python3)", "12 (a)"};
  const WorkerReply back = decode_reply(encode_reply(answer));
  CHECK(back.ends);
  CHECK(back.reply.outcome == Outcome::wrong_result);
  CHECK(back.reply.message.rfind("bytes that are no text: ", 0) == 0);
  CHECK(back.reply.samples_ns == reply.samples_ns);
  CHECK(back.reply.censored);
  CHECK(back.reply.occupancy == 0.75);
  CHECK(back.reply.occupancy_limiter == "registers");
  CHECK(back.reply.local_bytes == 8);
  CHECK(back.reply.not_compared == reply.not_compared);
  CHECK(back.reply.launches == 12);
  CHECK(back.reply.disturbed);
  CHECK(back.reply.sm_clock_mhz == 1980);
  CHECK(back.reply.load_ms == 0.25);
  CHECK(back.reply.verify_ms == 1);
  CHECK(back.reply.timing_ms == 2);
  CHECK(back.reply.culprit == 7U);
  CHECK(back.reply.reference_failed);
  CHECK(back.reply.launches_per_sample == 5);
  CHECK(back.reply.unfenced == "Why not.");
  CHECK(back.reply.other_processes == reply.other_processes);
  const DeviceReply empty = decode_reply(encode_reply({})).reply;
  CHECK_FALSE(empty.occupancy.has_value());
  CHECK_FALSE(empty.culprit.has_value());
  CHECK_FALSE(empty.reference_failed);
}

TEST_CASE("devices and errors survive the wire") {
  DeviceInfo device;
  device.name = "NVIDIA H200";
  device.uuid = "GPU-1";
  device.memory_bytes = std::uint64_t{150} << 30;
  device.reserved_shared_per_block = 1024;
  device.driver_version = "580.159.04";
  const DeviceInfo back = decode_hello(encode_hello(device));
  CHECK(back.name == device.name);
  CHECK(back.uuid == device.uuid);
  CHECK(back.memory_bytes == device.memory_bytes);
  CHECK(back.reserved_shared_per_block == 1024);
  CHECK(back.driver_version == device.driver_version);
  CHECK(decode_devices(encode_devices({device, device})).size() == 2);
  CHECK(decode_devices(encode_devices({})).empty());
  const Error error = decode_error(encode_error(Error(Errc::no_driver, "No driver.")));
  CHECK(error.code() == Errc::no_driver);
  CHECK(error.what() == std::string("No driver."));
}

TEST_CASE("a message that is not understood is an error that names it") {
  Message message = encode_request(RunBlock{{1}});
  message.type = "sing";
  CHECK_THROWS_WITH_AS(decode_request(message),
                       "A device worker was sent a 'sing' message, which it does not know; report this.", Error);
  message.type = "prepare";
  CHECK_THROWS_AS(decode_request(message), Error);
  message.body = "{\"version\": 2}";
  try {
    decode_request(message);
    FAIL("a message of another version was read");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::no_worker);
  }
  Message short_of_bytes = encode_request(LoadFinalists{{candidate("abc")}});
  short_of_bytes.fds.clear();
  CHECK_THROWS_AS(decode_request(short_of_bytes), Error);
}
