// `--build`: kernels that the program's own nvcc compiles. Skipped where nvcc is not installed.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/program.hpp"
#include "tests/support/files.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/text.hpp"

using namespace tuner::test;

namespace {

using nlohmann::json;

const std::string kDirectives = R"(
#pragma tuner kernel(scale) problem(n: size = 1000)
#pragma tuner out(y, float, n) in(x, float, n) scalar(n, int)
#pragma tuner param(BLOCK, 64, 128; default 128) block(BLOCK) grid(ceil_div(n, BLOCK))
)";
const std::string kKernel = R"(
__global__ void scale(float* y, const float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i] + 1;
}
)";

const Words kCheck{"check", "main.cu", "--compile", "2", "--arch", "sm_90", "--build", "build.json"};

/// A user with `main.cu`, and with a record of how nvcc compiled it.
class Builder {
 public:
  explicit Builder(const std::string& source, const Words& options = {}) {
    if (access(TUNER_NVCC, X_OK) != 0) skip("nvcc is not installed");
    write_bytes(user_.home() / "main.cu", source);
    record(joined(options, {"-arch=sm_90", "-c", "main.cu", "-o", "main.o"}));
  }
  /// One more command of the build.
  void record(const Words& words) {
    commands_.push_back({{"program", TUNER_NVCC},
                         {"folder", user_.home().string()},
                         {"arguments", joined({"nvcc"}, words)},
                         {"environment", json::object()}});
    write_bytes(user_.home() / "build.json", json{{"format", 1}, {"commands", commands_}}.dump());
  }
  const User& user() const { return user_; }
  User& user() { return user_; }
  Result check(const Words& more = {}) const { return user_.run(joined(kCheck, more)); }

 private:
  User user_;
  json commands_ = json::array();
};

}  // namespace

TEST_CASE("NVRTC compiles what it compiles to the same machine code") {
  const Result result = Builder("#include <cstdio>" + kDirectives + kKernel, {"-O3"}).check();
  CHECK(result.exit_code == 0);
  CHECK(contains(result.err, "NVRTC compiles the kernel, to the machine code that the program's nvcc"));
  CHECK(contains(result.out, "with NVRTC"));
}

TEST_CASE("nvcc compiles what NVRTC compiles to other machine code") {
  const Result result = Builder("#include <cstdio>" + kDirectives + kKernel, {"-fmad=false"}).check();
  CHECK(result.exit_code == 0);
  CHECK(contains(result.err, "because NVRTC makes other machine code of it"));
  CHECK(contains(result.out, "with nvcc"));
  CHECK(contains(result.out, "2 configurations compiled"));
}

TEST_CASE("nvcc compiles what NVRTC does not, and each configuration has its macros") {
  const std::string source = R"(#include <map>
#include "sizes.h"
namespace app {
inline std::map<int, Size> sizes;
)";
  const std::string directives =
      "#pragma tuner kernel(app::scale<float, BLOCK>) problem(n: size = 1000)\n"
      "#pragma tuner out(y, float, n) in(x, float, n) in(z, float, n) scalar(n, int)\n"
      "#pragma tuner param(BLOCK, 64, 128; default 128) block(BLOCK) grid(ceil_div(n, BLOCK))\n";
  const std::string kernel = R"(
template <typename T, int SIZE>
__global__ void scale(T* y, const T* x, const T* z, int n) {
  __shared__ T kept[SIZE];
  const int i = blockIdx.x * SIZE + threadIdx.x;
  kept[threadIdx.x] = i < n ? x[i] : T(0);
  __syncthreads();
  if (i < n) y[i] = kept[SIZE - 1 - threadIdx.x] + z[i];
}
template __global__ void scale<double, 32>(double*, const double*, const double*, int);
}  // namespace app
)";
  const Builder builder(source + directives + kernel);
  write_bytes(builder.user().home() / "sizes.h", "#include <regex>\nstruct Size { std::regex form; };\n");
  const Result result = builder.check({"--json"});
  CHECK(contains(result.err, "because NVRTC does not: "));
  REQUIRE(result.exit_code == 0);
  const json compiled = json::parse(result.out)["compiled"];
  REQUIRE(compiled.size() == 2);
  for (const json& one : compiled)
    CHECK(one["static_shared_bytes"] == (one["configuration"] == "BLOCK=64" ? 256 : 512));
  CHECK(contains(json::parse(result.out)["toolkit"].get<std::string>(), "nvcc 1"));
}

