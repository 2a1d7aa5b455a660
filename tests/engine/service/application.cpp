#include "tests/engine/service/application.hpp"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <future>

#include "tuner/engine_protocol/engine_wire.hpp"

namespace tuner::test {

Applicant::Applicant() {
  for (const auto& [name, value] : environment) setenv(name.c_str(), value.c_str(), 1);
}

JobSubject Applicant::subject(const std::string& constraint) const {
  JobSubject subject;
  subject.text = read_file(TUNER_FAULTS) + "\n#pragma tuner constraint(" + constraint + ")\n";
  subject.file = "faults.cu";
  subject.kernel = "faults";
  subject.problem = {{"n", 1000}};
  subject.database = data();
  // Not asked here: the fake driver names its GPU after the first user of a process.
  ChildProcess probe({.program = TUNER_TEST_APPLICATION, .arguments = {"device"}});
  const auto said = probe.channel().receive_until(with_patience());
  REQUIRE(said);
  subject.device = service::decode_compile(*said).subject.device;
  return subject;
}

CompileJob Applicant::compile_job(const std::string& configuration) const {
  CompileJob job;
  job.subject = subject("true");
  job.configuration = configuration;
  return job;
}

TuneJob Applicant::tune_job(const std::string& constraint) const {
  TuneJob job;
  job.subject = subject(constraint);
  job.compile_workers = 2;
  job.launch_timeout = std::chrono::milliseconds(200);
  job.since_unix_ms = 1;
  return job;
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

TuneAnswer tune(EngineClient& client, TuneJob job) {
  std::promise<TuneAnswer> promise;
  std::future<TuneAnswer> answer = promise.get_future();
  client.tune(std::move(job), [&](TuneAnswer given) { promise.set_value(std::move(given)); });
  REQUIRE(answer.wait_until(with_patience()) == std::future_status::ready);
  return answer.get();
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
