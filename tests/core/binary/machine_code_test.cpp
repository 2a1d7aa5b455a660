#include "tuner/core/binary/machine_code.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/engine/compile/toolkit.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/binary/instruction.hpp"
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

MachineCode code_of(const std::string& source, const char* architecture) {
  const CompileReply reply = compiled(source, architecture);
  const std::optional<MachineCode> code = machine_code(reply.cubin.bytes, reply.cubin.kernel);
  REQUIRE(code);
  return *code;
}

// One expression of a[i] and b[i], stored to a[i].
std::string computing(const std::string& type, const std::string& expression) {
  return "__global__ void k(" + type + "* a, const " + type +
         "* b) {\n  const int i = threadIdx.x;\n  a[i] = " + expression + ";\n}\n";
}

// Copies `stride` values apart from shared memory.
std::string through_shared(const std::string& type) {
  return "__global__ void k(" + type + "* a, const " + type + "* b) {\n  __shared__ " + type +
         " s[256];\n  s[threadIdx.x] = b[threadIdx.x];\n  __syncthreads();\n  a[threadIdx.x] = s[255 - "
         "threadIdx.x];\n}\n";
}

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

TEST_CASE("instructions are told apart by what they do") {
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const auto count = [&](const char* type, const char* expression, Work work) {
      return code_of(computing(type, expression), architecture).all.of(work);
    };
    CHECK(count("float", "a[i] * b[i] + 3.0f", Work::float32) == 1);
    CHECK(count("float", "a[i] * b[i]", Work::float64) == 0);
    CHECK(count("double", "a[i] * b[i] + a[i + 1]", Work::float64) == 1);
    CHECK(count("double", "a[i] + b[i]", Work::float64) == 1);
    CHECK(count("int", "a[i] ^ b[i]", Work::integer) > 0);
    CHECK(count("float", "__sinf(b[i])", Work::special) == 1);
    CHECK(count("float", "int(b[i])", Work::conversion) == 2);
    CHECK(count("int", "__shfl_xor_sync(~0u, b[i], 1)", Work::exchange) == 1);
    CHECK(count("float", "b[i]", Work::global) == 2);
    CHECK(count("float", "b[i]", Work::control) >= 2);
    CHECK(count("float", "a[i] * b[i]", Work::other) <= 2);  // special registers
  }
}

TEST_CASE("tensor instructions are counted") {
  const std::string source =
      "#include <mma.h>\nusing namespace nvcuda::wmma;\n__global__ void k(float* to, const half* from) {\n"
      "  fragment<matrix_a, 16, 16, 16, half, row_major> a;\n  fragment<matrix_b, 16, 16, 16, half, col_major> b;\n"
      "  fragment<accumulator, 16, 16, 16, float> c;\n  fill_fragment(c, 0.0f);\n  load_matrix_sync(a, from, 16);\n"
      "  load_matrix_sync(b, from + 256, 16);\n  mma_sync(c, a, b, c);\n"
      "  store_matrix_sync(to, c, 16, mem_row_major);\n}\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    CHECK(code_of(source, architecture).all.of(Work::tensor) == 2);
  }
}

TEST_CASE("a double literal among floats shows as conversions and double arithmetic, also in the loop") {
  const auto source = [](const char* factor) {
    return std::string(
               "__global__ void k(float* a, int n) {\n  float x = a[threadIdx.x];\n"
               "#pragma unroll 1\n  for (int i = 0; i < n; ++i) x = x * ") +
           factor + " + 0.25f;\n  a[threadIdx.x] = x;\n}\n";
  };
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const MachineCode with = code_of(source("1.1"), architecture);
    REQUIRE(with.loop);
    CHECK(with.loop->of(Work::float64) == 1);
    CHECK(with.loop->double_conversions == 2);
    CHECK(with.all.double_conversions >= 2);
    const MachineCode without = code_of(source("1.1f"), architecture);
    CHECK(without.all.of(Work::float64) == 0);
    CHECK(without.all.double_conversions == 0);
    REQUIRE(without.loop);
    CHECK(without.loop->of(Work::float32) == 1);
    CHECK(without.loop->instructions < 10);
  }
}