TEST_CASE("a kernel file that lies elsewhere has the headers of the source that it was made from") {
  const std::string source = "#include \"half.h\"\n#include <deep.h>\n" + kDirectives + kKernel;
  const Builder builder(source, {"-I", "deeper"});
  const std::filesystem::path home = builder.user().home();
  std::filesystem::create_directories(home / "deeper");
  std::filesystem::create_directories(home / "elsewhere");
  write_bytes(home / "half.h", "struct Half { int of; };\n");
  write_bytes(home / "deeper/deep.h", "struct Deep { Half half; };\n");
  write_bytes(home / "elsewhere/tuned.cu", source);
  const Words check{"check", "elsewhere/tuned.cu", "--compile", "1", "--arch", "sm_90"};
  CHECK(builder.user().run(check).exit_code != 0);
  for (const char* compiler : {"nvrtc", "nvcc"})
    CHECK(builder.user().run(joined(check, {"--build", "build.json", "--compiler", compiler})).exit_code == 0);
}

TEST_CASE("a library got a header of the program's that has the name of one of its own") {
  const Builder builder("#include <map>\n#include <lib/outer.hpp>\n#include \"mine.hpp\"" + kDirectives + kKernel,
                        {"-Iothers"});
  const std::filesystem::path home = builder.user().home();
  for (const char* folder : {"config", "others/lib", "others/config"})
    std::filesystem::create_directories(home / folder);
  write_bytes(home / "others/lib/outer.hpp", "#include \"config/linux.hpp\"\n");
  write_bytes(home / "others/config/linux.hpp", "#pragma once\n");
  write_bytes(home / "config/linux.hpp", "#error of the program\n");
  write_bytes(home / "mine.hpp", "#include \"own.hpp\"\n");
  write_bytes(home / "own.hpp", "#pragma once\n");
  CHECK(builder.check({"--compiler", "nvcc"}).exit_code == 0);
}

TEST_CASE("the program's headers were others, where a folder was called source, a macro named one, or # stood alone") {
  const std::string source =
      "#include <map>\n#\n#include \"source/config.h\"  /* of\nblocks */\n#define OWN \"own.h\"\n#include OWN\n"
      "static_assert(CONFIG == 2 && OWNED == 3);";
  const Builder builder(source + kDirectives + kKernel, {"-I.", "-Iothers"});
  const std::filesystem::path home = builder.user().home();
  for (const char* folder : {"source", "others"}) std::filesystem::create_directories(home / folder);
  write_bytes(home / "config.h", "#define CONFIG 1\n");
  write_bytes(home / "source/config.h", "#define CONFIG 2\n");
  write_bytes(home / "others/own.h", "#define OWNED 1\n");
  write_bytes(home / "own.h", "#define OWNED 3\n");
  CHECK(builder.check({"--compiler", "nvcc"}).exit_code == 0);
}

TEST_CASE("what neither compiler takes is one sentence with the words of both") {
  const Result result =
      Builder("#include <map>" + kDirectives + "__global__ void scale(float* y, const float* x, int n) { mistake; }")
          .check();
  CHECK(result.exit_code != 0);
  CHECK(contains(result.err, "Neither compiler takes the baseline. NVRTC: "));
  CHECK(contains(result.err, "\"mistake\" is undefined"));
}

TEST_CASE("the compiler that is asked for is used, also for names that it knows itself") {
  const std::string names = "\nuint a; int64_t b; ssize_t c; __device__ float d = INFINITY, e = NAN; ushort f;\n";
  const Builder builder("#include <cstdio>" + kDirectives + names + kKernel);
  CHECK(contains(builder.check({"--compiler", "nvcc"}).out, "with nvcc"));
  CHECK(contains(builder.check({"--compiler", "nvrtc"}).out, "with NVRTC"));
}

