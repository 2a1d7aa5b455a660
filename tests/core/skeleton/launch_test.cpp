#include <doctest/doctest.h>

#include "tests/support/text.hpp"
#include "tuner/core/skeleton/skeleton.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// What is proposed for a kernel of one warp for each row that host code launches so.
std::string warps(const std::string& grid, const std::string& above = {}) {
  return skeleton(
      above +
          "__global__ void k(const float* x, float* y, int rows) {\n"
          "int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\nif (warp < rows) y[warp] = x[warp];\n}\n"
          "int main() { int n = 5000; float *x, *y; k<<<" +
          grid + ", 256>>>(x, y, n); }\n",
      "k.cu");
}

const std::string kCopy =
    "__global__ void copy(const float* a, float* c, int w, int h) {\n"
    "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
    "if (x < w && y < h) c[y * w + x] = a[y * w + x];\n}\n";

}  // namespace

TEST_CASE("a grid of a macro or a function of the program was guessed to be shorter, without a question") {
  const char* const expected = "grid(ceil_div(rows * 32, BLOCK_SIZE))";
  CHECK(contains(warps("BLOCKS(n * 32, 256)", "#define BLOCKS(a, b) (((a) + (b) - 1) / (b))\n"), expected));
  CHECK(contains(warps("BLOCKS(n)", "#define UP(a, b) (((a) + (b) - 1) / (b))\n#define BLOCKS(n) UP((n) * 32, 256)\n"),
                 expected));
  CHECK(contains(warps("my::blocks(n * 32, 256)",
                       "namespace my {\nstatic inline int blocks(int a, int b) { return (a + b - 1) / b; }\n}\n"),
                 expected));
  CHECK(contains(warps("blocks(n * 32, 256)", "template <class T> T blocks(T a, T b) { return (a + b - 1) / b; }\n"),
                 expected));
}

TEST_CASE("a launch whose grid is not understood was passed over in silence") {
  const char* const question = "// ? The launch has `blocks(n * 32, 256)` for its grid. That is not understood";
  CHECK(contains(warps("blocks(n * 32, 256)"), question));
  CHECK(contains(warps("blocks(n * 32, 256)", "int blocks(int a, int b) { if (a < b) return 1; return a / b; }\n"),
                 question));
  CHECK(contains(warps("blocks(n * 32, 256)", "int blocks(int a, int b) { return blocks(a, b) + 1; }\n"), question));
  CHECK(
      contains(warps("blocks(n * 32, 256)", "int blocks(int a, int b) { return a / b + (a % b != 0); }\n"), question));
  CHECK_FALSE(contains(warps("(n * 32 + 255) / 256"), "not understood"));
}

TEST_CASE("macros that double what they are given are given up") {
  std::string macros = "#define D0(a) ((a) + (a))\n";
  for (int i = 1; i < 30; ++i) {
    const std::string below = "D" + std::to_string(i - 1) + "(a)";
    macros += "#define D" + std::to_string(i) + "(a) (" + below + " + " + below + ")\n";
  }
  CHECK(contains(warps("D29(n)", macros), "That is not understood"));
}

TEST_CASE("one variable for two sizes made every grid and length depend on the first of them") {
  const std::string text =
      skeleton(kCopy +
                   "int main() { int n = 1024; float *A, *C; cudaMalloc(&A, sizeof(float) * n * n);\n"
                   "cudaMalloc(&C, sizeof(float) * n * n); copy<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(A, "
                   "C, n, n); }",
               "k.cu");
  CHECK(contains(text, "grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y))"));
  CHECK(contains(text, "in(a, float, h * w) out(c, float, h * w)"));
  CHECK(contains(text, "// ? The program passes one variable for w, h."));
  const std::string called = skeleton(
      kCopy +
          "void run(const float* a, float* c, int w, int h) { copy<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, "
          "8)>>>(a, c, w, h); }\nint main() { int n = 64; float *A, *C; cudaMalloc(&A, sizeof(float) * n * n);\n"
          "cudaMalloc(&C, sizeof(float) * 2 * n * n); run(A, C, n, n); }",
      "k.cu");
  CHECK(contains(called, "in(a, float, h * w)"));
  CHECK(contains(called, "// ? How many elements does `c` have?"));
  CHECK(contains(called, "// ? The program passes one variable for w, h."));
}

TEST_CASE("one variable for three sizes made every matrix a square") {
  const std::string text = skeleton(
      "#define TILE 16\n"
      "__global__ void gemm(int M, int N, int K, const float* A, const float* B, float* C) {\n"
      "int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;\nfloat s = 0;\n"
      "for (int k = 0; k < K; k++) s += A[row * K + k] * B[k * N + col];\nC[row * N + col] = s;\n}\n"
      "int main() { int n = 1024; float *A, *B, *C; cudaMalloc(&A, sizeof(float) * n * n);\n"
      "cudaMalloc(&B, sizeof(float) * n * n); cudaMalloc(&C, sizeof(float) * n * n); dim3 thr(16, 16);\n"
      "gemm<<<dim3(n / 16, n / 16), thr>>>(n, n, n, A, B, C); }",
      "k.cu");
  CHECK(contains(text, "grid(N // TILE, M // TILE)"));
  CHECK(contains(text, "in(A, float, K * M) in(B, float, K * N)"));
  CHECK(contains(text, "out(C, float, M * N)"));
  CHECK(contains(text, "// ? The program passes one variable for M, N, K."));
}
