// `tuner check --host` on kernels with one mistake each.
#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/host/developer.hpp"

using namespace tuner::test;

namespace {

using Json = nlohmann::json;

std::string kernel_file(const std::string& name) {
  return TUNER_HOST_KERNELS "/" + name + ".cu";
}

/// The line of the kernel that a comment marks.
int line_with(const std::string& kernel, const std::string& comment) {
  std::ifstream stream(kernel_file(kernel));
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.ends_with("// " + comment)) return number;
  }
  FAIL("no line ends with " << comment);
  return 0;
}

/// Whether a program runs that lies in `folder`.
bool runs_something_in(const std::filesystem::path& folder) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    std::error_code not_a_process;
    if (std::filesystem::read_symlink(process.path() / "exe", not_a_process).string().starts_with(folder.string())) {
      return true;
    }
  }
  return false;
}

Json check(const std::string& kernel, int exit_code, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"check", kernel_file(kernel), "--host", "--json", "-I", TUNER_DEVICE_HEADER};
  words.insert(words.end(), more.begin(), more.end());
  const Result result = Developer().run(words);
  CHECK_MESSAGE(result.exit_code == exit_code, result.err << result.out);
  return Json::parse(result.out);
}

Json only_finding(const std::string& kernel) {
  const Json report = check(kernel, 1);
  REQUIRE_MESSAGE(report["findings"].size() == 1, report.dump(2));
  return report["findings"][0];
}

}  // namespace

TEST_CASE("structures by value hold what is described for them, and a value that does not fit is said") {
  CHECK(check("values", 0)["findings"].empty());
  Developer developer;
  std::string text = read_bytes(kernel_file("values"));
  text.replace(text.find("100 + n // 10"), 13, "300 + n // 10");
  developer.folder().write("values.cu", text);
  const Result wrong = developer.run({"check", "values.cu", "--host"});
  CHECK(wrong.out.find("values.cu:27: value 1 of `tag` is 3") != std::string::npos);
}

TEST_CASE("a structure by value is what its bytes say, and they are as many as it has") {
  std::string text = read_bytes(kernel_file("values"));
  const std::string before = "Part<Part<int>>)";
  const auto check_with = [&](const std::string& after) {
    const Developer developer;
    std::string changed = text;
    developer.folder().write("values.cu", changed.replace(changed.find(before), before.size(), after));
    return developer.run({"check", "values.cu", "--host"});
  };
  CHECK(check_with("Part<Part<int>>, bytes \"" + std::string(24, '0') + "\")").exit_code == 0);
  const Result wrong = check_with("Part<Part<int>>, bytes \"" + std::string(22, '0') + "\")");
  CHECK(wrong.exit_code != 0);
  CHECK((wrong.out + wrong.err).find("has another size than the 11 bytes that are given") != std::string::npos);
}

TEST_CASE("a value was passed although its bit-field or float does not hold it, or for a type of the same size") {
  struct Given {
    std::string type, value, said;
  };
  for (const Given& given : {
           Given{"struct P { unsigned char c : 4, d : 4; };", "P, 15, 16", "k.cu:2: value 2 of `q` is 16, which"},
           {"struct P { unsigned a : 3, b : 7; };", "P, 7, 200", "value 2 of `q` is 200, which its member"},
           {"struct P { int a : 4; };", "P, 8", "value 1 of `q` is 8, which its member"},
           {"struct P { int a : 4; };", "P, -9", "value 1 of `q` is -9, which its member"},
           {"struct P { int a : 4, b : 4; unsigned c : 4; bool d : 1; long long e; };", "P, 7, -8, 15, true, -1 << 40",
            "No findings"},
           {"struct P { bool on; __device__ P(int v) : on(v != 0) {} };", "P, 5", "No findings"},
           {"struct P { float x; };", "P, 1e300", "k.cu:2: value 1 of `q` is 1e+300, which its member"},
           {"#include <cuda_fp16.h>\nstruct P { half x; };", "P, 1e6", "value 1 of `q` is 1e+06, which its member"},
           {"struct P { const int& x; };", "P, 1", "P holds references"},
           {"struct P { int x; float y; };\nstruct Q { float y; int x; };", "Q, 1, 2",
            "parameter 1 of the kernel has another type"},
       }) {
    CAPTURE(given.type);
    CAPTURE(given.value);
    Developer developer;
    developer.folder().write(
        "k.cu",
        "#pragma tuner kernel(k) problem(n: size = 100) param(B, 64) grid(ceil_div(n, B)) block(B)\n"
        "#pragma tuner value(q, " +
            given.value + ") out(y, float, n) scalar(n, int32)\n" + given.type +
            "\n__global__ void k(P q, float* y, int n) {\n"
            "  const int i = blockIdx.x * B + threadIdx.x;\n  if (i < n) y[i] = i;\n}\n");
    const Result result = developer.run({"check", "k.cu", "--host"});
    CHECK_MESSAGE((result.out + result.err).find(given.said) != std::string::npos, result.out << result.err);
  }
}

