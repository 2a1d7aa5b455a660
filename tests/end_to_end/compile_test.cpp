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

TEST_CASE("a texture behind a typedef is found in what was compiled, with the line of its argument") {
  const Compiling user;
  user.folder().write("k.cu", R"(typedef unsigned long long Image;
#pragma tuner kernel(sample) problem(n: size = 4096) param(BLOCK, 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner scalar(image, uint64, value 0) out(y, float, n) scalar(n, int32)
__global__ void sample(Image image, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = tex1Dfetch<float>(image, i);
}
)");
  check_out(
      user.check({"--compile", "all", "--arch", "sm_90"}), 1,
      {"launch_refused", "k.cu:3:", "`image` may be its handle", "uses a texture, a surface or a tensor map (tex."});
}

TEST_CASE(
    "a barrier over the grid is told of where one is compiled, under whatever name, and not for another kernel's") {
  const auto kernel = [](const std::string& barrier, const std::string& others) {
    return "#include <cooperative_groups.h>\n"
           "template <typename G> __device__ void wait_all(G& group) { group.sync(); }\n"
           "#pragma tuner kernel(two) problem(n: size = 4096) param(WAY, 0, 1) grid(32) block(64)\n"
           "#pragma tuner inout(a, float, n) scalar(n, int32)\n"
           "__global__ void two(float* a, int n) {\n"
           "  const int i = blockIdx.x * 64 + threadIdx.x;\n"
           "  if (i < n) a[i] += 1;\n" +
           barrier + "\n  if (i < n) a[i] *= 2;\n}\n" + others;
  };
  const Compiling user;
  user.folder().write("k.cu", kernel("#if WAY == 1\n"
                                     "  auto everything = cooperative_groups::this_grid();\n  wait_all(everything);\n"
                                     "#endif\n",
                                     ""));
  const Words compiling{"--compile", "all", "--arch", "sm_90"};
  check_out(user.check(compiling), 0, {"`two` with WAY=1 waits for the whole grid"});
  user.folder().write("k.cu", kernel("", "__global__ void other() { cooperative_groups::this_grid().sync(); }\n"));
  const Result unused = user.check(compiling);
  check_out(unused, 0, {"two for sm_90"});
  CHECK(unused.out.find("whole grid") == std::string::npos);
}

TEST_CASE("the architecture that is named is the one that was compiled for, also where the description says it") {
  const Compiling user;
  std::string text = kKernel;
  text.insert(text.find(" problem("), " options(\"-arch=sm_90a\")");
  user.folder().write("k.cu", text);
  check_out(user.check({"--compile", "1", "--arch", "sm_80", "--where", "A == 3"}), 0, {"k for sm_90a"});
}
