#include <doctest/doctest.h>

#include "tests/support/text.hpp"
#include "tuner/core/skeleton/skeleton.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::string kIndex = "int i = blockIdx.x * blockDim.x + threadIdx.x;\n";

std::string kernel(const std::string& name, const std::string& parameters, const std::string& body) {
  return "__global__ void " + name + "(" + parameters + ") {\n" + body + "\n}\n";
}

std::string proposed(const std::string& source) {
  return skeleton(source, "k.cu");
}

/// What is proposed for a kernel of one warp for each row that host code launches so.
std::string warps(const std::string& grid, const std::string& above = {}) {
  return proposed(
      above +
      kernel("k", "const float* x, float* y, int rows",
             "int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;\nif (warp < rows) y[warp] = x[warp];") +
      "int main() { int n = 5000; float *x, *y; k<<<" + grid + ", 256>>>(x, y, n); }\n");
}

const std::string kCopy =
    kernel("copy", "const float* a, float* c, int w, int h",
           "int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;\n"
           "if (x < w && y < h) c[y * w + x] = a[y * w + x];");

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

TEST_CASE("a grid kept the block's old constant where its name does not sound like a block's") {
  const auto of = [](const std::string& length) {
    return proposed("#define BLKX 16\n#define BLKY 4\n" + kCopy +
                    "int main() { int w = 500, h = 300; float *a, *c; cudaMalloc(&a, w * h * 4); cudaMalloc(&c, " +
                    length +
                    " * 4); const dim3 b(BLKX, BLKY), g((w + BLKX - 1) / BLKX, (h + BLKY - 1) / BLKY);\n"
                    "copy<<<g, b>>>(a, c, w, h); }\n");
  };
  const std::string text = of("w * h");
  CHECK(contains(text, "let(BLKX = BLOCK_X)"));
  CHECK(contains(text, "grid(ceil_div(w, BLKX), ceil_div(h, BLKY)) block(BLOCK_X, BLOCK_Y)"));
  const std::string needed = of("w * h * BLKX");
  CHECK(contains(needed, "let(BLKX = 16)"));
  CHECK(contains(needed, "let(BLKY = BLOCK_Y)"));
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
  const std::string both = proposed("#define CONFIGURATION n / 64, 64\n" +
                                    kernel("k", "float* x, int n", "x[blockIdx.x * 64 + threadIdx.x] = 1;") +
                                    "void run(float* p, int n) { k<<<CONFIGURATION>>>(p, n); }");
  CHECK(contains(both, "// ? The launch has `CONFIGURATION` for its grid."));
}

TEST_CASE("a kernel of one warp for each row got one thread for each row where nothing launches it") {
  const std::string text = proposed(kernel("k", "const float* x, float* y, int rows",
                                           kIndex + "int warp = i / 32;\nif (warp < rows) y[warp] = x[warp];"));
  CHECK(contains(text, "// ? The kernel divides its index before it compares it with a size."));
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
  const std::string text = proposed(
      kCopy +
      "int main() { int n = 1024; float *A, *C; cudaMalloc(&A, sizeof(float) * n * n);\n"
      "cudaMalloc(&C, sizeof(float) * n * n); copy<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(A, C, n, n); }");
  CHECK(contains(text, "grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y))"));
  CHECK(contains(text, "in(a, float, h * w) out(c, float, h * w)"));
  CHECK(contains(text, "// ? The program passes one variable for w, h."));
  const std::string called =
      proposed(kCopy +
               "void run(const float* a, float* c, int w, int h) { copy<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, "
               "8)>>>(a, c, w, h); }\nint main() { int n = 64; float *A, *C; cudaMalloc(&A, sizeof(float) * n * n);\n"
               "cudaMalloc(&C, sizeof(float) * 2 * n * n); run(A, C, n, n); }");
  CHECK(contains(called, "in(a, float, h * w)"));
  CHECK(contains(called, "// ? How many elements does `c` have?"));
  CHECK(contains(called, "// ? The program passes one variable for w, h."));
}