TEST_CASE("each of the seeded bugs is the only finding, with its class and its line") {
  struct Bug {
    std::string kernel, kind, comment;
  };
  for (const Bug& bug :
       {Bug{"missing_wait", "unwaited_copy", "nobody has waited"},
        Bug{"read_past_end", "out_of_bounds_read", "too far"}, Bug{"write_past_end", "out_of_bounds_write", "too far"},
        Bug{"uninitialised_read", "uninitialised_read", "the last one is garbage"},
        Bug{"times_garbage", "uninitialised_read", "zero times garbage"},
        Bug{"input_written", "input_written", "an input"}, Bug{"divergent", "deadlock", "half of them"}}) {
    CAPTURE(bug.kernel);
    const Json finding = only_finding(bug.kernel);
    CHECK_EQ(finding["class"], bug.kind);
    CHECK_EQ(finding["place"]["file"], kernel_file(bug.kernel));
    CHECK_EQ(finding["place"]["line"], line_with(bug.kernel, bug.comment));
    CHECK_EQ(finding["configurations"], 2);
  }
}

TEST_CASE(
    "the kernel's file, the compiler, and the folder of what is made for a check, may have blanks in their names") {
  Developer one;
  one.environment["CXX"] = compiler_behind(one.folder(), "my compilers/c++", "");
  const std::filesystem::path temporary = one.home() / "what is made";
  const std::filesystem::path kernel = one.home() / "half of them.cu";
  std::filesystem::create_directory(temporary);
  std::filesystem::copy_file(kernel_file("divergent"), kernel);
  one.environment["TMPDIR"] = temporary.string();
  const Result result = one.run({"check", kernel.string(), "--host", "--json"});
  CHECK_MESSAGE(result.exit_code == 1, result.err << result.out);
  const Json report = Json::parse(result.out);
  REQUIRE_EQ(report["findings"].size(), 1);
  CHECK_EQ(report["findings"][0]["class"], "deadlock");
  CHECK_EQ(report["findings"][0]["place"]["file"], kernel.string());
  CHECK_EQ(report["findings"][0]["place"]["line"], line_with("divergent", "half of them"));
}

TEST_CASE("what is the same for all kernels is compiled for a compiler that CXX names, else taken as it was built") {
  for (const bool chosen : {false, true}) {
    Developer one;
    const std::filesystem::path said = one.home() / "said";
    const auto compiler = one.folder().write(
        "bin/c++", "#!/bin/sh\necho \"$*\" >>" + shell_word(said) + "\nexec " TUNER_BUILT_BY " \"$@\"\n");
    std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
    one.environment["PATH"] = compiler.parent_path().string() + ":" + one.environment["PATH"];
    if (chosen) one.environment["CXX"] = compiler.string();
    const Result result = one.run({"check", kernel_file("missing_barrier"), "--host"});
    CHECK_EQ(result.exit_code, 1);
    CHECK(contains(result.out, ": race: "));
    const std::string commands = read_bytes(said);
    CHECK(contains(commands, "memory_0.cpp"));
    CHECK(contains(commands, "threads_"));
    CHECK_EQ(contains(commands, "shim/runtime.cpp"), chosen);
    CHECK_EQ(contains(commands, "shim/runtime_races.cpp"), chosen);
  }
}

TEST_CASE("what was built with the program is compiled again where it cannot be linked") {
  Developer one;
  const std::string mark = shell_word(one.home() / "compiled");
  const auto compiler = one.folder().write("bin/c++", "#!/bin/sh\ncase \"$*\" in *shim/runtime*.cpp*) : >" + mark +
                                                          ";; *-no-pie*) [ -e " + mark +
                                                          " ] || exit 1;; esac\nexec " TUNER_BUILT_BY " \"$@\"\n");
  std::filesystem::permissions(compiler, std::filesystem::perms::owner_all);
  one.environment["PATH"] = compiler.parent_path().string() + ":" + one.environment["PATH"];
  const Result result = one.run({"check", kernel_file("missing_barrier"), "--host"});
  CHECK_MESSAGE(result.exit_code == 1, result.err << result.out);
  CHECK(contains(result.out, ": race: "));
}

