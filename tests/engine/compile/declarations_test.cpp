// What is declared to a source before its first line, and what is compiled once for many.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/engine/compile/compiled.hpp"
#include "tuner/core/binary/cubin.hpp"

using namespace tuner;
using namespace tuner::engine;
using testing::compiled;
using testing::compiler;
using testing::request_for;
using testing::tiled;

namespace {

bool same_instructions(const CompileReply& a, const CompileReply& b) {
  const auto code = kernel_code(a.cubin.bytes, a.cubin.kernel), other = kernel_code(b.cubin.bytes, b.cubin.kernel);
  return !code.empty() && std::equal(code.begin(), code.end(), other.begin(), other.end());
}

}  // namespace

TEST_CASE("a header that is precompiled changes no binary, and is used only where it fits") {
  NvrtcCompiler with({});
  std::string log;
  const auto source = [](const std::string& includes, int value) {
    return assemble_source({includes + "__global__ void k(__half* p) { p[0] = __hadd(p[1], __float2half(value)); }\n",
                            "user.cu",
                            {{"value", std::to_string(value)}},
                            {}});
  };
  CompileRequest request = request_for(source("#include <cuda_fp16.h>\n", 1));
  if (!with.toolkit().at_least(12, 8)) return;  // has no precompiled headers
  REQUIRE_MESSAGE(with.precompile(request, log), log);
  CHECK(log.find("using precompiled header") != std::string::npos);
  for (const int value : {1, 2}) {
    request.source = source("#include <cuda_fp16.h>\n", value);
    const CompileReply fast = with.compile(request);
    const CompileReply plain = compiler().compile(request);
    REQUIRE(fast.outcome == Outcome::ok);
    CHECK(fast.facts.binary_hash == plain.facts.binary_hash);
    CHECK(fast.log.find("precompiled") == std::string::npos);
  }
  request.options = {"--fmad=false"};
  CHECK(with.compile(request).outcome == Outcome::ok);
  CHECK_FALSE(with.precompile(request_for("int a;\n"), log));
  CHECK_FALSE(with.precompile(request_for("#include <nowhere.h>\n"), log));
  CHECK(log.find("nowhere.h") != std::string::npos);
}

TEST_CASE("declaring less changes no binary") {
  const NvrtcCompiler everything({}, Builtins::all);
  std::vector<CompileRequest> requests{tiled()};
  for (const char* body : {"p[0] = exp(p[1]) + atomicAdd(p, 1.0);", "p[0] = __shfl_sync(~0u, p[1], 3) * sinpi(p[2]);",
                           "__shared__ double s[64]; s[threadIdx.x] = p[0]; __syncthreads(); p[0] = s[1];",
                           "printf(\"%f\", p[0]); assert(p[1] > 0);", "double4 v{p[0], p[1]}; p[threadIdx.x] = v.y;"})
    requests.push_back(request_for(std::string("extern \"C\" __global__ void k(double* p) { ") + body + " }\n"));
  for (const CompileRequest& request : requests) {
    const CompileReply less = compiler().compile(request), all = everything.compile(request);
    REQUIRE_MESSAGE(all.outcome == Outcome::ok, all.log);
    CHECK(less.cubin.bytes == all.cubin.bytes);
    CHECK(less.cubin.kernel == all.cubin.kernel);
    CHECK(less.facts.binary_hash == all.facts.binary_hash);
  }
}

TEST_CASE("cooperative groups without what they include make the same instructions") {
  const NvrtcCompiler everything({}, Builtins::all);
  for (const char* body :
       {"p[0] = cg::reduce(tile, p[t], cg::plus<int>());", "p[t] = cg::reduce(tile, p[t], cg::greater<int>());",
        "p[t] = cg::inclusive_scan(tile, p[t]);", "p[t] = cg::exclusive_scan(tile, float(p[t]), cg::plus<float>());",
        "p[t] = tile.shfl_xor(p[t], 3) + tile.any(p[t] > 2); tile.sync();",
        "const auto some = cg::coalesced_threads(); p[t] = cg::reduce(some, p[t], cg::bit_or<int>());",
        "const auto same = cg::labeled_partition(tile, p[t]); p[t] = same.size() + same.thread_rank();",
        "__shared__ int s[64]; cg::memcpy_async(block, s, p, sizeof s); cg::wait(block); p[t] = s[63 - t % 64];",
        "cg::this_grid().sync(); p[t] = cg::this_grid().thread_rank();", "p[t] = cg::this_cluster().num_blocks();"}) {
    const CompileRequest request = request_for(
        std::string(
            "#include <cooperative_groups.h>\n#include <cooperative_groups/memcpy_async.h>\n"
            "#include <cooperative_groups/reduce.h>\n#include <cooperative_groups/scan.h>\n"
            "namespace cg = cooperative_groups;\n"
            "extern \"C\" __global__ void k(int* p) { const auto block = cg::this_thread_block(); const auto tile "
            "= cg::tiled_partition<32>(block); const int t = threadIdx.x; ") +
        body + " }\n");
    const CompileReply less = compiled(request, compiler()), all = compiled(request, everything);
    CHECK_MESSAGE(same_instructions(less, all), body);
    CHECK(less.facts.registers == all.facts.registers);
    CHECK(globals_in_cubin(less.cubin.bytes).size() < 100);
  }
}