TEST_CASE("an array that is indexed at run time is local memory, also in the loop") {
  const std::string source =
      "__global__ void k(float* to, const int* from, int n) {\n  float s[16];\n"
      "  for (int i = 0; i < 16; ++i) s[i] = 0;\n#pragma unroll 1\n  for (int i = 0; i < n; ++i) s[from[i] & 15] += "
      "i;\n"
      "  float sum = 0;\n  for (int i = 0; i < 16; ++i) sum += s[i];\n  to[threadIdx.x] = sum;\n}\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const MachineCode code = code_of(source, architecture);
    CHECK(code.all.local_loads > 1);
    CHECK(code.all.local_stores > 1);
    REQUIRE(code.loop);
    CHECK(code.loop->local_loads == 1);
    CHECK(code.loop->local_stores == 1);
    CHECK(code_of(copying("float"), architecture).all.of(Work::local) == 0);
  }
}

TEST_CASE("loads and stores of shared memory are counted by width") {
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const auto check = [&](const char* type, const ByWidth& expected) {
      const CodeCounts counts = code_of(through_shared(type), architecture).all;
      CHECK(counts.shared_loads == expected);
      CHECK(counts.shared_stores == expected);
      CHECK(counts.of(Work::shared) == 2);
    };
    check("char", {1, 0, 0, 0});
    check("float", {0, 1, 0, 0});
    check("float2", {0, 0, 1, 0});
    check("float4", {0, 0, 0, 1});
  }
}

TEST_CASE("atomics of global and of shared memory are told apart") {
  const std::string on_global[] = {
      "__global__ void k(float* a, const float* b) { atomicAdd(a, b[threadIdx.x]); }\n",
      "__global__ void k(int* a, const int* b) { a[threadIdx.x + 9] = atomicAdd(a + b[threadIdx.x], 3); }\n",
      "__global__ void k(float* a, const float* b) { a[threadIdx.x + 9] = atomicAdd(a, b[threadIdx.x]); }\n",
      "__global__ void k(int* a, const int* b) { a[threadIdx.x + 9] = atomicCAS(a, b[threadIdx.x], 3); }\n"};
  const std::string on_shared[] = {
      "__global__ void k(int* a, const int* b) {\n  __shared__ int s[32];\n  s[threadIdx.x] = 0;\n  __syncthreads();\n"
      "  atomicAdd(s + b[threadIdx.x], b[threadIdx.x + 32]);\n  __syncthreads();\n  a[threadIdx.x] = "
      "s[threadIdx.x];\n}\n",
      "__global__ void k(float* a, const float* b) {\n  __shared__ float s[32];\n  s[threadIdx.x] = 0;\n  "
      "__syncthreads();\n"
      "  atomicAdd(s + (threadIdx.x & 3), b[threadIdx.x]);\n  __syncthreads();\n  a[threadIdx.x] = "
      "s[threadIdx.x];\n}\n"};
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    for (const std::string& source : on_global) {
      CAPTURE(source);
      const CodeCounts counts = code_of(source, architecture).all;
      CHECK(counts.global_atomics == 1);
      CHECK(counts.shared_atomics == 0);
    }
    for (const std::string& source : on_shared) {
      CAPTURE(source);
      const CodeCounts counts = code_of(source, architecture).all;
      CHECK(counts.global_atomics == 0);
      CHECK(counts.shared_atomics == 1);
    }
  }
}

TEST_CASE("loads that are asked for together are under way together") {
  const std::string chased =
      "__global__ void k(int* to, const int* from, int n) {\n  int at = threadIdx.x;\n#pragma unroll 4\n"
      "  for (int i = 0; i < 4 * n; ++i) at = from[at];\n  to[threadIdx.x] = at;\n}\n";
  const std::string table =
      "__global__ void k(float* to, const float* from, int n) {\n  float t[4], sum = 0;\n"
      "  for (int i = 0; i < 4; ++i) t[i] = from[i * 4096 + threadIdx.x];\n#pragma unroll 1\n"
      "  for (int i = 0; i < n; ++i) sum = sum * t[i & 1 ? 0 : 1] + t[i & 1 ? 2 : 3] * to[i * 4096 + threadIdx.x];\n"
      "  to[threadIdx.x] = sum;\n}\n";
  const std::string rest =
      "__global__ void k(float* to, const float* from, int n) {\n  const int i = 4 * threadIdx.x;\n"
      "  if (i + 4 <= n) {\n    *(float4*)(to + i) = *(const float4*)(from + i);\n    return;\n  }\n"
      "#pragma unroll 1\n  for (int j = i; j < n; ++j) to[j] = -from[j];\n}\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const UnderWay eight = code_of(adding(8), architecture).under_way;
    CHECK(eight.loads == 8);
    CHECK(eight.bytes == 32);
    CHECK(eight.in_loop);
    const UnderWay one = code_of(chased, architecture).under_way;
    CHECK(one.loads == 1);
    CHECK(one.in_loop);
    const UnderWay straight = code_of(computing("float4", "b[i + 64]"), architecture).under_way;
    CHECK(straight.loads == 1);
    CHECK(straight.bytes == 16);
    CHECK_FALSE(straight.in_loop);
    // A table that is filled before the loop.
    const UnderWay looking_up = code_of(table, architecture).under_way;
    CHECK(looking_up.loads == 1);
    CHECK(looking_up.in_loop);
    // Wide loads of what can be read so, and a loop over the rest.
    const UnderWay wide = code_of(rest, architecture).under_way;
    CHECK(wide.bytes == 16);
    CHECK_FALSE(wide.in_loop);
    const UnderWay two = code_of(computing("float", "b[i] * a[i]"), architecture).under_way;
    CHECK(two.bytes == 8);
  }
}

