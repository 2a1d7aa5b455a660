#include "tuner/engine_protocol/engine_wire.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/process/record_checks.hpp"
#include "tests/support/errors.hpp"
#include "tuner/engine_protocol/job_fields.hpp"

using namespace tuner;

namespace {

/// A job or an answer with a ticket.
template <typename Record>
void check_with_ticket(service::Ticketed<Record> (&decode)(const Message&)) {
  const auto encode = [](const service::Ticketed<Record>& sent) { return service::encode(sent.ticket, sent.record); };
  test::check_each_field(service::Ticketed<Record>{7, test::filled<Record>()}, encode, decode);
}
template <typename Record>
Message encoded(const Record& record) {
  return service::encode(record);
}

}  // namespace

TEST_CASE("every field of every job and answer arrives, and no damage to it goes unnoticed") {
  test::check_each_field(test::filled<TuneJob>(), encoded<TuneJob>, service::decode_tune);
  test::check_each_field(test::filled<TuneAnswer>(), encoded<TuneAnswer>, service::decode_tuned);
  check_with_ticket(service::decode_compile);
  check_with_ticket(service::decode_compiled);
}

TEST_CASE("a ticket arrives") {
  CHECK(service::decode_compile(service::encode(7, CompileJob{})).ticket == 7);
  CHECK(service::decode_compiled(service::encode(~service::Ticket{0}, CompileAnswer{})).ticket == ~service::Ticket{0});
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
  const std::string message = test::error_of(Errc::internal, [] { service::decode_tuned({"tuned", "9;", {}}); });
  CHECK(message.find("'tuned'") != std::string::npos);
  CHECK_THROWS_AS(service::decode_compile({"compile", "nonsense", {}}), Error);
}
