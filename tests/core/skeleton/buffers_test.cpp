#include <doctest/doctest.h>

#include "tests/support/text.hpp"
#include "tuner/core/skeleton/skeleton.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// What is proposed for a kernel `k` with these parameters and this body.
std::string proposed_with(const std::string& parameters, const std::string& body, const std::string& host = {}) {
  return skeleton("__global__ void k(" + parameters + ") {\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body +
                      "\n}\n" + host,
                  "k.cu");
}

/// The length of `x` where the kernel also has `y`, `n` and `rows`.
std::string length_of_x(const std::string& body) {
  const std::string text = proposed_with("const float* x, float* y, int n, int rows", body);
  const std::size_t begin = text.find("in(x, float, ") + 13;
  return text.substr(begin, text.find(") out(y", begin) - begin);
}

}  // namespace

TEST_CASE("a buffer had the numbers of one problem where the launch passes their product as a size") {
  const auto lines_where = [](const std::string& length, const std::string& rows) {
    return proposed_with(
        "const float* x, float* y, int N, int C",
        "for (int c = threadIdx.x; c < C; c += blockDim.x) y[blockIdx.x * C + c] = x[blockIdx.x * C + c];",
        "int main() { int B = 8, T = 4, C = 100, rows = 32; float *a, *b; cudaMalloc(&a, " + length +
            " * sizeof(float)); k<<<B * T, 256>>>(a, b, " + rows + ", C); }");
  };
  CHECK(contains(lines_where("B * T * C", "B * T"), "in(x, float, N * C)"));
  CHECK(contains(lines_where("B * T * C", "B * T"), "grid(N) "));
  const std::string turned = lines_where("C * B * T", "B * T");
  CHECK(contains(turned,
                 "// ? How many elements does `x` have? The length is a guess.\n#pragma tuner in(x, float, C * N)"));
  CHECK(contains(lines_where("B * T * C", "rows"), "// ? How many elements does `x` have? The length is a guess."));
  CHECK_FALSE(contains(lines_where("C * 2", "B * T"), "// ? How many elements does `x` have?"));
}

TEST_CASE("a size was passed as a product by the function that launches, and its callers' lengths were numbers") {
  const std::string text =
      proposed_with("const float* x, float* y, int N, int C", "if (i < N * C) y[i] = x[i];",
                    "void run(const float* x, float* y, int B, int T, int C) {\n"
                    "k<<<ceil_div(B * T * C, 256), 256>>>(x, y, B * T, C); }\n"
                    "int main() { int B = 8, T = 4, C = 100; float *a, *b; cudaMalloc(&a, B * T * C * sizeof(float));\n"
                    "run(a, b, B, T, C); }");
  CHECK(contains(text, "grid(ceil_div(N * C, BLOCK_SIZE))"));
  CHECK(contains(text, "in(x, float, N * C)"));
}

TEST_CASE("indices that numbers multiply ended behind their buffers") {
  CHECK(length_of_x("if (i < n) y[i] = x[i * 4];") == "4 * n");
  CHECK(length_of_x("if (i < n) y[i] = x[4 * i + 3];") == "4 * n");
  CHECK(length_of_x("if (i < n) y[i] = x[(i << 2) + 1];") == "4 * n");
  CHECK(length_of_x("int warp = i / 32, lane = i % 32; if (warp < rows) y[i] = x[warp * 32 + lane];") == "32 * rows");
  CHECK(length_of_x("if (i >= n * 4) return; y[i] = x[i];") == "4 * n");
}

TEST_CASE("the length of a buffer whose index a constant multiplies was no guess") {
  const auto is_asked = [](const std::string& body) {
    return contains(proposed_with("const float* x, float* y, int n, int rows", body),
                    "// ? How many elements does `x` have?");
  };
  CHECK(is_asked("if (i < n) y[i] = x[i * VEC];"));
  CHECK(is_asked("if (i < n) y[i] = x[VEC * i + 1];"));
  CHECK(is_asked("if (i < n) y[i] = x[4 * i + 4];"));
  CHECK_FALSE(is_asked("if (i < n) y[i] = x[4 * i + 3];"));
  CHECK(is_asked("y[i] = x[4 * i + 3];"));
  CHECK_FALSE(is_asked("y[i] = x[blockIdx.x * 256 + threadIdx.x];"));
  CHECK_FALSE(is_asked("int b = blockIdx.x; y[b * VEC + threadIdx.x] = x[b * VEC + threadIdx.x];"));
  CHECK_FALSE(is_asked("for (int t = 0; t < n / VEC; ++t) y[i] = x[t * VEC + threadIdx.x];"));
}

