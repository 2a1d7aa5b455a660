// `tuner new --capture --build`: the source that the program's own nvcc compiles to what ran, and what becomes of it.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "cache/file/hash.hpp"
#include "tests/capture/captured.hpp"
#include "tests/cli/program.hpp"
#include "tests/support/shell_word.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/text.hpp"
#include "tuner/capture/stored/blob.hpp"

using namespace tuner::test;
namespace capture = tuner::capture;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A kernel `work` that computes `value`.
std::string work(const std::string& value) {
  return "__global__ void work(int* out, const int* in, int count) {\n"
         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < count) out[i] = " +
         value +
         ";\n}\n"
         "void run(int* out, const int* in, int count) { work<<<4, 64>>>(out, in, count); }\n";
}

/// A program with the source `work.cu`, its capture in `c`, and a record of its build in `build.json`.
class Built : public Captured {
 public:
  explicit Built(const std::string& source) : Captured("copies") {
    if (access(TUNER_NVCC, X_OK) != 0) skip("nvcc is not installed");
    write("work.cu", source);
  }
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((user().home() / name).parent_path());
    write_bytes(user().home() / name, text);
  }
  /// One command of the build.
  void record(const Words& options, const std::string& object = "work.o") {
    commands_.push_back(
        {{"program", TUNER_NVCC},
         {"folder", user().home().string()},
         {"arguments", joined(joined({"nvcc", "-arch=sm_90"}, options), {"-c", "work.cu", "-o", object})},
         {"environment", json::object()}});
    write("build.json", json{{"format", 1}, {"commands", commands_}}.dump());
  }
  /// What was captured ran the code that these options make.
  void ran(const Words& options, const std::string& kernel = "_Z4workPiPKii") const {
    std::string command = TUNER_NVCC " -arch=sm_90 -cubin -o ran.cubin work.cu";
    for (const std::string& option : options) command += " " + shell_word(option);
    REQUIRE(user().in_shell(command) == 0);
    const std::string code = read_bytes(user().home() / "ran.cubin");
    const auto bytes = std::as_bytes(std::span(code));
    const capture::Blob blob = capture::blob_of(bytes);
    std::string packed;
    capture::pack(bytes, [&](std::span<const std::byte> part) {
      packed.append(reinterpret_cast<const char*>(part.data()), part.size());
    });
    write("c/data/" + blob.file_name(), packed);
    change_manifest("/launches/0/module/hash"_json_pointer, blob.hash);
    change_manifest("/launches/0/module/size"_json_pointer, blob.size);
    change_manifest("/launches/0/mangled"_json_pointer, kernel);
    const std::string manifest = read_bytes(user().home() / "c/manifest.json");
    change("replay.json", "/manifest"_json_pointer, tuner::cache::content_hash(manifest).text);
    change("replay.json", "/launches/0/kernel"_json_pointer, kernel);
  }
  /// With the one command that the build has.
  void ran_as_built(const Words& options) {
    record(options);
    ran(options);
  }
  Result describe() const {
    return user().run({"new", "--capture", "c", "--build", "build.json", "--output", "tuned.cu", "--force"});
  }
  /// How the program's compiler takes what was described.
  Result compile() const {
    return user().run({"check", "tuned.cu", "--compile", "4", "--arch", "sm_90", "--build", "build.json", "--compiler",
                       "nvcc", "--json"});
  }
  std::string described() const { return read_bytes(user().home() / "tuned.cu"); }

 private:
  json commands_ = json::array();
};

constexpr const char* kProved = "makes the machine code that the program ran.";

}  // namespace

TEST_CASE("a constant that the build's command sets was written with the source's value") {
  Built program("#ifndef TILE\n#define TILE 16\n#endif\n" + work("in[i] * TILE"));
  program.ran_as_built({"-DTILE=32"});
  check_err(program.describe(), 0, {kProved});
  CHECK(contains(program.described(), "#pragma tuner param(TILE, 16, 32, 64; default 32)\n"));
  CHECK(program.compile().exit_code == 0);
}

