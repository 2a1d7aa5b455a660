// `tuner check --compile`: the real compiler, and no GPU unless a default needs one.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/end_to_end/story.hpp"

using namespace tuner::test;

namespace {

using Json = nlohmann::json;

constexpr const char* kKernel = R"(#pragma tuner kernel(k) problem(n: size = 1000) param(A, 1, 2, 3, 4) param(B, 0, 1)
#pragma tuner grid(ceil_div(n, 64)) block(64) out(y, float, n) scalar(n, int32)
__global__ void k(float* y, int n) {
#if A == 2
#error "two is too few"
#endif
#if A == 4 && B == 1
  no_such_function();
#endif
  __shared__ float room[64 * A];
  room[threadIdx.x] = A;
  __syncthreads();
  if (blockIdx.x * 64 + threadIdx.x < n) y[blockIdx.x * 64 + threadIdx.x] = room[63 - threadIdx.x];
}
)";

struct Compiling : User {
  Compiling() { folder().write("k.cu", kKernel); }
  Result check(const Words& more) const { return run(joined({"check", "k.cu", "--workers", "2"}, more)); }
};

}  // namespace

TEST_CASE("all configurations are compiled for an architecture without a GPU, and failures are listed by their cause") {
  const Compiling user;
  const Result result = user.check({"--compile", "all", "--arch", "sm_86", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 1, result.err);
  const Json report = Json::parse(result.out);
  CHECK_EQ(report["architecture"], "sm_86");
  CHECK_EQ(report["cases"], 8);
  CHECK_EQ(report["left_out"], 0);
  for (const Json& one : report["compiled"]) {
    const std::string configuration = one["configuration"];
    CAPTURE(configuration);
    if (one["outcome"] != "ok") continue;
    CHECK_GT(one["registers"].get<int>(), 0);
    CHECK_EQ(one["spill_store_bytes"], 0);
    CHECK_EQ(one["static_shared_bytes"], 256 * (configuration[2] - '0'));
    CHECK_GT(one["compile_ms"].get<double>(), 0);
  }
  REQUIRE_EQ(report["findings"].size(), 2);
  CHECK_EQ(report["findings"][0]["configurations"], 2);
  check_has(report["findings"][0]["message"], {"k.cu(5)", "two is too few"});
  CHECK_EQ(report["findings"][1]["configurations"], 1);
  check_has(report["findings"][1]["message"], {"k.cu(8)", "no_such_function"});
}

TEST_CASE("a number of configurations, conditions and problems are obeyed, and the result is a table") {
  const Compiling user;
  const Result result = user.check({"--compile", "3", "--arch", "sm_90a", "--where", "A == 3", "--problem", "n=7"});
  check_out(result, 0,
            {"k for sm_90a", "2 configurations compiled", "registers", "spill stores", "static shared", "Problem: n=7",
             "A=3,B=0"});
  CHECK_FALSE(result.out.find("A=1") != std::string::npos);
}

TEST_CASE("without a GPU the architecture must be named, and one that the compiler does not know is refused") {
  const Compiling user;
  check_error(user.check({"--compile", "all"}), 2, {"--arch sm_90", "compiles for sm_75"});
  check_error(user.check({"--compile", "all", "--arch", "sm_50"}), 2, {"`sm_50`", "compiles for sm_75"});
  check_error(user.check({"--compile", "all", "--arch", "hopper"}), 2, {"`hopper`", "sm_90"});
  check_error(user.check({"--compile", "some", "--arch", "sm_90"}), 2, {"`all`", "`some`"});
}

TEST_CASE("what has no effect beside --compile is refused") {
  const Compiling user;
  for (const Words& more :
       {Words{"--host"}, Words{"--seed", "1"}, Words{"--configurations", "2"}, Words{"--pad", "y=4"}})
    check_error(user.check(joined({"--compile", "all", "--arch", "sm_90"}, more)), 2, {"has no effect"});
  check_error(user.check({"--compile", "2", "--arch", "sm_90", "--config", "A=1"}), 2, {"use `--compile all`"});
  check_error(user.check({"--host", "--arch", "sm_90"}), 2, {"--compile all"});
}

TEST_CASE("a check that has no more time to compile says how many are left") {
  const Compiling user;
  const Words twice{"--problem", "n=7", "--problem", "n=8"};
  check_out(user.check(joined({"--compile", "all", "--arch", "sm_90", "--budget", "1ms"}, twice)), 2,
            {"16 configurations not compiled"});
}

TEST_CASE("the GPU at hand is compiled for where no architecture is named") {
  Tuner user;
  user.folder().write("k.cu", kKernel);
  check_out(user.run({"check", "k.cu", "--compile", "1", "--workers", "1"}), 0, {"k for sm_"});
  check_error(user.run({"check", "k.cu", "--compile", "1", "--device", "7"}), 3, {"There is no GPU 7 here"});
}
