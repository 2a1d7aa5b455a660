// With the real nvcc: skipped where it is not installed.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tests/sources/device_compile/program_code.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/text.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/device_compile.hpp"
#include "tuner/sources/device_compile/reproduction.hpp"

using namespace tuner;
using namespace tuner::sources;
using tuner::test::contains;
using tuner::test::program_code;
using tuner::test::skip;
using tuner::test::TemporaryFolder;

namespace {

using Words = std::vector<std::string>;
using Cubin = std::vector<std::byte>;
using Result = Reproduction::Result;

// What is compiled must be known to every toolkit, 12 and 13.
constexpr int kArchitecture = 80;

CompilerCommand nvcc(const std::filesystem::path& folder, Words arguments) {
  if (access(TUNER_NVCC, X_OK) != 0) skip("nvcc is not installed");
  arguments.insert(arguments.begin(), "nvcc");
  return {TUNER_NVCC, folder, std::move(arguments), {}};
}

/// As the program's build made it; the command ends with `-o FILE`.
Cubin built(const CompilerCommand& command) {
  const TemporaryFolder temporary;
  const LimitedRun run = run_limited(command, temporary.path(), {});
  INFO(run.said);
  REQUIRE_EQ(run.outcome, Outcome::ok);
  return program_code(std::filesystem::path(command.folder) / command.arguments.back());
}

DeviceTarget wanted(const std::string& source) {
  return {.source = source, .architecture = kArchitecture, .version = "13.0.88"};
}

Cubin again(const CompilerCommand& command, const DeviceTarget& target) {
  const DeviceCode code = compile_for_device(device_command(command, target), {});
  INFO(code.log);
  REQUIRE_EQ(code.outcome, Outcome::ok);
  return code.cubin;
}

constexpr const char* kSource = R"(
#include <cstdio>
namespace { __device__ float table[4]; __global__ void hidden(float* x) { x[threadIdx.x] *= FACTOR + table[1]; } }
static __global__ void quiet(float* x) { __shared__ float s[64]; s[threadIdx.x] = x[0]; __syncthreads(); x[0] = s[3]; }
__global__ void loud(double* x, int n) {
  switch (n) { case 1: x[0] *= 1.1; break; case 2: x[1] = sin(x[0]); break; case 3: x[2] /= x[1]; break;
               case 4: x[3] = sqrt(x[1]); break; case 5: x[4] += 3.3; break; default: printf("n"); }
}
int main() { hidden<<<1, 1>>>(0); quiet<<<1, 1>>>(0); loud<<<1, 1>>>(0, 1); }
)";

}  // namespace

TEST_CASE("the command of a build, run again for the device, gives the code of the program") {
  static const TemporaryFolder folder;  // these once for all subcases
  folder.write("a b/-k.cu", kSource);
  static const CompilerCommand command =
      nvcc(folder / "a b", {"-arch=sm_80", "-O2", "-DFACTOR=2", "--no-compress", "-MD", "-c", "./-k.cu", "-o", "k.o"});
  static const Cubin program = built(command);
  std::filesystem::remove(folder / "a b/k.d");
  static const Cubin cubin = again(command, wanted("-k.cu"));
  CHECK_FALSE(std::filesystem::exists(folder / "a b/k.d"));
  const Words names = functions_in_cubin(program);
  CHECK_EQ(names.size(), 3);
  for (const std::string& name : names) {
    const Reproduction answer = reproduces(cubin, program, name, "-k.cu");
    CHECK_EQ(answer.sentence, "");
    CHECK_EQ(answer.result, Result::reproduced);
    CHECK_EQ(answer.kernel, name);
  }

  SUBCASE("a copy of another name gives the same, with other names for what the file hides") {
    DeviceTarget copy = wanted("-k.cu");
    copy.file = folder.write("a b/copy.cu", kSource);
    const Cubin copied = again(command, copy);
    for (const std::string& name : names) {
      const Reproduction answer = reproduces(copied, program, name, "copy.cu");
      CHECK_EQ(answer.result, Result::reproduced);
      CHECK_EQ(answer.kernel == name, !contains(name, "_GLOBAL__N_"));
    }
  }
  SUBCASE("another definition gives another code of the kernel that uses it") {
    DeviceTarget other = wanted("-k.cu");
    other.file = folder.write("a b/guarded.cu", std::string("#undef FACTOR\n#define FACTOR 3\n") + kSource);
    const Cubin changed = again(command, other);
    for (const std::string& name : names) {
      const Reproduction answer = reproduces(changed, program, name, "k.cu");
      if (!contains(name, "hidden")) {
        CHECK_EQ(answer.result, Result::reproduced);
        continue;
      }
      CHECK_EQ(answer.result, Result::other_code);
      CHECK_EQ(
          answer.sentence,
          "The source or the options have changed since the capture: k.cu, compiled as the program's build did, gives "
          "other instructions for " +
              name + ".");
    }
  }
  SUBCASE("a source without the kernel is said to be that") {
    DeviceTarget other = wanted("-k.cu");
    other.file = folder.write("a b/empty.cu", "__global__ void other() {}\n");
    const Reproduction answer = reproduces(again(command, other), program, "_Z5quietPf", "k.cu");
    CHECK_EQ(answer.result, Result::no_such_kernel);
    CHECK(contains(answer.sentence, "has no kernel _Z5quietPf"));
    CHECK(contains(reproduces(cubin, {}, "_Z5quietPf", "k.cu").sentence,
                   "The capture has no machine code of _Z5quietPf"));
  }
  SUBCASE("code is made of one kernel alone where the others are not wanted") {
    DeviceTarget alone = wanted("-k.cu");
    alone.kernel = "_Z5quietPf";
    const Cubin small = again(command, alone);
    CHECK_EQ(functions_in_cubin(small), Words{"_Z5quietPf"});
    CHECK_EQ(reproduces(small, program, "_Z5quietPf", "k.cu").result, Result::reproduced);
  }
  SUBCASE("damaged machine code has no kernel, or another one, and no more") {
    for (std::size_t size = 0; size < program.size(); size += 97)
      CHECK_NE(reproduces(std::span(cubin).first(std::min(size, cubin.size() / 2)), program, names[0], "k.cu").result,
               Result::reproduced);
    Cubin damaged = cubin;
    for (std::size_t at = 0; at < damaged.size(); at += 31) {
      damaged[at] = ~damaged[at];
      for (const std::string& name : names) {
        reproduces(damaged, program, name, "k.cu");
        reproduces(program, damaged, name, "k.cu");
      }
    }
  }
}