TEST_CASE("a constant that the build does not see became a parameter, and the kernel another one") {
  Built program(
      "#ifdef USE_TILES\n#define TILE 16\n#endif\n"
      "#ifdef TILE\n#define VALUE (in[i] * TILE)\n#else\n#define VALUE in[i]\n#endif\n" +
      work("VALUE"));
  program.ran_as_built({});
  check_err(program.describe(), 0, {kProved});
  CHECK(!contains(program.described(), "param(TILE"));
  CHECK(!contains(program.described(), "#ifndef TILE"));
}

TEST_CASE("a constant that changes the code by being a macro was proposed") {
  Built program(
      "constexpr int TILE = 16;\nconstexpr int UNROLL = 4;\n"
      "#ifdef TILE\n#define VALUE (in[i] - TILE)\n#else\n#define VALUE (in[i] * TILE)\n#endif\n" +
      work("VALUE + UNROLL"));
  program.ran_as_built({});
  check_err(program.describe(), 0,
            {kProved, "`TILE` stays as it is: as a parameter it makes other machine code of the baseline."});
  CHECK(!contains(program.described(), "param(TILE"));
  CHECK(contains(program.described(), "param(UNROLL, 1, 2, 4, 8; default 4)"));
}

TEST_CASE("a parameter that the build's command defines was defined twice") {
  Built program("#ifndef THREADS\n#define THREADS 128\n#endif\n" + work("in[i] * THREADS"));
  program.ran_as_built({"-Werror=all-warnings", "-DTHREADS=64", "-DMORE=1"});
  check_err(program.describe(), 0, {kProved});
  CHECK(contains(program.described(), "default 64)"));
  const Result compiled = program.compile();
  CHECK(compiled.exit_code == 0);
  CHECK(json::parse(compiled.out)["findings"].empty());
}

TEST_CASE("a baseline that is not what ran, whatever varies, is said") {
  Built program("#define TILE 16\n" + work("in[i] * TILE + __LINE__"));
  program.ran_as_built({});
  check_err(program.describe(), 0,
            {kProved, "The baseline of the description is not the machine code that the program ran: other"});
  CHECK(contains(program.described(), "param(TILE"));
}

TEST_CASE("of a source that the build compiles twice only the last command was tried") {
  Built program(
      "#ifndef REAL\n#define REAL int\n#endif\n"
      "template <typename T> __device__ T twice(T x) { return x + x; }\n" +
      work("(int)(twice((REAL)in[i]) / 3)"));
  program.record({"-DREAL=float"}, "f.o");
  program.record({"-DREAL=double"}, "d.o");
  program.record({}, "i.o");
  program.ran({"-DREAL=double"});
  check_err(program.describe(), 0, {kProved, "--source " + (program.user().home() / "d.o").string()});
  const Words check{"check", "tuned.cu", "--compile", "1", "--arch", "sm_90", "--build", "build.json"};
  const Result compiled = program.user().run(joined(check, {"--source", "d.o", "--compiler", "nvcc"}));
  CHECK(compiled.exit_code == 0);
  program.ran({"-DREAL=short"});
  check_error(program.describe(), 2, {"The source or the options have changed since the capture"});
}

TEST_CASE("a kernel in a header in angle brackets, or that a macro includes, was said not to be there") {
  Built program("#include <work.cuh>\n");
  program.write("include/work.cuh", "#pragma once\n" + work("in[i] + 1"));
  program.ran_as_built({"-Iinclude"});
  check_err(program.describe(), 0, {kProved, "The text of \"work.cuh\", which has kernels"});
  CHECK(program.compile().exit_code == 0);
  program.write("work.cu", "#define WORK <work.cuh>\n#include WORK\n");
  check_error(program.describe(), 2, {"`work` is not seen in it: a macro makes it, or includes it"});
}
