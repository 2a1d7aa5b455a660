// From a build that is watched to the proof of its sources. Skipped where there is no nvcc, or no watching.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tests/sources/device_compile/program_code.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tuner/error.hpp"
#include "tuner/sources/device_compile/compiler_version.hpp"
#include "tuner/sources/device_compile/device_compile.hpp"
#include "tuner/sources/device_compile/proved_source.hpp"
#include "tuner/sources/device_compile/reproduction.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"
#include "tuner/sources/recorded/watch.hpp"

using namespace tuner;
using namespace tuner::sources;
using Result = Reproduction::Result;

namespace {

WatchedBuild watch_lines(const std::string& lines) {
  if (access(TUNER_NVCC, X_OK) != 0) test::skip("nvcc is not installed");
  try {
    return watch_build({.command = {"sh", "-c", lines}, .output_to_stderr = true}, false);
  } catch (const Error& error) {
    test::skip(error.what());
  }
}

}  // namespace

TEST_CASE("of a watched build each source proves to be that of its kernels, and of no other's") {
  const test::TemporaryFolder folder;
  folder.write("include/scale.h", "template <int N> __global__ void scale(float* x) { x[threadIdx.x] *= N; }\n");
  folder.write("src/a.cu", R"(
#include "scale.h"
static __global__ void twin(float* x) { x[0] += COUNT; }
void a() { scale<2><<<1, 1>>>(0); twin<<<1, 1>>>(0); }
)");
  folder.write("src/b.cu", R"(
#include <scale.h>
static __global__ void twin(float* x) { x[1] *= 7; }
void b() { scale<2><<<1, 1>>>(0); scale<3><<<1, 1>>>(0); twin<<<1, 1>>>(0); }
)");
  folder.write("options", "--no-compress -c -DCOUNT=3\n");
  const WatchedBuild build =
      watch_lines("cd '" + folder.path().string() +
                  "' && mkdir made && cd made && export CPATH=../include && " TUNER_NVCC
                  " -arch=sm_80 --options-file ../options ../src/a.cu ../src/b.cu && rm ../options");
  REQUIRE(build.status.code == 0);
  REQUIRE_EQ(build.commands.size(), 1);
  const CompilerCommand& command = build.commands.front();
  const std::string version = nvcc_version(command).number;
  std::map<std::string, std::vector<std::byte>> again, program;
  for (const std::filesystem::path& source : sources_of(command)) {
    const std::string name = source.stem();
    const DeviceTarget target{.source = source, .architecture = 80, .version = version};
    const DeviceCode code = compile_for_device(device_command(command, target), {});
    INFO(code.log);
    REQUIRE_EQ(code.outcome, Outcome::ok);
    again[name] = code.cubin;
    program[name] = test::program_code(folder / ("made/" + name + ".o"));
  }
  REQUIRE_EQ(program.size(), 2);
  const auto proof = [&](const char* source, const char* of, const char* kernel) {
    return reproduces(again[source], program[of], kernel, source).result;
  };
  for (const char* name : {"a", "b"}) {
    for (const std::string& kernel : functions_in_cubin(program[name]))
      CHECK_EQ(proof(name, name, kernel.c_str()), Result::reproduced);
  }
  CHECK_EQ(proof("a", "b", "_Z5scaleILi2EEvPf"), Result::reproduced);  // of a header that both have
  CHECK_EQ(proof("a", "b", "_Z4twinPf"), Result::other_code);
  CHECK_EQ(proof("a", "b", "_Z5scaleILi3EEvPf"), Result::no_such_kernel);

  const auto found = [&](const char* of, const char* kernel, const char* name, const std::string& only = {}) {
    const SourceProof proof = prove_source(build.commands, {program[of], kernel, name}, only, {});
    return proof.proved ? std::filesystem::path(proof.proved->source).filename().string() : proof.sentence;
  };
  CHECK_EQ(found("b", "_Z4twinPf", "twin"), "b.cu");
  CHECK_EQ(found("a", "_Z4twinPf", "twin"), "a.cu");
  CHECK_EQ(found("b", "_Z5scaleILi3EEvPf", "scale"), "b.cu");
  CHECK(found("b", "_Z4twinPf", "twin", (folder / "src/a.cu").string()).find("changed") != std::string::npos);
  CHECK(found("b", "_Z4nonePf", "none").find("None of the 2 sources") == 0);
  folder.write("src/b.cu", "mistake");
  CHECK(found("b", "_Z5scaleILi3EEvPf", "scale").find("could not be compiled") != std::string::npos);
}
