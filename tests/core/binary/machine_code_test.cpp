#include "tuner/core/binary/machine_code.hpp"

#include <doctest/doctest.h>

#include <string>

#include "tests/engine/compile/toolkit.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

using namespace tuner;
using namespace tuner::engine;
using testing::request_for;

namespace {

constexpr const char* kArchitectures[] = {"sm_80", "sm_86", "sm_89", "sm_90", "sm_100", "sm_120"};

CompileReply compiled(const std::string& source, const char* architecture, const std::string& name = "k") {
  static const NvrtcCompiler compiler({});
  CompileRequest request = request_for(source, name);
  request.architecture = architecture;
  CompileReply reply = compiler.compile(request);
  REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.log);
  return reply;
}

GlobalLoads loads_of(const std::string& source, const char* architecture) {
  const CompileReply reply = compiled(source, architecture);
  const std::optional<GlobalLoads> loads = global_loads(reply.cubin.bytes, reply.cubin.kernel);
  REQUIRE(loads);
  return *loads;
}

std::string copying(const std::string& type) {
  return "__global__ void k(" + type + "* to, const " + type + "* from) { to[threadIdx.x] = from[threadIdx.x]; }\n";
}

// Adds up numbers that lie far apart, `unrolled` at a time.
std::string adding(int unrolled) {
  return "__global__ void k(float* to, const float* from, int n) {\n  float sum = 0;\n#pragma unroll " +
         std::to_string(unrolled) + "\n  for (int i = 0; i < " + std::to_string(unrolled) +
         " * n; ++i) sum += from[i * 4096 + threadIdx.x];\n  to[threadIdx.x] = sum;\n}\n";
}

using ByWidth = GlobalLoads::ByWidth;

}  // namespace

TEST_CASE("the width of a load is that of the type it loads, on every architecture") {
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    CHECK(loads_of(copying("signed char"), architecture).to_registers == ByWidth{1, 0, 0, 0});
    CHECK(loads_of(copying("short"), architecture).to_registers == ByWidth{1, 0, 0, 0});
    CHECK(loads_of(copying("float"), architecture).to_registers == ByWidth{0, 1, 0, 0});
    CHECK(loads_of(copying("double"), architecture).to_registers == ByWidth{0, 0, 1, 0});
    CHECK(loads_of(copying("float2"), architecture).to_registers == ByWidth{0, 0, 1, 0});
    const GlobalLoads widest = loads_of(copying("float4"), architecture);
    CHECK(widest.to_registers == ByWidth{0, 0, 0, 1});
    CHECK(widest.to_shared == ByWidth{});
    CHECK(widest.widest_bits() == 128);
    CHECK(widest.waits_in_loop == std::nullopt);
  }
}

TEST_CASE("loads past the cache, through the read-only path and under a predicate are counted") {
  const std::string source =
      "__global__ void k(float4* to, const float4* a, const float4* __restrict__ b, const float2* c, int n) {\n"
      "  float4 sum = __ldcs(a + threadIdx.x), more = __ldg(b + threadIdx.x);\n"
      "  float2 last = make_float2(0, 0);\n"
      "  if (threadIdx.x < n) last = __ldcg(c + threadIdx.x);\n"
      "  to[threadIdx.x] = make_float4(sum.x + more.x, sum.y + more.y, sum.z + more.z + last.x, sum.w + more.w + "
      "last.y);\n}\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    CHECK(loads_of(source, architecture).to_registers == ByWidth{0, 0, 1, 2});
  }
}

TEST_CASE("asynchronous copies are counted apart, by their width") {
  const auto copy = [](const char* type, int bytes, const char* cache) {
    return std::string("__global__ void k(") + type + "* to, const " + type + "* from) {\n  __shared__ " + type +
           " s[128];\n  unsigned slot = __cvta_generic_to_shared(s + threadIdx.x);\n  asm volatile(\"cp.async." +
           cache + ".shared.global [%0], [%1], " + std::to_string(bytes) +
           "; cp.async.wait_all;\" ::\"r\"(slot), \"l\"(from + threadIdx.x) : \"memory\");\n" +
           "  to[threadIdx.x] = s[threadIdx.x];\n}\n";
  };
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    CHECK(loads_of(copy("float", 4, "ca"), architecture).to_shared == ByWidth{0, 1, 0, 0});
    CHECK(loads_of(copy("double", 8, "ca"), architecture).to_shared == ByWidth{0, 0, 1, 0});
    const GlobalLoads widest = loads_of(copy("float4", 16, "cg"), architecture);
    CHECK(widest.to_shared == ByWidth{0, 0, 0, 1});
    CHECK(widest.to_registers == ByWidth{});
    CHECK(widest.widest_bits() == 128);
  }
}

TEST_CASE("loads that are asked for together expose one latency, those that depend on each other one each") {
  const std::string chased =
      "__global__ void k(int* to, const int* from, int n) {\n  int at = threadIdx.x;\n#pragma unroll 4\n"
      "  for (int i = 0; i < 4 * n; ++i) at = from[at];\n  to[threadIdx.x] = at;\n}\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const GlobalLoads one = loads_of(adding(1), architecture);
    CHECK(one.to_registers == ByWidth{0, 1, 0, 0});
    CHECK(one.waits_in_loop == 1);
    const GlobalLoads four = loads_of(adding(4), architecture);
    CHECK(four.to_registers[1] >= 4);
    CHECK(four.waits_in_loop == 1);
    CHECK(loads_of(chased, architecture).waits_in_loop == 4);
  }
}

TEST_CASE("other kernels of the file, unknown kernels and damaged binaries are not read") {
  const std::string source = copying("float4") +
                             "extern \"C\" __global__ void other(int* to, const int* from) {\n"
                             "  to[threadIdx.x] = from[threadIdx.x] + from[threadIdx.x + 32];\n}\n";
  const CompileReply reply = compiled(source, "sm_90", "other");
  CHECK(global_loads(reply.cubin.bytes, "other")->to_registers == ByWidth{0, 2, 0, 0});
  CHECK_FALSE(global_loads(reply.cubin.bytes, "another"));
  CHECK_FALSE(global_loads({}, "other"));
  for (std::size_t size = 0; size < reply.cubin.bytes.size(); size += 7) {
    global_loads(std::span(reply.cubin.bytes).first(size), "other");
  }
  std::vector<std::byte> damaged = reply.cubin.bytes;
  for (std::size_t i = 0; i < damaged.size(); i += 11) {
    damaged[i] ^= std::byte{0xff};
    global_loads(damaged, "other");
  }
}
