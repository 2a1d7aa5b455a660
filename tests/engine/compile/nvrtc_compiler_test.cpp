#include "tuner/engine/compile/nvrtc_compiler.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "tests/core/task/npy_file.hpp"
#include "tests/engine/compile/compiled.hpp"
#include "tests/engine/compile/toolkit.hpp"
#include "tests/support/errors.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/engine/compile/program.hpp"

using namespace tuner;
using namespace tuner::engine;
using testing::compiled;
using testing::compiler;
using testing::request_for;
using testing::tiled;
namespace fs = std::filesystem;

namespace {

bool says(const CompileReply& reply, const char* words) {
  return reply.message.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a kernel compiles for an older, a current and a newer architecture") {
  const std::vector<std::string>& known = compiler().toolkit().architectures;
  int tried = 0;
  for (const char* architecture : {"sm_75", "sm_90", "sm_120"}) {
    if (std::find(known.begin(), known.end(), architecture) == known.end()) continue;
    ++tried;
    CAPTURE(architecture);
    CompileRequest request = tiled();
    request.architecture = architecture;
    const CompileReply reply = compiled(request);
    CHECK(reply.message.empty());
    CHECK(reply.cubin.kernel == "_Z1kILi64EfEvPT0_PKS0_ci");
    CHECK(reply.cubin.bytes.size() > 1000);
    CHECK(reply.facts.registers.value_or(0) > 4);
    CHECK(reply.facts.static_shared_bytes == 256);
    CHECK(reply.facts.stack_bytes == 0);
    CHECK(reply.facts.spill_store_bytes == 0);
    CHECK(reply.facts.binary_hash.text.size() == 32);
    CHECK(reply.milliseconds > 0);
    REQUIRE(reply.parameters.size() == 4);
    const KernelParameter expected[] = {{0, 8}, {8, 8}, {16, 1}, {20, 4}};
    for (std::size_t i = 0; i < 4; ++i) {
      CHECK(reply.parameters[i].offset == expected[i].offset);
      CHECK(reply.parameters[i].size == expected[i].size);
    }
    const std::optional<CubinFacts> facts = facts_from_cubin(reply.cubin.bytes, reply.cubin.kernel);
    REQUIRE(facts);
    CHECK(facts->registers == reply.facts.registers);
  }
  CHECK(tried >= 2);
}

TEST_CASE("the same program gives the same binary, another program another") {
  const CompileReply first = compiler().compile(tiled());
  CompileRequest renamed = tiled();
  renamed.file_name = "elsewhere.cu";
  const CompileReply second = compiler().compile(renamed);
  CHECK(first.facts.binary_hash == second.facts.binary_hash);
  CHECK(first.cubin.bytes == second.cubin.bytes);
  renamed.source += "\n// a comment changes nothing\n";
  CHECK(compiler().compile(renamed).facts.binary_hash == first.facts.binary_hash);
  renamed.name_expression = "k<128, float>";
  CHECK(compiler().compile(renamed).facts.binary_hash != first.facts.binary_hash);
}

TEST_CASE("errors carry the file and line that the user wrote") {
  CompileRequest request = request_for("");
  request.source = assemble_source(
      {"// first\n\n__global__ void k(int* p) {\n  p[0] = missing;\n}\n", "dir/user.cu", {{"A", "1"}, {"B", "2"}}, {}});
  CompileReply reply = compiler().compile(request);
  CHECK(reply.outcome == Outcome::compile_error);
  CHECK(reply.message ==
        "dir/user.cu(4): error: `missing` is not known here: if it is a variable of the host, which is left out, "
        "declare it `__device__`, `__constant__` or `constexpr`.");
  CHECK(reply.log.find("dir/user.cu(4)") != std::string::npos);
  CHECK(reply.cubin.bytes.empty());

  request.source =
      assemble_source({"#include <cuda_fp16.h>\n#include \"nowhere.cuh\"\n", "dir/user.cu", {{"A", "1"}}, {}});
  reply = compiler().compile(request);
  CHECK(says(reply, "nowhere.cuh"));
  CHECK(says(reply, "(2)"));
}

TEST_CASE("a kernel that is not there is named") {
  const CompileReply reply = compiler().compile(request_for("__global__ void other() {}\n", "wanted<4>"));
  CHECK(reply.outcome == Outcome::compile_error);
  CHECK(says(reply, "user.cu"));
  CHECK(says(reply, "'wanted<4>'"));
}

TEST_CASE("kernels with C linkage and in namespaces are found") {
  CHECK(compiler().compile(request_for("extern \"C\" __global__ void k(int* p) { *p = 1; }\n")).cubin.kernel == "k");
  CHECK(
      compiler().compile(request_for("namespace n { __global__ void k(int* p) { *p = 1; } }\n", "n::k")).cubin.kernel ==
      "_ZN1n1kEPi");
}

TEST_CASE("what ptxas refuses is a failure with its reason") {
  const CompileReply reply = compiler().compile(request_for(
      "__global__ void k(int* p) { __shared__ int a[20000]; a[p[0]] = 1; __syncthreads(); p[0] = a[p[1]]; }\n"));
  CHECK(reply.outcome == Outcome::compile_error);
  CHECK(says(reply, "too much shared data"));
  CHECK(reply.log.find('\0') == std::string::npos);
}

TEST_CASE("spills and large parameters are seen") {
  CompileRequest request = request_for(
      "__global__ void k(float* p) { float v[64];\n"
      "#pragma unroll\n"
      "for (int i = 0; i < 64; ++i) v[i] = p[i * 32];\n"
      "__syncthreads();\n"
      "#pragma unroll\n"
      "for (int i = 0; i < 64; ++i) p[i] = v[i] * v[63 - i]; }\n");
  request.options = {"--maxrregcount=24"};
  const CompileReply spilled = compiled(request);
  CHECK(spilled.facts.spill_store_bytes.value_or(0) > 0);
  CHECK(spilled.facts.spill_load_bytes.value_or(0) > 0);
  CHECK(spilled.facts.stack_bytes.value_or(0) > 0);
  CHECK(spilled.facts.registers == 24);

  if (!compiler().toolkit().at_least(12, 1)) return;  // before, a kernel took 4 KB
  const CompileReply large = compiler().compile(
      request_for("struct B { char a[20000]; }; __global__ void k(char c, B b, int* p) { p[0] = b.a[p[1]]; }\n"));
  REQUIRE(large.outcome == Outcome::ok);
  REQUIRE(large.parameters.size() == 3);
  CHECK(large.parameters[1].offset == 1);
  CHECK(large.parameters[1].size == 20000);
  CHECK(large.parameters[2].offset == 20008);
}

TEST_CASE("the request's options come last and replace the defaults they speak of") {
  CompileRequest request = request_for("");
  request.options = {"--std=c++20", "-arch=sm_80", "--fmad=false"};
  const std::vector<std::string> options = compiler().options(request);
  CHECK(std::count(options.begin(), options.end(), "--std=c++17") == 0);
  CHECK(std::count(options.begin(), options.end(), "-arch=sm_90") == 0);
  CHECK(options.back() == "--fmad=false");
  const std::vector<std::string> plain = compiler().options(request_for(""));
  CHECK(std::count(plain.begin(), plain.end(), "--std=c++17") == 1);
  CHECK(std::count(plain.begin(), plain.end(), "-arch=sm_90") == 1);
  request.options = {"--nonsense"};
  CHECK(compiler().compile(request).message.find("--nonsense") != std::string::npos);
}

TEST_CASE("a standard header in memory that brings the toolkit's is precompiled with it") {
  NvrtcCompiler with({});
  if (!with.toolkit().at_least(12, 8)) return;
  CompileRequest request = request_for("#include <cub/cub.cuh>\n__global__ void k(int* p) { p[0] = 1; }\n");
  request.headers = quoted_headers(request.source, "user.cu", {}, {});
  std::string log;
  REQUIRE_MESSAGE(with.precompile(request, log), log);
  request.source =
      "#include <cub/cub.cuh>\n__global__ void k(int* p) {\n"
      "  __shared__ cub::WarpReduce<int>::TempStorage storage;\n"
      "  p[0] = cub::WarpReduce<int>(storage).Sum(p[threadIdx.x]);\n}\n";
  CHECK(compiled(request, with).facts.binary_hash == compiled(request).facts.binary_hash);
}

TEST_CASE("headers of the toolkit's find standard ones that the source does not name, and a user's own first") {
  const test::TemporaryFolder folder;
  CompileRequest request = request_for("#include <cuda_occupancy.h>\n__global__ void k(int* p) { *p = INT_MAX; }\n");
  const CompileReply with_ours = compiled(request);
  CHECK(with_ours.message.empty());
  folder.write("limits.h", "#include_next_is_not_for_nvrtc\n");
  request.options = {"-I" + folder.path().string()};
  CHECK(says(compiler().compile(request), "limits.h(1)"));
  folder.write("limits.h", "#define INT_MAX 0x7fffffff\n#define UINT_MAX 0xffffffffU\n");
  CHECK(compiled(request).cubin.bytes == with_ours.cubin.bytes);
}

TEST_CASE("an architecture that the toolkit does not know is refused with those it knows") {
  NvrtcCompiler instance({});
  instance.warm_up("sm_90");
  CHECK(instance.toolkit().version.starts_with(std::to_string(instance.toolkit().major) + "."));
  CHECK(std::count(instance.toolkit().version.begin(), instance.toolkit().version.end(), '.') == 2);
  CHECK_NOTHROW(instance.warm_up("sm_90a"));
  const std::string message = test::error_of(Errc::no_toolkit, [&] { instance.warm_up("sm_20"); });
  CHECK(message.find("sm_20") != std::string::npos);
  CHECK(message.find("sm_90") != std::string::npos);
}

TEST_CASE("a damaged cubin is read without a crash") {
  const CompileReply reply = compiled(tiled());
  std::uint32_t state = 7;
  const auto random = [&](std::size_t bound) {
    state = state * 1664525 + 1013904223;
    return static_cast<std::size_t>(state >> 8) % bound;
  };
  std::size_t understood = 0;
  for (int round = 0; round < 30'000; ++round) {
    std::vector<std::byte> damaged = reply.cubin.bytes;
    for (std::size_t flips = 1 + random(8); flips > 0; --flips)
      damaged[round % 2 == 0 ? random(damaged.size()) : random(64)] = static_cast<std::byte>(random(256));
    if (round % 3 == 0) damaged.resize(random(damaged.size()));
    damaged.shrink_to_fit();
    if (facts_from_cubin(damaged, reply.cubin.kernel)) ++understood;
    compiler_version(damaged);
  }
  CHECK(understood > 0);
  CHECK(understood < 30'000);
}

TEST_CASE("toolkit headers are taken from beside the library first") {
  const test::TemporaryFolder folder;
  const fs::path& root = folder.path();
  fs::create_directories(root / "include" / "cccl");
  fs::create_directories(root / "lib64");
  folder.write("include/cuda_fp16.h", "");
  const std::vector<fs::path> expected{root / "include", root / "include" / "cccl"};
  CHECK(find_include_folders(root / "lib64" / "libnvrtc.so.13") == expected);
  setenv("TUNER_CUDA_INCLUDE_DIR", (root / "include").c_str(), 1);
  CHECK(find_include_folders("/usr/lib/libnvrtc.so.13") == expected);
  unsetenv("TUNER_CUDA_INCLUDE_DIR");
}

TEST_CASE("variables in global memory are found wherever the source declares them, and nothing else is") {
  for (const char* architecture : {"sm_80", "sm_90", "sm_120"}) {
    CompileRequest request = request_for(
        "__device__ unsigned plain; static __device__ double hidden = 3; __constant__ float weights[4];\n"
        "namespace outer { __device__ int4 deep[5]; } namespace { __device__ short nameless = 2; }\n"
        "__managed__ long long managed = 7;\n"
        "extern \"C\" __device__ int printf(const char*, ...);\n"
        "__global__ void k(float* x) { static int local; __shared__ int shared; shared = 1;\n"
        "if (x == nullptr) printf(\"%d\", shared);\n"
        "x[0] = ++plain + ++hidden + weights[threadIdx.x] + ++outer::deep[0].x + ++nameless + ++managed + ++local; }\n",
        "k");
    request.architecture = architecture;
    const CompileReply reply = compiled(request);
    std::vector<std::uint64_t> sizes;
    for (const CubinArray& global : globals_in_cubin(reply.cubin.bytes)) sizes.push_back(global.bytes);
    std::sort(sizes.begin(), sizes.end());
    CHECK(sizes == std::vector<std::uint64_t>{2, 4, 4, 8, 8, 80});
  }
  CHECK(globals_in_cubin({}).empty());
}

TEST_CASE("arrays in constant memory are found by the names that the source has for them") {
  for (const char* architecture : {"sm_80", "sm_90", "sm_120"}) {
    CompileRequest request = request_for(
        "__constant__ float weights[49]; static __constant__ double hidden[3]; __constant__ int unused[2];\n"
        "namespace outer { namespace inner { __constant__ float4 deep[5]; } __constant__ char twice[1]; }\n"
        "namespace other { __constant__ char twice[2]; __constant__ char not_deep[4]; }\n"
        "namespace v2 { __constant__ short numbered[3]; static __constant__ short local[5]; }\n"
        "namespace { __constant__ short nameless[7]; }\n"
        "__global__ void k(float* x) { x[0] = weights[threadIdx.x] + hidden[threadIdx.x] + "
        "outer::inner::deep[threadIdx.x].x; }\n",
        "k");
    request.architecture = architecture;
    const CompileReply reply = compiled(request);
    const auto bytes = [&](std::string_view name) {
      const auto array = array_in_cubin(reply.cubin.bytes, name);
      return array ? array->bytes : 0;
    };
    CHECK(bytes("weights") == 49 * 4);
    CHECK(bytes("hidden") == 24);
    CHECK(bytes("unused") == 8);
    CHECK(bytes("deep") == 80);
    CHECK(array_in_cubin(reply.cubin.bytes, "deep")->symbol == "_ZN5outer5inner4deepE");
    CHECK(bytes("numbered") == 6);
    CHECK(bytes("local") == 10);
    CHECK(bytes("nameless") == 14);
    CHECK(bytes("twice") == 0);  // which?
    CHECK(bytes("eep") == 0);
    CHECK(bytes("k") == 0);
    CHECK_FALSE(array_in_cubin({}, "weights"));
  }
}
