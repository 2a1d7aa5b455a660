#include "tuner/engine_protocol/engine_wire.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/process/record_checks.hpp"
#include "tuner/engine_protocol/job_fields.hpp"
#include "tuner/error.hpp"

using namespace tuner;

namespace {

template <typename Record>
Message with_ticket(const Record& record) {
  return service::encode(7, record);
}
template <typename Record>
Message encoded(const Record& record) {
  return service::encode(record);
}

}  // namespace

TEST_CASE("every field of every job and answer arrives, and is refused where it is missing or of another type") {
  test::check_each_field(test::filled<TuneJob>(), encoded<TuneJob>, service::decode_tune);
  test::check_each_field(test::filled<TuneAnswer>(), encoded<TuneAnswer>, service::decode_tuned);
  // Both read the ticket, which is beside the record, first.
  const auto compile = [](const Message& message) {
    service::ticket_of(message);
    return service::decode_compile(message);
  };
  test::check_each_field(test::filled<CompileJob>(), with_ticket<CompileJob>, compile);
  const auto compiled = [](const Message& message) {
    service::ticket_of(message);
    return service::decode_compiled(message);
  };
  test::check_each_field(test::filled<CompileAnswer>(), with_ticket<CompileAnswer>, compiled);
}

TEST_CASE("a ticket arrives") {
  CHECK(service::ticket_of(service::encode(7, CompileJob{})) == 7);
  CHECK(service::ticket_of(service::encode(~service::Ticket{0}, CompileAnswer{})) == ~service::Ticket{0});
}

TEST_CASE("jobs arrive as they were given, whatever bytes and values are in them") {
  TuneJob job;
  job.subject.text = "__global__ void f() {}\n// \xff";
  job.subject.file = "odd \xfe name.cu";
  job.subject.headers = {{"a.h", "int a;"}, {"empty.h", ""}};
  job.subject.problem = {{"n", 528}, {"TYPE", "float"}, {"scale", 0.25}, {"flag", true}};
  const TuneJob told = service::decode_tune(service::encode(job));
  CHECK(told.subject.text == job.subject.text);
  CHECK(told.subject.file == job.subject.file);
  REQUIRE(told.subject.headers.size() == 2);
  CHECK(told.subject.headers[1].name == "empty.h");
  CHECK(told.subject.headers[1].text.empty());
  CHECK(problem_text(told.subject.problem) == problem_text(job.subject.problem));
  CHECK_FALSE(told.limit);
}

TEST_CASE("intervals without an end arrive") {
  TuneAnswer answer;
  answer.decision.speedup_low = 0;
  answer.decision.speedup_high = HUGE_VAL;
  const TuneAnswer told = service::decode_tuned(service::encode(answer));
  CHECK(told.decision.speedup_low == 0);
  CHECK(told.decision.speedup_high == HUGE_VAL);
  CHECK_FALSE(told.decision.baseline_time_ns);
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
}