TEST_CASE("relocatable code is compared but for addresses, and linked with the program's other objects") {
  const TemporaryFolder folder;
  folder.write("k.cu", R"(
__device__ float far(float);
__constant__ float table[4];
static __global__ void twin(float* x) { x[threadIdx.x] += table[2]; }
__noinline__ __device__ float near(float v) { return v * v + table[1]; }
__global__ void loud(float* x) { x[threadIdx.x] = far(near(x[1])); }
int main() { twin<<<1, 1>>>(0); loud<<<1, 1>>>(0); }
)");
  folder.write("far.cu", R"(
__device__ float far(float v) { return v / 3; }
static __global__ void twin(float* x) { x[threadIdx.x] *= 7; }
int other() { twin<<<1, 1>>>(0); return 0; }
)");
  const CompilerCommand command = nvcc(folder.path(), {"-arch=sm_80", "-dc", "k.cu", "-o", "k.o"});
  built(command);
  built(nvcc(folder.path(), {"-arch=sm_80", "-dc", "far.cu", "-o", "far.o"}));
  const Cubin program =
      built(nvcc(folder.path(), {"-arch=sm_80", "-dlink", "-cubin", "far.o", "k.o", "-o", "linked.cubin"}));
  const Cubin alone = again(command, wanted("k.cu"));
  DeviceTarget with_far = wanted("k.cu");
  with_far.linked = {"far.o"};
  const Cubin linked = again(command, with_far);
  int twins = 0;
  for (const std::string& name : functions_in_cubin(program)) {
    if (!contains(name, "twin") && name != "_Z4loudPf") continue;
    // Of two kernels of one name in two files the name in the program says which it is.
    const bool is_of_far = contains(name, "far_cu");
    twins += contains(name, "twin");
    for (const Cubin& cubin : {alone, linked}) {
      const Reproduction answer = reproduces(cubin, program, name, "k.cu");
      INFO(answer.sentence);
      CHECK_EQ(answer.result, is_of_far && &cubin == &alone ? Result::other_code : Result::reproduced);
    }
  }
  CHECK_EQ(twins, 2);
}

TEST_CASE("PTX alone is compiled for the GPU, and the build's list of architectures is seen by the source") {
  const TemporaryFolder folder;
  folder.write("k.cu", R"(
#define TEXT(...) #__VA_ARGS__
#define LIST(x) TEXT(x)
__global__ void k(const char** x) { *x = LIST(__CUDA_ARCH_LIST__) " " LIST(__CUDA_ARCH__); }
)");
  const Cubin cubin = again(nvcc(folder.path(), {"-gencode=arch=compute_75,code=compute_75",
                                                 "-gencode=arch=compute_90,code=sm_90", "-c", "k.cu"}),
                            wanted("k.cu"));
  CHECK_EQ(cubin_architecture(cubin), kArchitecture);
  const std::string text(reinterpret_cast<const char*>(cubin.data()), cubin.size());
  CHECK(contains(text, "750,900 750"));
}

TEST_CASE("what nvcc says of a wrong source is the first error") {
  const TemporaryFolder folder;
  folder.write("k.cu", "#warning first\n__global__ void k() { wrong; }\n");
  const CompilerCommand command = nvcc(folder.path(), {"-arch=sm_80", "-c", "k.cu"});
  const DeviceCode code = compile_for_device(device_command(command, wanted("k.cu")), {});
  CHECK_EQ(code.outcome, Outcome::compile_error);
  CHECK(contains(code.message, "identifier \"wrong\" is undefined"));
}

TEST_CASE("nvcc tells its version") {
  const NvccVersion version = nvcc_version(nvcc("/", {}));
  CHECK(contains(version.text, "release " + version.number.substr(0, version.number.rfind('.'))));
}
