#include "tuner/engine_protocol/engine_wire.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tuner/error.hpp"

using namespace tuner;

namespace {

JobSubject subject() {
  JobSubject subject;
  subject.text = "__global__ void f() {}\n// \xff";
  subject.file = "odd \xfe name.cu";
  subject.kernel = "f";
  subject.headers = {{"a.h", "int a;"}, {"empty.h", ""}};
  subject.problem = {{"n", 528}, {"TYPE", "float"}, {"scale", 0.25}, {"flag", true}};
  subject.device = known_device("H200");
  subject.device.uuid = "GPU-1";
  subject.database = "/tmp/\xfd/x.db";
  return subject;
}

void check_same(const JobSubject& a, const JobSubject& b) {
  CHECK(a.text == b.text);
  CHECK(a.file == b.file);
  CHECK(a.kernel == b.kernel);
  REQUIRE(a.headers.size() == b.headers.size());
  for (std::size_t i = 0; i < a.headers.size(); ++i) {
    CHECK(a.headers[i].name == b.headers[i].name);
    CHECK(a.headers[i].text == b.headers[i].text);
  }
  CHECK(problem_text(a.problem) == problem_text(b.problem));
  CHECK(a.device.identity() == b.device.identity());
  CHECK(a.device.uuid == b.device.uuid);
  CHECK(a.database == b.database);
}

}  // namespace

TEST_CASE("jobs arrive as they were given, whatever bytes are in their texts and names") {
  CompileJob compile{subject(), "B=1", std::chrono::milliseconds(1234)};
  const Message message = service::encode(7, compile);
  CHECK(service::ticket_of(message) == 7);
  const CompileJob compiled = service::decode_compile(message);
  check_same(compiled.subject, compile.subject);
  CHECK(compiled.configuration == "B=1");
  CHECK(compiled.limit == compile.limit);

  TuneJob tune;
  tune.subject = subject();
  tune.mode = "warm";
  tune.evaluations = 12;
  tune.limit = std::chrono::milliseconds(1500);
  tune.share = 0.05;
  tune.compile_workers = 2;
  tune.launch_timeout = std::chrono::milliseconds(77);
  tune.since_unix_ms = 123456789012;
  tune.serving = "B=2";
  const TuneJob tuned = service::decode_tune(service::encode(tune));
  check_same(tuned.subject, tune.subject);
  CHECK(tuned.mode == "warm");
  CHECK(tuned.evaluations == 12);
  CHECK(tuned.limit == tune.limit);
  CHECK(tuned.share == tune.share);
  CHECK(tuned.compile_workers == 2);
  CHECK(tuned.launch_timeout == tune.launch_timeout);
  CHECK(tuned.since_unix_ms == tune.since_unix_ms);
  CHECK(tuned.serving == "B=2");
  CHECK_FALSE(service::decode_tune(service::encode(TuneJob{})).limit);
}

TEST_CASE("answers arrive as they were given, intervals without an end included") {
  CompileAnswer compiled{Outcome::compile_error, "no", {std::byte{1}, std::byte{0}}, "f", "hash"};
  const CompileAnswer read = service::decode_compiled(service::encode(3, compiled));
  CHECK(read.outcome == Outcome::compile_error);
  CHECK(read.message == "no");
  CHECK(read.cubin == compiled.cubin);
  CHECK(read.lowered_name == "f");
  CHECK(read.binary_hash == "hash");

  TuneAnswer answer;
  answer.result = TuneAnswer::Result::decided;
  answer.decision.key = {"f", "f:1", "n=1", "device", "cold"};
  answer.decision.configuration = "B=1";
  answer.decision.baseline = "B=2";
  answer.decision.time_ns = 12.5;
  answer.decision.speedup = 1.5;
  answer.decision.speedup_low = 0;
  answer.decision.speedup_high = HUGE_VAL;
  answer.decision.ties = {{"B=1", 1}, {"B=4", 1.004}};
  answer.decision.contended = true;
  answer.decision.counters = {{"asked", 4}};
  answer.decision.conditions = {"0.1", "13.0", "580"};
  answer.decision.origin = cache::Origin::imported;
  answer.decision.created_unix_ms = 5;
  answer.decision.row = 9;
  answer.gain_low = 1.07;
  answer.database = "/x/decisions.db";
  answer.cubin = {std::byte{7}};
  answer.lowered_name = "g";
  const TuneAnswer told = service::decode_tuned(service::encode(answer));
  CHECK(told.result == TuneAnswer::Result::decided);
  CHECK(told.decision.key == answer.decision.key);
  CHECK(told.decision.configuration == "B=1");
  CHECK(told.decision.baseline == "B=2");
  CHECK(told.decision.time_ns == 12.5);
  CHECK_FALSE(told.decision.baseline_time_ns);
  CHECK(told.decision.speedup_high == HUGE_VAL);
  REQUIRE(told.decision.ties.size() == 2);
  CHECK(told.decision.ties[1].relative_time == 1.004);
  CHECK(told.decision.contended);
  CHECK_FALSE(told.decision.verified);
  CHECK(told.decision.counters == answer.decision.counters);
  CHECK(told.decision.conditions == answer.decision.conditions);
  CHECK(told.decision.origin == cache::Origin::imported);
  CHECK(told.decision.created_unix_ms == 5);
  CHECK(told.decision.row == 9);
  CHECK(told.gain_low == 1.07);
  CHECK(told.database == answer.database);
  CHECK(told.cubin == answer.cubin);
  CHECK(told.lowered_name == "g");
}

TEST_CASE("a message of another form is an error that names it") {
  try {
    service::decode_tuned({"tuned", "{}", {}});
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(error.code() == Errc::internal);
    CHECK(std::string(error.what()).find("'tuned'") != std::string::npos);
  }
  CHECK_THROWS_AS(service::decode_compile({"compile", "nonsense", {}}), Error);
  Message cut = service::encode(1, CompileJob{subject(), "B=1"});
  cut.fds.clear();
  CHECK_THROWS_AS(service::decode_compile(cut), Error);
}