TEST_CASE("a missing barrier is a race that names both lines") {
  const Json finding = only_finding("missing_barrier");
  CHECK_EQ(finding["class"], "race");
  CHECK_EQ(finding["place"]["line"], line_with("missing_barrier", "written"));
  CHECK_EQ(finding["other_place"]["line"], line_with("missing_barrier", "read"));
}

TEST_CASE("a kernel with shared memory, shuffles, atomics and a fence has no findings") {
  const Json report = check("clean", 0);
  CHECK_MESSAGE(report["findings"].empty(), report.dump(2));
  CHECK_EQ(report["unchecked"], Json::array());
  CHECK_EQ(report["configurations"], 4);
  CHECK_EQ(report["configurations_for_races"], 4);
  CHECK_GE(report["problems"].size(), 5);
}

TEST_CASE("headers of the toolkit, and an array in constant memory in a namespace, are known on the CPU") {
  const Json report = check("known_headers", 0);
  CHECK_MESSAGE(report["unchecked"].empty(), report.dump(2));
}

TEST_CASE("templates, atomics, half precision, two dimensions and constant memory run and have no findings") {
  for (const std::string kernel : {"sum_rows", "histogram", "smooth"}) {
    CAPTURE(kernel);
    const Json report = check("features", 0, {"--kernel", kernel});
    CHECK_MESSAGE((report["findings"].empty() && report["unchecked"].empty()), report.dump(2));
    CHECK_GE(report["cases"].get<int>(), 8);
  }
}

TEST_CASE(
    "conditions decide what is included, lanes that ask for each other meet, and the language is the compiler's") {
  const Json report = check("conditions", 0, {"-I", TUNER_HOST_KERNELS});
  CHECK_MESSAGE((report["findings"].empty() && report["unchecked"].empty()), report.dump(2));
  CHECK_EQ(report["configurations"], 4);
}

TEST_CASE("cooperative groups, matrix fragments and reductions of CUB give what plain code gives") {
  const Json report = check("groups", 0, {"--problem", "n=2"});
  CHECK_MESSAGE(report["findings"].empty(), report.dump(2));
  CHECK_EQ(report["configurations"], 5);
  REQUIRE_EQ(report["unchecked"].size(), 1);
  CHECK(contains(report["unchecked"][0]["message"], "`grid_group::sync` cannot run on the CPU"));
  CHECK_EQ(report["unchecked"][0]["configuration"], "WAY=whole_grid");
}

TEST_CASE("what cannot run is named with its line, and nothing else counts as an error of the kernel") {
  const Json none = check("cannot_run", 2);
  REQUIRE_EQ(none["unchecked"].size(), 1);
  CHECK_EQ(none["unchecked"][0]["place"]["line"], 2);
  CHECK(contains(none["unchecked"][0]["message"], "The header `cuda/barrier` is not known here"));

  const Json half = check("ptx", 0);
  REQUIRE_EQ(half["unchecked"].size(), 1);
  CHECK(contains(half["unchecked"][0]["message"], "Inline PTX"));
  CHECK_EQ(half["unchecked"][0]["configuration"], "USE_PTX=1");

  const Json machine_code = check("ptx", 2, {"--where", "USE_PTX == 1", "--config", "USE_PTX=1"});
  CHECK_EQ(machine_code["configurations"], 0);

  const Json template_depth = check("breaks_compiler", 2);
  CHECK(contains(template_depth["unchecked"][0]["message"], "template instantiation depth"));
}

TEST_CASE(
    "an array in constant memory has at least the described elements, and others keep their values, as on a GPU") {
  const auto sentence = [](const std::string& elements) {
    Developer one;
    const std::string kernel = one.folder().write("scale.cu", "__constant__ float weights[" + elements + R"(];
#pragma tuner kernel(scale)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 100)
#pragma tuner grid(n) block(1) constant(weights, float, 4) out(y, float, n)
__global__ void scale(float* y) { y[blockIdx.x] = weights[blockIdx.x % 4]; }
)");
    const Result result = one.run({"check", kernel, "--host", "--problem", "n=5"});
    return result.out + result.err;
  };
  CHECK(contains(sentence("4"), "No findings."));
  CHECK(
      contains(sentence("3"), ":4:41: `weights` is described with 16 bytes, but the array in constant memory has 12"));
  CHECK(contains(sentence("5"), "No findings."));
}

