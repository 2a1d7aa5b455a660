// With real binaries, which NVRTC makes.
#include "tuner/capture/stored/replayable.hpp"

#include <doctest/doctest.h>

#include "tests/engine/compile/toolkit.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

using namespace tuner;
using namespace tuner::capture;

namespace {

/// Of the first kernel of a source, as the compiler calls it.
Snapshot compiled(const std::string& source, const char* architecture, const std::string& name = "k",
                  const std::vector<std::string>& options = {}) {
  static const engine::NvrtcCompiler compiler({});
  engine::CompileRequest request = engine::testing::request_for(source, name);
  request.architecture = architecture;
  request.options = options;
  const engine::CompileReply reply = compiler.compile(request);
  REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.log);
  Snapshot snapshot;
  snapshot.kernel = reply.cubin.kernel;
  snapshot.image = reply.cubin.bytes;
  return snapshot;
}

std::string why_not(const std::string& source, const char* architecture, const std::string& name = "k") {
  return why_not_replayable(compiled(source, architecture, name));
}

constexpr const char* kArchitectures[] = {"sm_80", "sm_90", "sm_100", "sm_120"};

std::string with_handle(const std::string& statement) {
  return "__global__ void k(unsigned long long t, const unsigned long long* many, float* o) {\n  float f = 0; int w = "
         "0; "
         "const int i = threadIdx.x;\n  " +
         statement + "\n  o[i] = f + w;\n}\n";
}

}  // namespace

TEST_CASE("kernels that use textures or surfaces are refused") {
  const char* const statements[] = {
      R"(asm("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %2}];" : "=f"(f) : "l"(t), "f"(o[0]));)",
      R"(asm("tex.level.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %2}], %2;" : "=f"(f) : "l"(t), "f"(o[0]));)",
      R"(asm("tex.1d.v4.f32.s32 {%0, _, _, _}, [%1, {%2}];" : "=f"(f) : "l"(t), "r"(i));)",
      R"(asm("tld4.r.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %2}];" : "=f"(f) : "l"(t), "f"(o[0]));)",
      R"(asm("tex.2d.v4.f32.f32 {%0, _, _, _}, [%1, {%2, %2}];" : "=f"(f) : "l"(many[i]), "f"(o[0]));)",
      R"(asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));)",
      R"(asm("suq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));)",
      R"(asm volatile("suld.b.2d.b32.trap %0, [%1, {%2, %2}];" : "=r"(w) : "l"(t), "r"(i));)",
      R"(asm volatile("suld.b.2d.b32.trap %0, [%1, {%2, %2}];" : "=r"(w) : "l"(many[i]), "r"(i));)",
      R"(asm volatile("sust.b.2d.b32.trap [%0, {%1, %1}], %1;" :: "l"(t), "r"(i));)",
      R"(asm volatile("sust.b.2d.b32.trap [%0, {%1, %1}], %1;" :: "l"(many[i]), "r"(i));)",
      R"(asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %1}], %1;" :: "l"(t), "r"(i));)",
      R"(asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %1}], %1;" :: "l"(many[i]), "r"(i));)"};
  for (const char* architecture : kArchitectures) {
    for (const char* statement : statements) {
      CAPTURE(architecture);
      CAPTURE(statement);
      CHECK(why_not(with_handle(statement), architecture) == "uses textures or surfaces");
    }
    CHECK(why_not(with_handle("f = o[i + 1];"), architecture).empty());
  }
}