TEST_CASE("the square of one variable for two sizes was the square of one of them") {
  const std::string text =
      proposed(kernel("k", "float* a, int rows, int cols", kIndex + "if (i < rows * cols) a[i] = 1;") +
               "int main() { int n = 64; float* p; k<<<(n * n + 255) / 256, 256>>>(p, n, n); }");
  CHECK(contains(text, "grid(ceil_div(rows * cols, BLOCK_SIZE))"));
}

TEST_CASE("one variable for three sizes made every matrix a square") {
  const std::string text = proposed(
      "#define TILE 16\n" +
      kernel("gemm", "int M, int N, int K, const float* A, const float* B, float* C",
             "int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;\nfloat s = 0;\n"
             "for (int k = 0; k < K; k++) s += A[row * K + k] * B[k * N + col];\nC[row * N + col] = s;") +
      "int main() { int n = 1024; float *A, *B, *C; cudaMalloc(&A, sizeof(float) * n * n);\n"
      "cudaMalloc(&B, sizeof(float) * n * n); cudaMalloc(&C, sizeof(float) * n * n); dim3 thr(16, 16);\n"
      "gemm<<<dim3(n / 16, n / 16), thr>>>(n, n, n, A, B, C); }");
  CHECK(contains(text, "grid(N // TILE, M // TILE)"));
  CHECK(contains(text, "in(A, float, K * M) in(B, float, K * N)"));
  CHECK(contains(text, "out(C, float, M * N)"));
  CHECK(contains(text, "// ? The program passes one variable for M, N, K."));
}

TEST_CASE("a constant that one kernel uses was a parameter of every kernel") {
  const auto filled = [](const std::string& name, const std::string& value) {
    return kernel(name, "float* d, int n", kIndex + "if (i < n) d[i] = " + value + ";");
  };
  const std::string text = proposed(
      "#define TILE 16\n#define SCALE(x) ((x) * TILE)\n__device__ float tiled(float x) { return x * TILE; }\n" +
      kernel("a", "float* d, int n", "int i = blockIdx.x * TILE + threadIdx.x; if (i < n) d[i] = 1;") +
      filled("b", "1") + filled("c", "SCALE(2)") + filled("e", "tiled(2)") + filled("f", "1") +
      "int main() { int n = 1024, tile = TILE; float* p; a<<<(n + TILE - 1) / TILE, TILE>>>(p, n);\n"
      "b<<<(n + 63) / 64, 64>>>(p, n); f<<<(n + tile - 1) / tile, tile>>>(p, n); }");
  const auto has_parameter = [&](const std::string& name) {
    const std::size_t begin = text.find("#pragma tuner kernel(" + name + ")");
    return contains(text.substr(begin, text.find("__global__", begin) - begin), "param(TILE, ");
  };
  for (const char* const name : {"a", "c", "e", "f"}) CHECK_MESSAGE(has_parameter(name), name);
  CHECK_FALSE(has_parameter("b"));
}

TEST_CASE("shared memory for one type was proposed for all") {
  const auto launch_of = [](const std::string& array, const std::string& bytes) {
    const std::string text =
        proposed("template <typename T> " +
                 kernel("k", "T* d, int n", "extern __shared__ " + array + ";\n" + kIndex + "if (i < n) d[i] = 1;") +
                 "int main() { int n = 1024; float* p; k<float><<<(n + 63) / 64, 64, " + bytes + ">>>(p, n); }");
    const std::size_t begin = text.find("shared(");
    const bool is_asked = contains(text, "bytes of shared memory, whatever the type.");
    return text.substr(begin, text.find('\n', begin) - begin) + (is_asked ? "?" : "");
  };
  CHECK(launch_of("T buffer[]", "64 * sizeof(float)") == "shared(BLOCK_SIZE * sizeof(TYPE))");
  CHECK(launch_of("__align__(16) T buffer[]", "64 * sizeof(float)") == "shared(BLOCK_SIZE * sizeof(TYPE))");
  CHECK(launch_of("T buffer[]", "64 * 4") == "shared(BLOCK_SIZE * 4)?");
  CHECK(launch_of("unsigned char buffer[]", "64 * sizeof(float)") == "shared(BLOCK_SIZE * sizeof(float))?");
  CHECK(launch_of("float buffer[]", "64 * sizeof(float)") == "shared(BLOCK_SIZE * sizeof(float))");
}