TEST_CASE("a configuration without a launch at a small size does not keep the others from being checked") {
  Developer one;
  const std::string kernel = one.folder().write("fill.cu", R"(
#pragma tuner kernel(fill)
#pragma tuner problem(n: size) problem_constraint(n >= 1 && (n == 8 || n % 64 == 0))
#pragma tuner param(BLOCK, 8, 64; default 8)
#pragma tuner grid(n // BLOCK) block(BLOCK) out(y, float, n, partial, trivial)
__global__ void fill(float* y) { y[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
)");
  const Result result = one.run({"check", kernel, "--host"});
  CHECK(contains(result.out, "No findings."));
  CHECK(contains(result.out,
                 "On n=8: fill.cu: grid x of `fill` for BLOCK=64: `n // BLOCK` is 0, but must be at least 1."));
}

TEST_CASE("a padding may be read and not written, and what is beside it neither") {
  const auto sentence = [](const std::string& clause, const std::string& statement, const Words& more = {}) {
    Developer one;
    const std::string kernel = one.folder().write("shift.cu", R"(
#pragma tuner kernel(shift)
#pragma tuner problem(n: size) problem_constraint(4 <= n <= 100)
#pragma tuner grid(n) block(1) in(x, float, n) inout(y, float, n)" +
                                                                  clause + R"() scalar(n, int32)
__global__ void shift(const float* x, float* y, int n) {
  y[blockIdx.x] += x[blockIdx.x];
  )" + statement + "\n}\n");
    const Result result = one.run(joined({"check", kernel, "--host", "--problem", "n=5"}, more));
    return result.out + result.err;
  };
  const std::string reads = "volatile float beside = y[n + 24] + y[-25];";
  CHECK(contains(sentence(", pad 100", reads), "No findings."));
  CHECK(contains(sentence("", reads, {"--pad", "y=100"}), "No findings."));
  CHECK(contains(sentence(", pad 96", reads), "out_of_bounds_read"));
  CHECK(contains(sentence(", pad 96", "volatile float beside = y[-25];"), "out_of_bounds_read"));
  const std::string behind = sentence(", pad 100", "if (blockIdx.x == 0) y[n] = 1;");
  CHECK(contains(behind, "out_of_bounds_write"));
  CHECK(contains(behind, "`y`: byte 20 changed, which is padding and may only be read"));
  CHECK(contains(sentence(", pad 100", "if (blockIdx.x == 0) y[-1] = 1;"),
                 "`y`: byte -4 changed, which is padding and may only be read"));
}

TEST_CASE("directives that do not describe the kernel are no success") {
  Developer one;
  const std::string kernel = one.folder().write("scale.cu", R"(__constant__ float weights[3];
#pragma tuner kernel(scale)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 100)
#pragma tuner grid(n) block(1) constant(weights, float, 4) out(y, float, n)
__global__ void scale(float* y) { y[blockIdx.x] = weights[blockIdx.x % 3]; }
)");
  const Result result = one.run({"check", kernel, "--host", "--problem", "n=5"});
  CHECK_EQ(result.exit_code, 2);
  CHECK(contains(result.err, "correct its type or its length"));
}

TEST_CASE("a type that was said to be without findings, not checked, is refused with its line") {
  Developer one;
  const auto said = [&](const std::string& arguments, const std::string& source) {
    const std::string kernel = one.folder().write("scale.cu", R"(#pragma tuner kernel(scale) reference(plain)
#pragma tuner problem(n: size = 5) problem_constraint(1 <= n <= 100)
#pragma tuner grid(n) block(1)
#pragma tuner )" + arguments + "\n" + source + R"(
__global__ void plain(const in_type* x, float* y) { y[blockIdx.x] = float(x[blockIdx.x]); }
__global__ void scale(const in_type* x, float* y) { y[blockIdx.x] = float(x[blockIdx.x]); }
)");
    const Result result = one.run({"check", kernel, "--host", "--problem", "n=5"});
    return std::to_string(result.exit_code) + ": " + result.out + result.err;
  };
  const std::string right = said("in(x, float, n) out(y, float, n)", "using in_type = float;");
  CHECK_MESSAGE(right.starts_with("0: "), right);
  const std::string half = said("in(x, half, n) out(y, float, n)", "#include <cuda_fp16.h>\nusing in_type = __half;");
  CHECK_MESSAGE(half.starts_with("0: "), half);
  const std::string type = said("in(x, double, n) out(y, float, n)", "using in_type = float;");
  CHECK_MESSAGE(contains(type, "2: tuner: "), type);
  CHECK_MESSAGE(contains(type, "scale.cu:4:18: `x` is described with elements of the type double"), type);
  CHECK_MESSAGE(contains(type, "kernel `scale` is `const in_type* x`, that is, `const float*`"), type);
  const std::string small =
      said("in(x, bfloat16, n) out(y, float, n)", "#include <cuda_fp16.h>\nusing in_type = __half;");
  CHECK_MESSAGE(contains(small, "that is, `const __half*`"), small);
}

TEST_CASE("a kernel that never ends is stopped and placed") {
  const Json finding = only_finding("hangs");
  CHECK_EQ(finding["class"], "hang");
  CHECK_GE(finding["place"]["line"].get<int>(), line_with("hangs", "for ever"));
}

TEST_CASE("the report says what was run, where, and how often") {
  const Result result = Developer().run(
      {"check", kernel_file("read_past_end"), "--host", "--problem", "n=5", "--config", "BLOCKDIMX=128"});
  CHECK_EQ(result.exit_code, 1);
  CHECK(contains(result.out, "read_past_end on the CPU: 1 configuration x 1 problem x 3 thread schedules"));
  CHECK(contains(result.out, "Problems: n=5\n"));
  CHECK(
      contains(result.out, "read_past_end.cu:14: out_of_bounds_read: reads 4 bytes at byte 20 of `x`, which has 20\n"));
  CHECK(contains(result.out, "in 1 of 1 configuration; first BLOCKDIMX=128 on n=5\n"));
  CHECK(result.err.empty());
}

TEST_CASE("a machine without a compiler is told in one sentence") {
  Developer without;
  without.environment["PATH"] = "/nowhere";
  const Result result = without.run({"check", kernel_file("clean"), "--host"});
  CHECK_EQ(result.exit_code, 4);
  CHECK(contains(result.err, "No C++ compiler was found"));
  without.environment["CXX"] = "no-such-compiler";
  CHECK(contains(without.run({"check", kernel_file("clean"), "--host"}).err, "'no-such-compiler', cannot be run"));
  without.environment["CXX"] = " ";
  CHECK(contains(without.run({"check", kernel_file("clean"), "--host"}).err, "' ', cannot be run"));
}

TEST_CASE("an assembler or a linker that is not in PATH is named, and no header is blamed") {
  Developer one;
  const auto folder = one.folder().path() / "programs";
  std::filesystem::create_directory(folder);
  one.environment["CXX"] = "/usr/bin/g++";
  one.environment["PATH"] = folder.string();
  for (const std::string part : {"as", "ld"}) {
    const Result result = one.run({"check", kernel_file("clean"), "--host"});
    CHECK_EQ(result.exit_code, 4);
    CHECK_MESSAGE(contains(result.err, "does not find its program `" + part + "`"), result.err);
    CHECK(contains(result.err, "PATH"));
    CHECK_FALSE(contains(result.err + result.out, "header"));
    if (part == "as") std::filesystem::create_symlink("/usr/bin/as", folder / "as");
  }
}

TEST_CASE("a compiler that crashes is no crash of this program") {
  Developer broken;
  const std::string crash = "case \"$*\" in *unit*|*memory_*.cpp*) kill -SEGV $$;; esac";
  broken.environment["CXX"] = compiler_behind(broken.folder(), "crash", crash);
  const Result result = broken.run({"check", kernel_file("clean"), "--host"});
  CHECK_EQ(result.exit_code, 2);
  CHECK(contains(result.out, "ended by signal 11"));
}

TEST_CASE("mistakes in the request end with exit code 2 and say what to do") {
  const Developer one;
  CHECK_EQ(one.run({"check"}).exit_code, 2);
  CHECK_EQ(one.run({"check", kernel_file("clean"), "--host", "--problem", "m=3"}).exit_code, 2);
  CHECK_EQ(one.run({"check", kernel_file("clean"), "--host", "--config", "BLOCKDIMX=7"}).exit_code, 2);
  CHECK_EQ(one.run({"check", kernel_file("clean"), "--host", "--device", "1"}).exit_code, 2);
}

TEST_CASE("without a GPU the sentence names --host") {
  const Result result = Developer().run({"check", kernel_file("clean"), "--problem", "n=1000"});
  CHECK_NE(result.exit_code, 0);
  CHECK(contains(result.err, "tuner check --host"));
}

TEST_CASE("Ctrl-C ends a check with 130 and leaves nothing behind") {
  Developer one;
  one.environment["TMPDIR"] = one.home().string();
  Running running(one, {"check", kernel_file("hangs"), "--host"});
  while (!runs_something_in(one.home()) && !running.ended()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  REQUIRE(!running.ended());
  running.signal(2);
  CHECK_EQ(running.finish().exit_code, 130);
  for (const auto& entry : std::filesystem::directory_iterator(one.home()))
    CHECK_FALSE(contains(entry.path().string(), "tuner-check"));
}
