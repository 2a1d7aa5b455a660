// `tuner check --host` where something else than the baseline says what is right.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/core/task/npy_file.hpp"
#include "tests/host/developer.hpp"

using namespace tuner::test;

namespace {

using Json = nlohmann::json;

/// Right where a reference that is launched as the kernel is would look, and nowhere else.
std::string trap(const std::string& reference) {
  return "#pragma tuner kernel(scale) " + reference + R"(
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 10000)
#pragma tuner param(EACH, 4, 8)
#pragma tuner grid(ceil_div(n, 32 * EACH)) block(32)
#pragma tuner in(x, float, n) out(y, float, n) scalar(n, int32)
__global__ void scale(const float* x, float* y, int n) {
  for (int k = 0; k < EACH; ++k) {
    const int i = (k * gridDim.x + blockIdx.x) * 32 + threadIdx.x;
    if (i < n) y[i] = k == 0 ? 2 * x[i] : 12345.0f;
  }
}
#ifndef SCALE
#define SCALE 2
#endif
__global__ void plain(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = SCALE * x[i];
}
__global__ void reversed(int n, float* y, const float* x) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)";
}

struct Author : Developer {
  Json check(const std::string& text, int exit_code) {
    const std::string kernel = folder().write("scale.cu", text);
    const Result result = run({"check", kernel, "--host", "--json", "--problem", "n=1000"});
    CHECK_MESSAGE(result.exit_code == exit_code, result.err << result.out);
    return Json::parse(result.out);
  }
};

bool has(const Json& report, const std::string& kind, const std::string& words) {
  for (const Json& finding : report["findings"]) {
    if (finding["class"] == kind && contains(finding["message"], words)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a kernel that writes one number everywhere is a finding, unless its output is trivial") {
  const auto kernel = [](const std::string& clause, const std::string& value) {
    return R"(
#pragma tuner kernel(threshold)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n, uniform(1, 2)) out(y, float, n)" +
           clause + R"() scalar(n, int32)
__global__ void threshold(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = )" +
           value + ";\n}\n";
  };
  const Json report = Author().check(kernel("", "x[i] > 0 ? 1 : x[i]"), 1);
  INFO(report.dump(2));
  CHECK(has(report, "unproven_result", "`y`: the reference proves nothing, because all"));
  const Json nan = Author().check(kernel("", "sqrtf(-x[i])"), 1);
  CHECK(
      has(nan, "unproven_result", "a kernel that only fills it agrees; give the inputs other contents, or declare it"));
  Author().check(kernel(", trivial", "x[i] > 0 ? 1 : x[i]"), 0);
  Author().check(kernel("", "x[i] > 1.5f ? 1 : x[i]"), 0);
}

TEST_CASE("an output that is trivial proves nothing of the one beside it") {
  const Json report = Author().check(R"(
#pragma tuner kernel(triple)
#pragma tuner problem(n: size) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128)
#pragma tuner grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n, constant(0)) out(y, float, n) out(flags, int32, n, trivial) scalar(n, int32)
__global__ void triple(const float* x, float* y, int* flags, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) {
    y[i] = 3 * x[i];
    flags[i] = 0;
  }
}
)",
                                     1);
  CHECK(has(report, "unproven_result", "`y`: the reference proves nothing"));
}

TEST_CASE("one value throughout is a finding although a count of one element stands beside it") {
  const auto kernel = [](const std::string& value) {
    return R"(
#pragma tuner kernel(logs) problem(n: size) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n, uniform(-2, -1)) out(y, float, n) out(total, int32, 1) scalar(n, int32)
__global__ void logs(const float* x, float* y, int* total, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i == 0) *total = n;
  if (i < n) y[i] = )" +
           value + ";\n}\n";
  };
  CHECK(has(Author().check(kernel("logf(x[i])"), 1), "unproven_result", "`y`: the reference proves nothing, because"));
  Author().check(kernel("logf(-x[i])"), 0);
}

TEST_CASE("a reference that writes nothing at all is a finding although its output is partial") {
  const auto kernel = [](const std::string& condition) {
    return R"(
#pragma tuner kernel(few) problem(n: size) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n, uniform(0, 1)) out(y, float, n, partial) scalar(n, int32)
__global__ void few(const float* x, float* y, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n && )" +
           condition + ") y[i] = x[i];\n}\n";
  };
  CHECK(has(Author().check(kernel("x[i] > 2"), 1), "unwritten_output",
            "so nothing is compared there; give the inputs contents with which it writes something"));
  Author().check(kernel("x[i] > 0.5f"), 0);
}

TEST_CASE("a reference with the baseline's launch leaves most unwritten, and what writes that is a finding") {
  const Json report = Author().check(trap("reference(plain)"), 1);
  INFO(report.dump(2));
  CHECK(has(report, "wrong_result",
            "`y`: element 256 is written, but the reference leaves it unwritten; so are 744 of 1000"));
  CHECK(has(report, "unwritten_output", "`y`: the reference writes nothing from element 256 on"));
}

TEST_CASE("a reference with a launch of its own finds the wrong kernel") {
  const Json report = Author().check(trap("reference(plain; grid(ceil_div(n, 64)) block(64))"), 1);
  INFO(report.dump(2));
  CHECK(has(report, "wrong_result", "`y`: element 256 is 12345 and should be "));
}