TEST_CASE("cooperative groups with all they include where a source needs it, precompiled or not") {
  CompileRequest atomics = request_for(
      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
      "namespace cg = cooperative_groups;\n"
      "__device__ cuda::atomic<int, cuda::thread_scope_device> total;\n"
      "extern \"C\" __global__ void k(int* p) {\n"
      "  cg::reduce_update_async(cg::tiled_partition<32>(cg::this_thread_block()), total, p[0], "
      "cg::plus<int>());\n}\n");
  atomics.file_name = "atomics.cu";
  const NvrtcCompiler plain({}), everything({}, Builtins::all);
  NvrtcCompiler precompiled({});
  const CompileReply expected = compiled(atomics, everything);
  CHECK(plain.compile(atomics).cubin.bytes == expected.cubin.bytes);
  if (!plain.toolkit().at_least(12, 8)) return;  // has no precompiled headers
  std::string log;
  REQUIRE_MESSAGE(precompiled.precompile(atomics, log), log);
  CHECK(same_instructions(precompiled.compile(atomics), expected));
}

TEST_CASE("cooperative groups without what they include are precompiled so, and come from a header as well") {
  CompileRequest request = request_for(
      "#include \"groups.cuh\"\n#include <cuda_fp16.h>\n"
      "extern \"C\" __global__ void k(int* p) { p[0] = cg::reduce(cg::tiled_partition<32>(cg::this_thread_block()), "
      "p[1], cg::plus<int>()); }\n");
  request.headers = {{"groups.cuh",
                      "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n"
                      "namespace cg = cooperative_groups;\n"}};
  const CompileReply plain = compiled(request);
  CHECK(globals_in_cubin(plain.cubin.bytes).size() < 100);
  NvrtcCompiler precompiled({});
  if (!precompiled.toolkit().at_least(12, 8)) return;  // has no precompiled headers
  std::string log;
  REQUIRE_MESSAGE(precompiled.precompile(request, log), log);
  CHECK(precompiled.compile(request).cubin.bytes == plain.cubin.bytes);
}

TEST_CASE("a source that needs what was not declared is compiled with everything") {
  CompileRequest textures = request_for(
      "__global__ void k(cudaTextureObject_t texture, float* p) { p[0] = tex1Dfetch<float>(texture, 0); }\n");
  textures.file_name = "textures.cu";
  const NvrtcCompiler local({}), everything({}, Builtins::all);
  const CompileReply expected = compiled(textures, everything);
  for (int i = 0; i < 2; ++i) CHECK(local.compile(textures).cubin.bytes == expected.cubin.bytes);
  // A source that asks what is declared gets the same answer as from everything.
  const CompileRequest asking = request_for(
      "#ifdef __CUDACC_RTC_MINIMAL__\n#define VALUE 1\n#else\n#define VALUE 2\n#endif\n"
      "__global__ void k(int* p) { p[0] = VALUE; }\n");
  CHECK(compiler().compile(asking).cubin.bytes == everything.compile(asking).cubin.bytes);
}

TEST_CASE("a source that does not compile is refused in the same words, however much is declared") {
  const NvrtcCompiler everything({}, Builtins::all);
  for (const char* source : {"__global__ void k(int* p) { p[0] = missing; }\n",
                             "__global__ void k(int* p) { __shared__ int s[1 << 20]; s[p[0]] = 1; p[1] = s[p[2]]; }\n",
                             "__global__ void other(int* p) { p[0] = 1; }\n"}) {
    const CompileReply less = compiler().compile(request_for(source)), all = everything.compile(request_for(source));
    CHECK(less.outcome == Outcome::compile_error);
    CHECK(less.outcome == all.outcome);
    CHECK(less.message == all.message);
  }
}
