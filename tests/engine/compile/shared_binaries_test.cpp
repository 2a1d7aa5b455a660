#include "tuner/engine/compile/shared_binaries.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/engine/session/fake_lanes.hpp"

namespace tuner::engine {
namespace {

using Texts = std::vector<std::string>;

CompileRequest program(const std::string& source) {
  return {.configuration = source, .source = source, .name_expression = "kernel", .architecture = "sm_90"};
}

TEST_CASE("what was compiled for one session is answered to the next, unless it may have been a fluke") {
  Outcome hangs = Outcome::compile_timeout;
  FakeCompileLane compiler([&](const std::string& configuration) {
    Behaviour behaviour;
    if (configuration == "hangs") behaviour.compile = hangs;
    if (configuration == "wrong") behaviour.compile = Outcome::compile_error;
    return behaviour;
  });
  SharedBinaries shared(compiler);
  TicketId ticket = 0;
  const auto compile = [&](CompileRequest request) {
    shared.submit(++ticket, std::move(request));
    const auto completions = shared.poll();
    REQUIRE(completions.size() == 1);
    CHECK(completions.front().ticket == ticket);
    return completions.front().reply;
  };
  for (const char* source : {"good", "wrong", "hangs"}) compile(program(source));
  hangs = Outcome::ok;
  CompileRequest renamed = program("good");
  renamed.configuration = "another problem's";
  CHECK(compile(renamed).facts.binary_hash.text == "good");
  CHECK(compile(program("wrong")).outcome == Outcome::compile_error);
  CHECK(compile(program("hangs")).outcome == Outcome::ok);
  CHECK(compiler.submitted == Texts{"good", "wrong", "hangs", "hangs"});
  CHECK(shared.answered_at_once() == 2);
  // Whatever the binary depends on tells programs apart.
  CompileRequest other = program("good");
  other.architecture = "sm_80";
  compile(other);
  other = program("good");
  other.options = {"-G"};
  compile(other);
  other = program("good");
  other.headers = {{"h", "text"}};
  compile(other);
  other = program("good");
  other.front_end_only = true;
  compile(other);
  CHECK(compiler.submitted.size() == 8);
}

TEST_CASE("binaries are shared up to so many bytes, the newest longest") {
  FakeCompileLane compiler([](const std::string&) { return Behaviour{}; });  // 16 bytes each
  SharedBinaries shared(compiler, 40);
  TicketId ticket = 0;
  const auto compile = [&](const std::string& source) {
    shared.submit(++ticket, program(source));
    return shared.poll().size();
  };
  for (const char* source : {"a", "b", "c", "c", "b", "a"}) CHECK(compile(source) == 1);
  CHECK(compiler.submitted == Texts{"a", "b", "c", "a"});
}

std::set<TicketId> tickets_of(const std::vector<CompileLane::Completion>& completions) {
  std::set<TicketId> tickets;
  for (const auto& completion : completions) tickets.insert(completion.ticket);
  return tickets;
}

TEST_CASE("what is being compiled for one session is compiled once for all who ask for it") {
  FakeCompileLane compiler([](const std::string&) { return Behaviour(); });
  SharedBinaries shared(compiler);
  shared.submit(1, program("one"));
  shared.submit(2, program("one"));
  shared.submit(3, program("another"));
  shared.submit(4, program("one"));
  const auto completions = shared.poll();
  CHECK(compiler.submitted == Texts{"one", "another"});
  CHECK(tickets_of(completions) == std::set<TicketId>{1, 2, 3, 4});
  double milliseconds = 0;
  for (const auto& completion : completions) {
    CHECK(completion.reply.facts.binary_hash.text == (completion.ticket == 3 ? "another" : "one"));
    milliseconds += completion.reply.milliseconds;
  }
  CHECK(milliseconds == 40);  // 20 for each program
  CHECK(shared.poll().empty());
}

TEST_CASE("what may have been a fluke is compiled again for those who waited, but not for who has given up") {
  Outcome outcome = Outcome::worker_lost;
  FakeCompileLane compiler([&](const std::string&) {
    Behaviour behaviour;
    behaviour.compile = outcome;
    return behaviour;
  });
  SharedBinaries shared(compiler);
  for (const TicketId ticket : {1, 2, 3, 4}) shared.submit(ticket, program("one"));
  shared.cancel(3);
  outcome = Outcome::ok;
  const auto first = shared.poll();
  CHECK(tickets_of(first) == std::set<TicketId>{1, 3});
  for (const auto& completion : first) CHECK(completion.reply.outcome == Outcome::worker_lost);
  const auto second = shared.poll();
  CHECK(tickets_of(second) == std::set<TicketId>{2, 4});
  for (const auto& completion : second) CHECK(completion.reply.outcome == Outcome::ok);
  CHECK(compiler.submitted == Texts{"one", "one"});
}

}  // namespace
}  // namespace tuner::engine