TEST_CASE("a record that others can write starts no compiler") {
  const Builder builder(kDirectives + kKernel);
  REQUIRE(chmod((builder.user().home() / "build.json").c_str(), 0666) == 0);
  const Result result = builder.check();
  CHECK(result.exit_code == 2);
  CHECK(contains(result.err, "Record the build yourself."));
}

TEST_CASE("a kernel file's options cannot make nvcc, its shell or the host's compiler start something") {
  for (const std::string option : {"-DX=$(touch started)", "-D@words", "-U@words", "-I@words", "-DX,@words"}) {
    CAPTURE(option);
    const Builder builder(kDirectives + "#pragma tuner options(\"" + option + "\")\n" + kKernel);
    const std::filesystem::path home = builder.user().home();
    write_bytes(home / "words", ". -wrapper " + (home / "start").string());
    write_bytes(home / "start", "#!/bin/sh\ntouch " + (home / "started").string() + "\n");
    REQUIRE(chmod((home / "start").c_str(), 0755) == 0);
    const Result result = builder.check({"--compiler", "nvcc"});
    CHECK(contains(result.out, "would read characters of the option"));
    CHECK_FALSE(std::filesystem::exists(home / "started"));
  }
}

TEST_CASE("nvcc compiled nothing where the name of the folder for temporary files had a blank and a comma") {
  Builder builder(kDirectives + kKernel);
  const std::filesystem::path temporary = builder.user().home() / "a b,c";
  std::filesystem::create_directory(temporary);
  builder.user().environment["TMPDIR"] = temporary.string();
  const Result result = builder.check({"--compiler", "nvcc"});
  CHECK(contains(result.out, "2 configurations compiled"));
  CHECK(result.exit_code == 0);
}

TEST_CASE("nvcc stayed behind, with its files, when the tuner was interrupted") {
  Builder builder("#include <thrust/device_vector.h>\n#include <thrust/sort.h>" + kDirectives + kKernel);
  const std::filesystem::path temporary = builder.user().home() / "tmp";
  std::filesystem::create_directory(temporary);
  builder.user().environment["TMPDIR"] = temporary.string();
  const auto waits_for = [](const auto& condition) {
    for (int i = 0; i < 600 && !condition(); ++i) usleep(50000);
    return condition();
  };
  Running check(builder.user(), joined(kCheck, {"--compiler", "nvcc"}));
  REQUIRE(waits_for([&] { return !std::filesystem::is_empty(temporary); }));
  check.signal(SIGINT);
  check.finish();
  CHECK(waits_for([&] { return std::filesystem::is_empty(temporary); }));
}