TEST_CASE("a reference gets the arguments and constants that it asks for") {
  for (const char* reference : {"reference(reversed; grid(n) block(1) args(n, y, x))",
                                "reference(plain; grid(n) block(WIDTH) define(WIDTH = 2) define(SCALE = 2))"}) {
    const Json report = Author().check(trap(reference), 1);
    INFO(report.dump(2));
    CHECK(has(report, "wrong_result", "`y`: element 256 is 12345 and should be "));
    CHECK(report["findings"].size() == 1);
  }
}

TEST_CASE("what a file holds is what a kernel and the reference that is named must compute") {
  Author author;
  std::vector<float> x, y;
  for (int i = 0; i < 1000; ++i) x.push_back(static_cast<float>(i));
  for (const float value : x) y.push_back(3 * value);
  const auto write = [&](const std::string& name, const std::vector<float>& values) {
    author.folder().write(name, npy("<f4", "(1000,)", bytes_of<float>(values)));
  };
  write("x.npy", x);
  write("y.npy", y);
  const auto text = [](const std::string& reference) {
    std::string changed = trap(reference);
    const std::string arguments = "in(x, float, n) out(y, float, n)";
    changed.replace(changed.find(arguments), arguments.size(),
                    "in(x, float, n, file(\"x.npy\")) out(y, float, n, expect file(\"y.npy\"))");
    return changed;
  };
  const Json alone = author.check(text(""), 1);
  INFO(alone.dump(2));
  CHECK(has(alone, "wrong_result", "`y`: element 1 is 2 and should be 3; 999 of 1000 differ"));
  const Json both = author.check(text("reference(plain; grid(n) block(1))"), 1);
  INFO(both.dump(2));
  CHECK(has(both, "wrong_result", "the reference differs from the file with the expected output: `y`: element 1 is 2"));
}

TEST_CASE("outputs of files were expected of problems that they are not for") {
  const Author author;
  std::vector<float> x(2000, 1), y(2000);
  std::fill_n(y.begin(), 1000, 2.0f);
  author.folder().write("x.npy", npy("<f4", "(2000,)", bytes_of<float>(x)));
  author.folder().write("y.npy", npy("<f4", "(2000,)", bytes_of<float>(y)));
  author.folder().write("before.npy", npy("<f4", "(2000,)", bytes_of<float>(std::vector<float>(2000))));
  const std::string kernel = author.folder().write("k.cu", R"(
#pragma tuner kernel(twice) problem(n: size = 1000) grid(ceil_div(n, BLOCK)) block(BLOCK) param(BLOCK, 32, 64)
#pragma tuner in(x, float, 2000, file("x.npy")) scalar(n, int)
#pragma tuner inout(y, float, 2000, file("before.npy"), expect file("y.npy"))
__global__ void twice(const float* x, int n, float* y) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
)");
  const Result result = author.run({"check", kernel, "--host", "--json"});
  REQUIRE_MESSAGE(result.exit_code == 0, result.err << result.out);
  const Json report = Json::parse(result.out);
  CHECK(report["findings"].empty());
  CHECK(report["problems"] == Json{"n=1000"});
}

TEST_CASE("an output of a T1 file that the kernel adds to is no unwritten one, and the access to set is named") {
  const Author developer;
  developer.folder().write("k.cu",
                           "__global__ void add(const float* x, float* y, int n) {\n"
                           "  const int i = blockIdx.x * BLOCK + threadIdx.x;\n"
                           "  if (i < n) y[i] += x[i];\n"
                           "}\n");
  const std::string file = developer.folder().write("k.json", R"({
    "ConfigurationSpace": {"TuningParameters": [{"Name": "BLOCK", "Type": "int", "Values": "[32, 64]"}]},
    "KernelSpecification": {
      "Language": "CUDA", "KernelName": "add", "KernelFile": "k.cu", "ProblemSize": [100],
      "LocalSize": {"X": "BLOCK"}, "GridDivX": ["BLOCK"],
      "Arguments": [
        {"Name": "x", "Type": "float", "MemoryType": "Vector", "AccessType": "ReadOnly", "Size": 100, "FillType": "Random",
         "FillValue": 1.0},
        {"Name": "y", "Type": "float", "MemoryType": "Vector", "AccessType": "WriteOnly", "Size": 100},
        {"Name": "n", "Type": "int32", "MemoryType": "Scalar", "FillValue": 100}]}})");
  const Result result = developer.run({"check", file, "--host"});
  INFO(result.out << result.err);
  CHECK(contains(result.out, "KernelSpecification.Arguments[1].AccessType: set ReadWrite if the kernel reads it"));
  CHECK_FALSE(contains(result.out, "writes nothing"));
}

TEST_CASE("what stands elsewhere in another order of the threads is advised to be unordered, and not only partial") {
  const Json report = Author().check(R"(
#pragma tuner kernel(keep) problem(n: size) problem_constraint(1 <= n <= 10000)
#pragma tuner param(BLOCK, 64, 128) grid(ceil_div(n, BLOCK)) block(BLOCK)
#pragma tuner in(x, float, n, normal(0, 1)) out(kept, float, n) inout(count, int32, 1, constant(0)) scalar(n, int32)
__global__ void keep(const float* x, float* kept, int* count, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n && x[i] > 0) kept[atomicAdd(count, 1)] = x[i];
}
)",
                                     1);
  INFO(report.dump(2));
  CHECK(has(report, "unwritten_output", "`unordered by NAME` where NAME is an output that counts its elements"));
  CHECK(has(report, "order_dependent_result",
            "they are the same elements: if any order is right, declare the output `unordered by NAME`"));
}
