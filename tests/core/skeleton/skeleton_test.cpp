#include "tuner/core/skeleton/skeleton.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// What is proposed for a kernel with these parameters and this body, under these lines.
KernelDescription proposed(const std::string& parameters, const std::string& body, const std::string& above = {}) {
  const std::string source = above + "\n__global__ void k(" + parameters + ") {\n" +
                             "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body + "\n}\n";
  return describe(skeleton(source, "k.cu"));
}

std::string role_of_first(const std::string& body) {
  return std::string(
      role_word(proposed("float* x, float* y, int n", "if (i >= n) return; y[i] += 1; " + body).arguments.at(0).role));
}

std::string length_of_first(const std::string& parameters, const std::string& body) {
  return proposed(parameters, body).arguments.at(0).length->text();
}

}  // namespace

TEST_CASE("what a kernel does with a pointer decides whether it is an input") {
  CHECK(role_of_first("y[i] = x[i];") == "in");
  CHECK(role_of_first("x[i] = 1;") == "out");
  CHECK(role_of_first("if (x[i] == 2) x[i] = 1;") == "inout");
  CHECK(role_of_first("x[i] += 1;") == "inout");
  CHECK(role_of_first("atomicAdd(&x[i], 1.0f);") == "inout");
  CHECK(role_of_first("helper(x, i);") == "inout");
}

TEST_CASE("lengths are what indices can reach") {
  CHECK(length_of_first("float* x, int n", "if (i < n) x[i] = 1;") == "n");
  CHECK(length_of_first("float* x, int n", "for (int k = 0; k < n; ++k) if (i < n) x[i * n + k] = 1;") == "n * n");
  CHECK(length_of_first("float4* x, int rows, int columns",
                        "for (int c = 0; c < columns; ++c) if (i < rows) x[i * columns + c].x = 1;") ==
        "columns * rows");
  CHECK(length_of_first("float* x, int n, int m", "for (int k = 0; k < m; ++k) if (i < n) x[i + k] = 1;") == "m + n");
  CHECK(length_of_first("float* x, int n", "if (i < n) atomicAdd(x, 1.0f);") == "1");
}

TEST_CASE("constants become parameters where their names say so") {
  const std::string body = "if (i < n) x[i * UNROLL + RADIUS] = 1;";
  const KernelDescription k = proposed("float* x, int n", body, "#define UNROLL 4\nconstexpr int RADIUS = 3;");
  REQUIRE(k.parameters.size() == 2);
  CHECK(k.parameters[0].parameter.name == "UNROLL");
  CHECK(k.parameters[0].parameter.default_value == search::Value(4));
  CHECK(k.blanked_source.find("#ifndef UNROLL\n#define UNROLL 4\n#endif\nconstexpr int RADIUS = 3;") !=
        std::string::npos);
  CHECK(k.source.find("// ? `RADIUS` stays 3.") != std::string::npos);
}

TEST_CASE("a constant that is guarded already, or whose name something else has, stays as it is") {
  const std::string guarded = "#ifndef TILE\n#define TILE 8\n#endif\n";
  const std::string body = "if (i < n) x[i * TILE] = 1;";
  const std::string text = proposed("float* x, int n", body, guarded).source;
  CHECK(text.starts_with(guarded + "\n"));
  const KernelDescription other =
      proposed("float* x, int n", body, "const int TILE = 8;\nvoid host() { int TILE = 3; }");
  CHECK(other.source.starts_with("const int TILE = 8;\n"));
  CHECK(other.source.find("// ? `TILE` may be worth tuning") != std::string::npos);
}

TEST_CASE("declarations with conditions in the middle are kernels") {
  const std::string source =
      "__global__ void\n#if BOUND\n__launch_bounds__(64)\n#endif\nk(float* x, int n) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) x[i] = 1;\n}\n";
  CHECK(describe(skeleton(source, "k.cu")).arguments.size() == 2);
}
