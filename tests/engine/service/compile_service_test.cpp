#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <memory>
#include <new>

#include "cache/store/binary_store.hpp"
#include "tests/engine/service/application.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/binary_key.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/process/usable_cores.hpp"

using namespace tuner;
using namespace tuner::test;
using namespace std::chrono_literals;

namespace {

std::chrono::steady_clock::time_point from_now(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

std::string key_of(const CompileJob& job) {
  const Task task(parse_descriptions(job.subject.text, job.subject.file).front(), job.subject.problem,
                  job.subject.device);
  return binary_key(task, task.space().parse(job.configuration));
}

}  // namespace

TEST_CASE("a configuration is compiled, handed over and kept, by an engine that stays for the next one") {
  const Applicant user;
  EngineClient client;
  const CompileJob job = user.compile_job(kBaseline);
  const CompileAnswer answer = client.compile(job, with_patience());
  INFO(answer.message);
  REQUIRE(answer.outcome == Outcome::ok);
  CHECK(answer.cubin.kernel == "faults");
  CHECK(answer.cubin.bytes.size() > 1000);
  REQUIRE(eventually([&] { return std::filesystem::exists(user.data() / "binaries.db"); }));
  const auto binaries = cache::BinaryStore::open({.path = user.data() / "binaries.db"});
  std::optional<cache::Binary> kept;
  REQUIRE(eventually([&] { return (kept = binaries->find_compiled(key_of(job))).has_value(); }));
  CHECK(kept->hash == answer.cubin.hash);
  CHECK(kept->bytes == answer.cubin.bytes);

  CHECK(user.count("engine") == 1);
  CHECK(client.compile(user.compile_job("FLAVOUR=1,KIND=right,VARIANT=0"), with_patience()).outcome == Outcome::ok);
  CHECK(user.count("engine") == 1);
}

TEST_CASE("several threads compile at once, and each gets its own") {
  const Applicant user;
  EngineClient client;
  const CompileJob first = user.compile_job(kBaseline);
  const CompileJob second = user.compile_job("FLAVOUR=0,KIND=does_not_compile,VARIANT=3");
  const auto one = std::async(std::launch::async, [&] { return client.compile(first, with_patience()); });
  const auto other = client.compile(second, with_patience());
  CHECK(other.outcome == Outcome::compile_error);
  CHECK(contains(other.message, "this configuration is meant not to compile"));
  CHECK(const_cast<std::future<CompileAnswer>&>(one).get().outcome == Outcome::ok);
}

TEST_CASE("a request that cannot wait so long is told, and an engine that is lost is named and replaced") {
  const Applicant user;
  EngineClient client;
  const CompileJob forever = user.compile_job("FLAVOUR=0,KIND=compiles_forever,VARIANT=0");
  const CompileAnswer late = client.compile(forever, std::chrono::steady_clock::now() + std::chrono::milliseconds(300));
  CHECK(late.outcome == Outcome::compile_timeout);
  CHECK(contains(late.message, "`faults`"));

  auto lost = std::async(std::launch::async, [&] { return client.compile(forever, with_patience()); });
  // It may not have the job yet, and then it is the next one that is lost.
  REQUIRE(eventually([&] {
    user.kill("engine");
    return lost.wait_for(std::chrono::milliseconds(200)) == std::future_status::ready;
  }));
  const CompileAnswer answer = lost.get();
  CHECK(answer.outcome == Outcome::worker_lost);
  CHECK(contains(answer.message, "signal 9"));
  CHECK(client.compile(user.compile_job(kBaseline), with_patience()).outcome == Outcome::ok);
}

TEST_CASE("a source on which the compiler hangs is answered by the engine, and holds up nobody") {
  const Applicant user;
  EngineClient client;
  const CompileJob forever = user.compile_job("FLAVOUR=0,KIND=compiles_forever,VARIANT=0");
  const CompileJob other = user.compile_job(kBaseline);
  REQUIRE(client.compile(user.compile_job("FLAVOUR=1,KIND=right,VARIANT=0"), with_patience()).outcome == Outcome::ok);
  auto late = std::async(std::launch::async, [&] { return client.compile(forever, from_now(8s)); });
  CHECK(late.wait_for(300ms) == std::future_status::timeout);
  if (usable_cores() > 1) {
    CHECK(client.compile(other, with_patience()).outcome == Outcome::ok);
    CHECK(late.wait_for(0s) == std::future_status::timeout);
  }
  const CompileAnswer answer = late.get();
  CHECK(answer.outcome == Outcome::compile_timeout);
  CHECK(contains(answer.message, "not compiled within"));
  CHECK(user.count("engine") == 1);
}

TEST_CASE("an engine that stands still is replaced, and what waited behind the first request is compiled") {
  const Applicant user;
  EngineClient client;
  REQUIRE(client.compile(user.compile_job("FLAVOUR=1,KIND=right,VARIANT=0"), with_patience()).outcome == Outcome::ok);
  REQUIRE(user.signal("engine", SIGSTOP));
  const CompileJob job = user.compile_job(kBaseline);
  auto patient = std::async(std::launch::async, [&] { return client.compile(job, with_patience()); });
  const CompileAnswer answer = client.compile(user.compile_job("FLAVOUR=2,KIND=right,VARIANT=0"), from_now(100ms));
  CHECK(answer.outcome == Outcome::compile_timeout);
  const CompileAnswer later = patient.get();
  INFO(later.message);
  CHECK(later.outcome == Outcome::ok);
  CHECK(client.compile(user.compile_job("FLAVOUR=3,KIND=right,VARIANT=0"), with_patience()).outcome == Outcome::ok);
  CHECK(user.count("engine") == 1);
}

TEST_CASE("a forked copy of the program that ends leaves the engine to the program, and gets none itself") {
  const Applicant user;
  auto client = std::make_unique<EngineClient>();
  const CompileJob job = user.compile_job(kBaseline);
  REQUIRE(client->compile(job, with_patience()).outcome == Outcome::ok);
  const pid_t forked = fork();
  if (forked == 0) {
    const bool refused = client->compile(job, with_patience()).outcome == Outcome::worker_lost;
    client.reset();
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(forked, &status, 0) == forked);
  CHECK(status == 0);
  CHECK(user.count("engine") == 1);
  CHECK(client->compile(user.compile_job("FLAVOUR=1,KIND=right,VARIANT=0"), with_patience()).outcome == Outcome::ok);
}

TEST_CASE("a callback that throws ends nobody") {
  const Applicant user;
  const std::string libexec = getenv("TUNER_LIBEXEC");
  const CompileJob job = user.compile_job(kBaseline);
  setenv("TUNER_LIBEXEC", user.home().c_str(), 1);
  EngineClient client;
  std::promise<void> called;
  client.tune(user.tune_job(kSixteen), [&](const TuneAnswer&) {
    called.set_value();
    throw std::bad_alloc();
  });
  REQUIRE(called.get_future().wait_until(with_patience()) == std::future_status::ready);
  setenv("TUNER_LIBEXEC", libexec.c_str(), 1);
  CHECK(client.compile(job, with_patience()).outcome == Outcome::ok);
}

TEST_CASE("what the client leaves behind is nothing, even in the middle of a compile") {
  const Applicant user;
  {
    EngineClient client;
    client.compile(user.compile_job("FLAVOUR=0,KIND=compiles_forever,VARIANT=1"),
                   std::chrono::steady_clock::now() + std::chrono::milliseconds(300));
    CHECK(eventually([&] { return user.count("engine") == 1; }));  // what it is just starting looks like itself
  }
  CHECK(user.all_processes_end());
}

TEST_CASE("without the engine's program or without NVRTC, the answer says what is missing") {
  const Applicant user;
  const std::string libexec = getenv("TUNER_LIBEXEC");
  const CompileJob job = user.compile_job(kBaseline);
  {
    setenv("TUNER_LIBEXEC", user.home().c_str(), 1);
    EngineClient client;
    const CompileAnswer answer = client.compile(job, with_patience());
    CHECK(answer.outcome == Outcome::worker_lost);
    CHECK(contains(answer.message, "tuner-engine"));
    CHECK(contains(answer.message, "TUNER_LIBEXEC"));
    const TuneAnswer not_tuned = tune(client, user.tune_job(kSixteen));
    CHECK(not_tuned.result == TuneAnswer::Result::failed);
    CHECK(contains(not_tuned.message, "tuner-engine"));
    setenv("TUNER_LIBEXEC", libexec.c_str(), 1);
    CHECK(client.compile(job, with_patience()).outcome == Outcome::ok);  // installed meanwhile
  }
  setenv("TUNER_NVRTC", "/nonexistent", 1);
  EngineClient client;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const CompileAnswer answer = client.compile(job, with_patience());
    CHECK(answer.outcome == Outcome::worker_lost);
    CHECK(contains(answer.message, "NVRTC"));
    CHECK(contains(answer.message, "/nonexistent"));
  }
  const TuneAnswer not_tuned = tune(client, user.tune_job(kSixteen));
  CHECK(not_tuned.result == TuneAnswer::Result::failed);
  CHECK(contains(not_tuned.message, "/nonexistent"));
  unsetenv("TUNER_NVRTC");
}