TEST_CASE("numbers in indices that cancel, or that blocks are multiplied with, make no buffer longer") {
  CHECK(length_of_x("if (i < n) y[i] = x[i / 32 * 32 + i % 32];") == "n");
  CHECK(length_of_x("if (i < n / 2) y[i] = x[i + n / 2];") == "n");
  CHECK(length_of_x("if (i < n / 4) y[i] = x[i * 4];") == "n");
  CHECK(length_of_x("y[blockIdx.x * 256 + threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];") == "n");
  CHECK(length_of_x("int low = 0, high = n; while (high - low > 1) { int mid = low + (high - low) / 2; if (x[mid] > 0) "
                    "high = mid; else low = mid; } y[low] = 1;") == "n");
  CHECK(length_of_x("int j = 0; do { y[j] = x[j]; } while (++j < n);") == "n");
}

TEST_CASE("an output was four times as long as what the kernel writes, and nothing was asked") {
  CHECK(contains(proposed_with("float* out, int n", "if (i * 4 < n) out[i] = 1;"), "out(out, float, ceil_div(n, 4))"));
  CHECK(contains(proposed_with("float* out, int n", "if (i * 4 < n) out[4 * i] = 1;"), "out(out, float, n)"));
}

TEST_CASE("`&&` and `&` before an element were taken for its address") {
  const auto role_of = [](const std::string& body) {
    const std::string text = proposed_with("float* x, int* m, int n", body);
    return text.substr(text.rfind("#pragma tuner ", text.find("(m, int, n")) + 14, 6);
  };
  CHECK(role_of("if (i < n && m[i]) x[i] = 1;").starts_with("in("));
  CHECK(role_of("if (i < n) x[i] = n & m[i];").starts_with("in("));
  CHECK(role_of("if (i < n) x[i] = (n + 1) & m[i];").starts_with("in("));
  CHECK(role_of("if (i < n) write((void*)&m[i]); x[i] = 1;").starts_with("inout("));
  CHECK(role_of("if (i < n) write(&m[i]); x[i] = 1;").starts_with("inout("));
}

TEST_CASE("bytes that are counted without `sizeof` were no length") {
  const auto length_where = [](const std::string& type, const std::string& bytes) {
    const std::string text = proposed_with(
        type + "* x, int n", "if (i < n) x[2 * i] = 1;",
        "int main() { int n = 1024; " + type + "* p; cudaMalloc(&p, " + bytes + "); k<<<(n + 63) / 64, 64>>>(p, n); }");
    const std::size_t begin = text.find("out(x, ") + 7;
    const bool is_asked = contains(text, "// ? How many elements does `x` have?");
    return text.substr(begin, text.find(')', begin) - begin) + (is_asked ? "?" : "");
  };
  CHECK(length_where("unsigned char", "n * 3") == "unsigned char, n * 3");
  CHECK(length_where("unsigned char", "n") == "unsigned char, n");
  CHECK(length_where("float", "n * 4") == "float, n");
  CHECK(length_where("double", "8 * n") == "double, n");
  CHECK(length_where("float", "n * 3") == "float, 2 * n?");
  CHECK(length_where("float", "n * 4 * sizeof(double)") == "float, 2 * n?");
}

TEST_CASE("the default of an argument that the launch leaves out was not its value") {
  const std::string text =
      proposed_with("float* x, int n, int iters = MAX_ITER, float by = 0.5f", "if (i < n) x[i] = iters * by;",
                    "#define MAX_ITER 100\nint main() { int n = 1024; float* p; k<<<(n + 63) / 64, 64>>>(p, n); }");
  CHECK(contains(text, "scalar(iters, int, value 100)"));
  CHECK(contains(text, "scalar(by, float, value 0.5)"));
}
