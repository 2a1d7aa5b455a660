#include "tests/engine/service/application.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <memory>

#include "tuner/engine_protocol/engine_wire.hpp"

namespace tuner::test {

Applicant::Applicant() {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
}

JobSubject Applicant::subject(const std::string& constraint) const {
  JobSubject subject;
  subject.text = read_bytes(TUNER_FAULTS) + "\n#pragma tuner constraint(" + constraint + ")\n";
  subject.file = "faults.cu";
  subject.kernel = "faults";
  subject.problem = {{"n", 1000}};
  subject.database = data();
  // Not asked here: the fake driver names its GPU after the first user of a process.
  ChildProcess probe({.program = TUNER_TEST_APPLICATION, .arguments = {"device"}});
  const auto said = probe.channel().receive_until(with_patience());
  REQUIRE(said);
  subject.device = service::decode_compile(*said).record.subject.device;
  return subject;
}

CompileJob Applicant::compile_job(const std::string& configuration) const {
  return {.subject = subject("true"), .configuration = configuration};
}

TuneJob Applicant::tune_job(const std::string& constraint) const {
  return {.subject = subject(constraint),
          .compile_workers = 2,
          .launch_timeout = std::chrono::milliseconds(200),
          .since_unix_ms = 1};
}

std::size_t Applicant::count(const std::string& role) const {
  std::size_t found = 0;
  for (const Process& process : processes()) found += process.role == role ? 1 : 0;
  return found;
}

bool Applicant::signal(const std::string& role, int number) const {
  for (const Process& process : processes()) {
    if (process.role == role) return ::kill(process.pid, number) == 0;
  }
  return false;
}

std::future<TuneAnswer> start_tuning(EngineClient& client, TuneJob job) {
  // Shared, because a test that fails may end before the answer comes.
  const auto promise = std::make_shared<std::promise<TuneAnswer>>();
  client.tune(std::move(job), [promise](TuneAnswer given) { promise->set_value(std::move(given)); });
  return promise->get_future();
}

TuneAnswer answer_of(std::future<TuneAnswer> tuning) {
  REQUIRE(tuning.wait_until(with_patience()) == std::future_status::ready);
  return tuning.get();
}

TuneAnswer decided(TuneAnswer answer) {
  INFO(answer.message);
  REQUIRE(answer.result == TuneAnswer::Result::decided);
  return answer;
}

Application::Application(const TuneJob& job) : process_({.program = TUNER_TEST_APPLICATION, .arguments = {"tune"}}) {
  process_.channel().send(service::encode(job));
}

TuneAnswer Application::answer() {
  const auto message = process_.channel().receive_until(with_patience());
  REQUIRE(message);
  return service::decode_tuned(*message);
}

}  // namespace tuner::test
