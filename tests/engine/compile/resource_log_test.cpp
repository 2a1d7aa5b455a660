#include "tuner/engine/compile/resource_log.hpp"

#include <doctest/doctest.h>

#include "tuner/core/binary/cubin.hpp"

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