TEST_CASE("kernels have the names that NVRTC finds them by") {
  const std::string source = R"(#include <map>
namespace app {
inline namespace v1 { __global__ void k(float* y) { y[0] = 1; } }
namespace { __global__ void hidden(float* y) { y[0] = 2; } }
extern "C" __global__ void in_c(float* y) { y[0] = 3; }
template <typename T, int N = 4> __global__ void t(T* y) { y[0] = N; }
}
using app::k;
static __global__ void own(float* y) { y[0] = 4; }
extern "C" __global__ void c(float* y) { y[0] = 5; }
template __global__ void app::t<double, 4>(double*);
)";
  for (const std::string name :
       {"app::k", "k", "::app::v1::k", "app::hidden", "app::in_c", "app::t<float>", "app::t<float, 8>", "own", "c"}) {
    CAPTURE(name);
    const Builder builder(source + "#pragma tuner kernel(" + name + ") out(y, float, 1) block(1) grid(1)\n" +
                          "#pragma tuner param(X, 1, 2; default 1)\n");
    const Result result = builder.check({"--compiler", "nvcc"});
    INFO(result.out, result.err);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("relocatable code is compiled as a whole, and what is in another source is missing") {
  const Builder whole(kDirectives + kKernel, {"-rdc=true"});
  CHECK(whole.check({"--compiler", "nvcc"}).exit_code == 0);
  const std::string calls = R"(
extern __device__ float elsewhere(float x);
__global__ void scale(float* y, const float* x, int n) { y[0] = elsewhere(x[0]) + BLOCK; }
)";
  Builder parts(kDirectives + calls, {"-rdc=true"});
  CHECK(contains(parts.check({"--compiler", "nvcc"}).out, "elsewhere"));

  // Where the build links it with what is missing, so does the tuner, and knows when that has changed.
  const std::filesystem::path home = parts.user().home();
  const auto build_other = [&](const std::string& factor) {
    write_bytes(home / "other.cu", "__device__ float elsewhere(float x) { return x * " + factor + "; }\n");
    const std::string build = fmt::format("cd {} && {} -arch=sm_90 -dc other.cu -o other.o", shell_word(home.string()),
                                          shell_word(TUNER_NVCC));
    REQUIRE(std::system(build.c_str()) == 0);
  };
  parts.record({"-arch=sm_90", "-dc", "other.cu", "-o", "other.o"});
  parts.record({"main.o", "other.o", "-o", "program"});
  const Words with_main{"--compiler", "nvcc", "--json", "--source", "main.cu"};
  CHECK(contains(parts.check(with_main).err, "other.o, which cannot be read: build again."));
  const auto toolkit = [&] {
    const Result result = parts.check(with_main);
    INFO(result.out, result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(contains(result.err, "other.o compiles the kernel, as --compiler says."));
    return json::parse(result.out)["toolkit"].get<std::string>();
  };
  build_other("2");
  const std::string first = toolkit();
  build_other("2");  // nvcc writes its process into the object
  CHECK(toolkit() == first);
  build_other("3");
  CHECK(toolkit() != first);
}

TEST_CASE("a link that lacks a library is no reason not to compile what needs nothing of it") {
  Builder builder("#include <map>" + kDirectives + kKernel, {"-rdc=true"});
  builder.record({"main.o", "nowhere.o", "-lnothing", "-o", "program"});
  const Result result = builder.check({"--compiler", "nvcc"});
  CHECK(result.exit_code == 0);
  CHECK(!contains(result.err, "linked with"));
}

TEST_CASE("a project's own header with a standard one's name stays where the compiler's own are looked for") {
  const Builder builder("#include <cmath>\n#include \"own.h\"" + kDirectives + kKernel);
  write_bytes(builder.user().home() / "math.h", "#error this is the project's\n");
  write_bytes(builder.user().home() / "own.h", "struct Own {};\n");
  CHECK(builder.check({"--compiler", "nvcc"}).exit_code == 0);
}

TEST_CASE("a build that cannot be run again leaves the kernel to NVRTC") {
  const Result result = Builder("#include <cstdio>" + kDirectives + kKernel, {"-dlto"}).check();
  CHECK(result.exit_code == 0);
  CHECK(contains(result.err, "NVRTC compiles the kernel, because its build cannot be run again: "));
}

TEST_CASE("options that contradict each other, or a build without the source, are one sentence") {
  const Builder builder(kDirectives + kKernel);
  const auto said = [&](const Words& words) {
    const Result result = builder.user().run(joined({"check", "main.cu", "--arch", "sm_90"}, words));
    CHECK(result.exit_code == 2);
    return result.err;
  };
  CHECK(contains(said({"--compile", "1", "--compiler", "nvcc"}), "--compiler nvcc needs --build FILE"));
  CHECK(contains(said({"--compile", "1", "--source", "main.cu"}), "--source needs --build FILE"));
  CHECK(contains(said({"--host", "--build", "build.json"}), "leave one of them out"));
  CHECK(contains(said({"--compile", "1", "--build", "build.json", "--compiler", "gcc"}), "auto, nvrtc or nvcc"));
  CHECK(contains(said({"--compile", "1", "--build", "build.json", "--source", "other.cu"}), "does not compile"));
}

TEST_CASE("a parameter that the build's command defines too did not compile, or took its value from headers") {
  const std::string front = "/*\n#define BLOCK 1\n*/\n#include <type.h>\n";
  const Builder builder(front + kDirectives + kKernel + "Type type;\n",
                        {"-I.", "-DBLOCK=32", "-Xcompiler", "-Werror", "-Werror=all-warnings"});
  write_bytes(builder.user().home() / "type.h", "#if BLOCK == 32\ntypedef int Type;\n#endif\n");
  const Result result = builder.check({"--compiler", "nvcc"});
  CHECK_MESSAGE(result.exit_code == 0, result.err << result.out);
  CHECK(contains(result.out, "2 configurations compiled"));
}
