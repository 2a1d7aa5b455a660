#include "tuner/engine/compile/resource_log.hpp"

#include <doctest/doctest.h>

#include "tuner/core/binary/cubin.hpp"
#include "tuner/engine/compile/compile_wire.hpp"
#include "tuner/error.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

constexpr const char* kLog =
    "ptxas info    : 5922 bytes gmem\n"
    "ptxas info    : Compiling entry function '_Z5otherPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z5otherPf\n"
    "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 8 registers, used 0 barriers\n"
    "ptxas info    : Compile time = 5.280 ms\n"
    "ptxas info    : Compiling entry function '_Z5tunedPf' for 'sm_90'\n"
    "ptxas info    : Function properties for _Z5tunedPf\n"
    "ptxas         .     120 bytes stack frame, 96 bytes spill stores, 88 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 4096 bytes smem, 120 bytes cumulative stack size, 368 bytes "
    "cmem[0]\n"
    "ptxas info    : Compile time = 5.280 ms\n"
    "ptxas info    : Function properties for _Z6helperPf\n"
    "ptxas         .     16 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n";

}  // namespace

TEST_CASE("resource facts are those of the kernel that was asked for") {
  const cache::ResourceFacts tuned = facts_from_log(kLog, "_Z5tunedPf");
  CHECK(tuned.registers == 32);
  CHECK(tuned.stack_bytes == 120);
  CHECK(tuned.spill_store_bytes == 96);
  CHECK(tuned.spill_load_bytes == 88);
  CHECK(tuned.static_shared_bytes == 4096);
  const cache::ResourceFacts other = facts_from_log(kLog, "_Z5otherPf");
  CHECK(other.registers == 8);
  CHECK(other.stack_bytes == 0);
  CHECK(other.static_shared_bytes == 0);
}

TEST_CASE("what the log does not say stays empty") {
  for (const char* log :
       {"", "\n\n", "ptxas info    : Compiling entry function '_Z5tunedPf' for 'sm_90'", "Used x registers\n",
        "ptxas info : Compiling entry function '_Z5tunedPf' for 'sm_90'\nUsed 99999999999999 registers"}) {
    const cache::ResourceFacts facts = facts_from_log(log, "_Z5tunedPf");
    CHECK_FALSE(facts.registers);
    CHECK_FALSE(facts.stack_bytes);
  }
  CHECK_FALSE(facts_from_log(kLog, "_Z5tuned").registers);
}

TEST_CASE("the first error of a log is found whoever reports it") {
  CHECK(
      first_error(
          "user.cu(3): warning #177-D: unused\n  int a;\n\nuser.cu(7): error: identifier \"y\" is undefined\n  y\n") ==
      "user.cu(7): error: identifier \"y\" is undefined");
  CHECK(first_error("user.cu(2): catastrophic error: cannot open source file \"x.h\"\r\n") ==
        "user.cu(2): catastrophic error: cannot open source file \"x.h\"");
  CHECK(first_error("ptxas error   : Entry function 'k' uses too much shared data (0x10000 bytes, 0xc000 max)\n")
            .starts_with("ptxas error"));
  CHECK(first_error("nvrtc: error: unrecognized option --nonsense found\n") ==
        "nvrtc: error: unrecognized option --nonsense found");
  CHECK(first_error(kLog).empty());
}

TEST_CASE("bytes that are no cubin are no cubin") {
  CHECK_FALSE(facts_from_cubin({}, "k"));
  const std::vector<std::byte> zeros(5000);
  CHECK_FALSE(facts_from_cubin(zeros, "k"));
  CHECK(compiler_version(zeros).empty());
  CHECK(compiler_version({}).empty());
}

TEST_CASE("a request arrives as it was sent, whatever bytes are in its texts") {
  const CompileRequest request{"BLOCK=64",
                               std::string("// caf\xe9 \0 \n", 10) + std::string(300'000, 'x'),
                               "dir/k.cu",
                               "k<64, float>",
                               "sm_90",
                               {"--fmad=false", "-I a b"},
                               {{"a.cuh", "\xff"}, {"b.cuh", ""}}};
  ChannelPair pair = make_channel_pair();
  REQUIRE(pair.first.send(to_message(kCompile, request)));
  const std::optional<Message> message = pair.second.receive();
  REQUIRE(message);
  const CompileRequest received = request_from(*message);
  CHECK(received.configuration == request.configuration);
  CHECK(received.source == request.source);
  CHECK(received.file_name == request.file_name);
  CHECK(received.name_expression == request.name_expression);
  CHECK(received.architecture == request.architecture);
  CHECK(received.options == request.options);
  CHECK(received.headers == request.headers);
}

TEST_CASE("a reply arrives as it was sent") {
  CompileReply reply;
  reply.outcome = Outcome::compile_error;
  reply.message = "line \"1\"\xff";
  reply.log = "log\xff";
  reply.cubin = {std::byte{1}, std::byte{0}, std::byte{255}};
  reply.lowered_name = "_Z1k";
  reply.parameters = {{0, 8}, {8, 4}};
  reply.facts.registers = 40;
  reply.facts.binary_hash = "abc";
  reply.toolkit = "13.0.88";
  reply.milliseconds = 12.5;
  const CompileReply received = reply_from(to_message(reply));
  CHECK(received.outcome == reply.outcome);
  CHECK(received.message.starts_with("line \"1\""));
  CHECK(received.log == reply.log);
  CHECK(received.cubin == reply.cubin);
  CHECK(received.lowered_name == reply.lowered_name);
  REQUIRE(received.parameters.size() == 2);
  CHECK(received.parameters[1].offset == 8);
  CHECK(received.parameters[1].size == 4);
  CHECK(received.facts.registers == 40);
  CHECK_FALSE(received.facts.stack_bytes);
  CHECK(received.facts.binary_hash == "abc");
  CHECK(received.toolkit == "13.0.88");
  CHECK(received.milliseconds == 12.5);
}

TEST_CASE("a message of another form is an error that says so") {
  CHECK_THROWS_AS(reply_from({kCompiled, "{}", {}}), Error);
  CHECK_THROWS_AS(reply_from({kCompiled, "not json", {}}), Error);
  CHECK_THROWS_AS(
      request_from(
          {kCompile,
           R"({"configuration":"","file_name":"","name_expression":"","architecture":"","options":[],"headers":[]})",
           {}}),
      Error);
  CHECK_THROWS_AS(replace_from({kReplace, R"({"slot":"x"})", {}}), Error);
}