TEST_CASE("copies into shared memory are under way for as many groups as the code leaves") {
  const auto source = [](int groups) {
    return "__global__ void k(float4* to, const float4* from, int n) {\n  extern __shared__ float4 s[];\n"
           "  unsigned slot = __cvta_generic_to_shared(s + threadIdx.x);\n  float x = 0;\n#pragma unroll 1\n"
           "  for (int i = 0; i < n; ++i) {\n    asm volatile(\"cp.async.cg.shared.global [%0], [%1], 16;"
           "cp.async.commit_group;cp.async.wait_group " +
           std::to_string(groups) +
           ";\" ::\"r\"(slot + i * 512), \"l\"(from + threadIdx.x + i * 512) : \"memory\");\n"
           "    x += s[threadIdx.x + i].x;\n  }\n  to[threadIdx.x].x = x;\n}\n";
  };
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    CHECK(code_of(source(0), architecture).under_way.bytes == 16);
    CHECK(code_of(source(3), architecture).under_way.bytes == 64);
    CHECK(code_of(source(3), architecture).under_way.loads == 4);
  }
}

TEST_CASE("the loop with the most instructions is the one described") {
  const std::string source =
      "__global__ void k(float* a, int n, int m) {\n  float x = a[threadIdx.x], y = x;\n#pragma unroll 1\n"
      "  for (int i = 0; i < n; ++i) {\n#pragma unroll 1\n    for (int j = 0; j < m; ++j) y = y * x + 1.0f;\n  }\n"
      "#pragma unroll 1\n  for (int i = 0; i < m; ++i) {\n#pragma unroll\n    for (int j = 0; j < 16; ++j) x = x * y + "
      "2.0f;\n"
      "  }\n  a[threadIdx.x] = x + y;\n}\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    const MachineCode code = code_of(source, architecture);
    REQUIRE(code.loop);
    CHECK(code.loop->of(Work::float32) == 16);
    CHECK(code.loop->of(Work::control) >= 1);
    CHECK(code.loop->instructions < code.all.instructions);
    CHECK_FALSE(code_of(copying("float"), architecture).loop);
  }
}

TEST_CASE("code that reads a clock is told from code that reads another register, or none") {
  const auto reads_clock = [](const std::string& statement, const char* architecture) {
    const CompileReply reply = compiled("__global__ void k(long long* o) { long long w = 0; int i = 0;\n  " +
                                            statement + "\n  o[threadIdx.x] = w + i; }\n",
                                        architecture);
    const auto code =
        instructions(kernel_code(reply.cubin.bytes, reply.cubin.kernel), cubin_architecture(reply.cubin.bytes));
    REQUIRE(!code.empty());
    return std::any_of(code.begin(), code.end(), [](const Instruction& each) { return each.reads_clock(); });
  };
  const std::string clocks[] = {"w = clock64();", "i = clock();",
                                R"(asm volatile("mov.u32 %0, %%clock_hi;" : "=r"(i));)",
                                R"(asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(w));)",
                                R"(asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(i));)"};
  const std::string others[] = {"w = 0x5051525354555657;",
                                "i = threadIdx.y + blockIdx.x + blockIdx.z;",
                                R"(asm volatile("mov.u32 %0, %%laneid;" : "=r"(i));)",
                                R"(asm volatile("mov.u32 %0, %%smid;" : "=r"(i));)",
                                R"(asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(i));)",
                                "i = warpSize; __syncthreads();"};
  for (const char* const architecture : kArchitectures) {
    CAPTURE(std::string(architecture));
    for (const std::string& statement : clocks) {
      CAPTURE(statement);
      CHECK(reads_clock(statement, architecture));
    }
    for (const std::string& statement : others) {
      CAPTURE(statement);
      CHECK_FALSE(reads_clock(statement, architecture));
    }
  }
}