TEST_CASE("kernels that use tensor maps are refused, by their code or their parameters") {
  const auto source = [](const std::string& statement) {
    return "__global__ void k(const void* m, float* o) {\n  __shared__ __align__(128) float s[1024];\n  __shared__ "
           "unsigned "
           "long long bar;\n  const unsigned to = __cvta_generic_to_shared(s), b = __cvta_generic_to_shared(&bar);\n"
           "  s[threadIdx.x] = o[0];\n  " +
           statement + "\n  o[threadIdx.x] = s[threadIdx.x] + b;\n}\n";
  };
  const std::string by_tile[] = {
      R"(asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %2}], [%3];" :: "r"(to), "l"(m), "r"(0), "r"(b) : "memory");)",
      R"(asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%1, {%2, %2}], [%0];" :: "r"(to), "l"(m), "r"(0) : "memory");)",
      R"(asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%1, {%2, %2}], [%0];" :: "r"(to), "l"(m), "r"(0) : "memory");)",
      R"(asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %1}];" :: "l"(m), "r"(0) : "memory");)"};
  const std::string in_one_piece =
      R"(asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" :: "r"(to), "l"(m), "r"(b) : "memory");)";
  for (const char* architecture : {"sm_90", "sm_100", "sm_120"}) {
    CAPTURE(architecture);
    for (const std::string& statement : by_tile) CHECK(why_not(source(statement), architecture) == "uses tensor maps");
    CHECK(why_not(source(in_one_piece), architecture).empty());
  }
  const std::string type = "struct CUtensorMap_st { unsigned long long opaque[16]; };\n";
  CHECK(why_not(type + "__global__ void k(CUtensorMap_st m, float* o) { o[0] = 1; }\n", "sm_90") == "uses tensor maps");
  CHECK(why_not(type + "__global__ void k(const CUtensorMap_st* m, float* o) { o[0] = 1; }\n", "sm_90") ==
        "uses tensor maps");
}

TEST_CASE("kernels that allocate or free memory on the GPU are refused, and those beside them are not") {
  const std::string source =
      "__device__ int* kept;\n__device__ __noinline__ int* made(int n) { return (int*)malloc(n); }\n"
      "__global__ void k(int* o) { kept = made(o[0]); }\n__global__ void frees(int* o) { free(kept); }\n"
      "__global__ void prints(int* o) { printf(\"%d\", o[0]); }\n__global__ void plain(int* o) { o[0] = 1; }\n";
  for (const char* architecture : kArchitectures) {
    CAPTURE(architecture);
    // A module has more than the kernel that the compiler was asked for.
    Snapshot snapshot = compiled(source, architecture);
    CHECK(why_not_replayable(snapshot) == "allocates memory on the GPU");
    const auto of = [&](const char* mangled) {
      snapshot.kernel = mangled;
      return why_not_replayable(snapshot);
    };
    CHECK(of("_Z5freesPi") == "allocates memory on the GPU");
    CHECK(of("_Z6printsPi").empty());
    CHECK(of("_Z5plainPi").empty());
    CHECK(of("_Z7missingPi") == "the module that was found does not have it");
  }
}

TEST_CASE("kernels that launch others from the GPU are refused") {
  const std::string source =
      "__global__ void child(int* o) { o[threadIdx.x] = 1; }\n__global__ void k(int* o) { child<<<1, 32>>>(o); }\n";
  Snapshot snapshot = compiled(source, "sm_90", "k", {"-rdc=true"});
  CHECK(why_not_replayable(snapshot) == "launches kernels from the GPU");
  snapshot.kernel = "_Z5childPi";
  CHECK(why_not_replayable(snapshot).empty());
}

TEST_CASE("without a module, or with bytes that are none, a launch is refused") {
  Snapshot snapshot;
  snapshot.kernel = "k";
  CHECK(why_not_replayable(snapshot) == "its module is not known");
  snapshot.image.resize(100);
  CHECK(why_not_replayable(snapshot) == "the module that was found does not have it");
}

TEST_CASE("a module with damaged bytes gives some answer") {
  const Snapshot whole = compiled(with_handle(R"(asm("txq.width.b32 %0, [%1];" : "=r"(w) : "l"(t));)"), "sm_90");
  for (std::size_t at = 0; at < whole.image.size(); ++at) {
    Snapshot damaged = whole;
    damaged.image[at] = static_cast<std::byte>(0xff);
    why_not_replayable(damaged);
    functions_called(damaged.image, damaged.kernel);
  }
}
