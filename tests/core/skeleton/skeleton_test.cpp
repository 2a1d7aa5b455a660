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

/// What is proposed for `x[i] = 1` in a kernel `k(float* x, int n)` that this host code launches.
KernelDescription launched(const std::string& host, const std::string& body = "if (i < n) x[i] = 1;",
                           const std::string& parameters = "float* x, int n") {
  return describe(skeleton("#define RADIUS 3\n__global__ void k(" + parameters +
                               ") {\nint i = blockIdx.x * blockDim.x + threadIdx.x;\n" + body + "\n}\n" + host,
                           "k.cu"));
}

/// How long `x` is where host code allocates it so, and "?" behind that if the length is asked for.
std::string length_where(const std::string& allocation) {
  const KernelDescription k =
      launched("void run(int n, int other) { float* p; " + allocation + " k<<<(n + 255) / 256, 256>>>(p, n); }");
  const bool is_asked = k.source.find("// ? How many elements does `x` have?") != std::string::npos;
  return k.arguments.at(0).length->text() + (is_asked ? "?" : "");
}

bool has(const KernelDescription& description, std::string_view text) {
  return description.source.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("what is proposed stood before the byte order mark of the file") {
  const std::string mark = "\xef\xbb\xbf";
  const std::string text = skeleton(mark + "__global__ void k(float* x) { x[threadIdx.x] = 1; }\n", "k.cu");
  CHECK(text.starts_with(mark));
  CHECK(text.find(mark, 1) == std::string::npos);
}

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

TEST_CASE("the length of a buffer is made of the indices where it stands only") {
  const KernelDescription k =
      proposed("const float* x, float* y, int width, int height, int pitch",
               "int a = i; int b = blockIdx.y; if (a < width && b + 1 < height) y[b * pitch + a] = x[b * pitch + a];\n"
               "a = b; b = i; if (a < height && b < width) y[b * height + a] = 1;");
  CHECK(k.arguments.at(0).length->text() == "height * pitch");
  CHECK(k.arguments.at(1).length->text() == "height * pitch + height * width");
}

TEST_CASE("buffers are as long as host code allocates them") {
  CHECK(length_where("cudaMalloc(&p, n * sizeof(float));") == "n");
  CHECK(length_where("cudaMalloc((void**)&p, (n + 2 * RADIUS) * sizeof(float));") == "n + 2 * RADIUS");
  CHECK(length_where("cudaMallocManaged(&p, sizeof(float) * (n + 1));") == "n + 1");
  CHECK(length_where("cudaMalloc(reinterpret_cast<void**>(&p), 2 * n * sizeof *p);") == "2 * n");
  CHECK(length_where("cudaMalloc(&p, n * sizeof(p[0]) * 2);") == "n * 2");
  CHECK(length_where("cudaMalloc(&p, (n + 255) / 256 * 256 * sizeof(float));") == "ceil_div(n, 256) * 256");
  CHECK(
      length_where("const size_t count = n + 1; size_t bytes = count * sizeof(float); CHECK(cudaMalloc(&p, bytes));") ==
      "n + 1");
  CHECK(length_where("size_t b = 2 * n * sizeof(float); cudaMalloc(&p, b); b = 1;") == "2 * n");
}

TEST_CASE("an allocation that is not understood whole leaves the guess, and a question") {
  CHECK(length_where("cudaMalloc(&p, other * sizeof(float));") == "n?");
  CHECK(length_where("cudaMalloc(&p, n * sizeof(double));") == "n?");
  CHECK(length_where("cudaMalloc(&p, 3 * n);") == "n?");
  CHECK(length_where("int m = n; m += 8; cudaMalloc(&p, m * sizeof(float));") == "n?");
  CHECK(length_where("cudaMalloc(&p, 8 * sizeof(float)); cudaMalloc(&p, 2 * n * sizeof(float));") == "n?");
  CHECK(length_where("size_t pitch; cudaMallocPitch(&p, &pitch, n * sizeof(float), 2);") == "n?");
  CHECK(length_where("\n#define TILE 8\ncudaMalloc(&p, n * TILE * sizeof(float));") == "n?");  // a parameter
  CHECK(length_where("cudaMalloc(&q, 2 * n * sizeof(float));") == "n");
  CHECK(length_of_first("float* x, int n", "if (i < n) x[i + RADIUS] = 1;") == "n");
  CHECK(has(proposed("float* x, int n", "if (i < n) x[i + RADIUS] = 1;"), "// ? How many elements does `x` have?"));
}

TEST_CASE("what a function that launches is passed is read where it is called") {
  const KernelDescription k = launched(
      "template <typename T> void run(T* p, int count) { k<<<(count + 255) / 256, 256>>>(p, count); }\n"
      "int main(int argc, char** argv) {\n"
      "const int size = argc > 1 ? atoi(argv[1]) : 1 << 22; float* d; cudaMalloc(&d, (size + 1) * sizeof(float));\n"
      "run<float>(d, size); }");
  CHECK(k.arguments.at(0).length->text() == "n + 1");
  CHECK(has(k, "problem(n: size = 4194304)"));
  CHECK_FALSE(has(k, "Which sizes matter?"));
}

TEST_CASE("numbers of a launch are the defaults of sizes and the values of scalars") {
  const std::string parameters = "float* x, float by, double to, bool on, int steps, int n";
  const std::string body = "if (i < n && on) x[i] = by * steps + to;";
  const KernelDescription k =
      launched("void run(float* p) { const float a = 2.50f; k<<<4, 256>>>(p, a, -1e-3, false, RADIUS, 1 << 10); }",
               body, parameters);
  CHECK(has(k, "scalar(by, float, value 2.5) scalar(to, double, value -0.001)"));
  CHECK(has(k, "scalar(on, bool, value false)"));
  CHECK(has(k, "scalar(steps, int, value 3)"));
  CHECK(has(k, "problem(n: size = 1024)"));
  CHECK_FALSE(has(k, "a typical value"));
  const KernelDescription other =
      launched("void run(float* p, float a) { k<<<4, 256>>>(p, a, a, a, 1, 4000); }", body, parameters);
  CHECK(has(other, "// ? What is a typical value of `by`? 1 is a guess.\n"));
}

TEST_CASE("template arguments are what the host's constants and callers say") {
  const std::string source =
      "template <int BLOCK, typename T>\n__global__ void k(T* x, int n) {\n"
      "int i = blockIdx.x * BLOCK + threadIdx.x; if (i < n) x[i] = 1;\n}\n"
      "template <typename T> void run(T* p, int n) { constexpr int kBlock = 96; k<kBlock, T><<<n / 96, kBlock>>>(p, "
      "n); }"
      "int main() { double* d; run<double>(d, 960); }";
  const KernelDescription k = describe(skeleton(source, "k.cu"));
  CHECK(has(k, "param(BLOCK, 64, 96, 128, 256, 512, 1024; default 96; argument)"));
  CHECK(has(k, "problem(TYPE: constant = double)"));
  CHECK_FALSE(has(k, "\n// ?"));
}

TEST_CASE("a result for each block is as long as the grid, and depends on what the blocks depend on") {
  const std::string parameters = "const float* x, float* partial, int n";
  const std::string strided =
      "float s = 0; for (; i < n; i += gridDim.x * blockDim.x) s += x[i]; partial[blockIdx.x] = s;";
  const std::string question = "// ? The values of `partial` depend on BLOCK_SIZE, so other values of it";
  for (const std::string& allocation : {std::string(), std::string("cudaMalloc(&s, blocks * sizeof(float));")}) {
    const KernelDescription k = launched("void run(float* p, int n) { const int blocks = 512; float* s; " + allocation +
                                             "k<<<blocks, 256>>>(p, s, n); }",
                                         strided, parameters);
    CHECK(k.arguments.at(1).length->text() == "512");
    CHECK(has(k, question));
    CHECK_FALSE(has(k, "strides by gridDim"));
  }
  const KernelDescription rows =
      describe(skeleton("__global__ void k(const float* x, float* partial, int n) {\nint row = blockIdx.x;\n"
                        "for (int c = threadIdx.x; c < n; ++c) partial[row] = x[row * n + c];\n}\n"
                        "void run(float* p, float* s, int n) { k<<<n, 256>>>(p, s, n); }",
                        "k.cu"));
  CHECK(rows.arguments.at(1).length->text() == "n");
  CHECK_FALSE(has(rows, "// ? The values of `partial`"));
}

TEST_CASE("constants that lengths are made of are named, and not offered as parameters") {
  const std::string above =
      "#define RADIUS 3\n#define HALO (RADIUS - 1)\n#define ORDER 5\n__constant__ float w[HALO + 2];";
  const KernelDescription k = proposed("float* x, int n", "if (i < n) x[i] = w[RADIUS] + ORDER;", above);
  CHECK(has(k, "let(RADIUS = 3)\n#pragma tuner constant(w, float, (RADIUS - 1) + 2)"));
  CHECK_FALSE(has(k, "`RADIUS` stays"));
  CHECK(has(k, "// ? `ORDER` stays 5."));
}

TEST_CASE("work is proposed where each element is plainly read or written once") {
  CHECK(has(proposed("const double* x, float* y, int n", "if (i < n) y[i] = x[i];"), "work(bytes = 12 * n)\n"));
  CHECK(has(launched("void run(float* p, int n) { cudaMalloc(&p, (n + 2) * sizeof(float)); k<<<4, 64>>>(p, n); }"),
            "work(bytes = 4 * (n + 2))\n"));
  for (const char* const body : {"if (i < n) x[i] += 1;", "if (i < n) { x[i] = 1; x[i + n] = 2; }", "helper(x, n);"}) {
    const KernelDescription k = proposed("float* x, int n", body);
    CHECK_FALSE(has(k, "tuner work("));
    CHECK(has(k, "// ? What is the least that the job needs, for the report? Say so: work("));
  }
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

TEST_CASE("definitions were put within conditions that changed nothing, or that did not end") {
  const auto has_tile = [](const std::string& above, const std::string& below = {}) {
    const std::string source = above +
                               "\n__global__ void k(float* x, int n) {\nint i = blockIdx.x * 64 + threadIdx.x;\n"
                               "if (i < n) x[i * TILE] = 1;\n}\n" +
                               below;
    const std::string text = skeleton(source, "k.cu");
    return text.find("param(TILE") != std::string::npos || text.find("#endif") != above.find("#endif");
  };
  CHECK(!has_tile("#undef TILE\n#define TILE 16"));
  CHECK(!has_tile("#ifdef TILE\n#undef TILE\n#endif\n#define TILE 16"));
  CHECK(!has_tile("#define TILE 16", "#undef TILE\n#define TILE 8\n"));
  CHECK(!has_tile("#define TILE 16", "#undef TILE\n"));
  CHECK(!has_tile("#define TILE /* a\nb */ 16"));
  CHECK(!has_tile("#define TILE 16 /* a\nb */"));
  CHECK(!has_tile("#define TILE 16 /* a */ /* b\nc */"));
}

TEST_CASE("a condition elsewhere that names a constant was taken for a guard of its definition") {
  const std::string body = "if (i < n) x[i * TILE] = 1;";
  for (const char* const conditions : {"#if defined(TILE)\n#endif\n", "#ifndef TILE\n#endif\n"}) {
    const std::string text = proposed("float* x, int n", body, conditions + std::string("#define TILE 8")).source;
    CHECK(text.starts_with(conditions + std::string("#ifndef TILE\n#define TILE 8\n#endif\n")));
  }
  const std::string in_else = "#ifdef TILE\n#else\n#define TILE 8\n#endif\n";
  CHECK(proposed("float* x, int n", body, in_else).source.starts_with(in_else));
}

TEST_CASE("declarations with conditions in the middle are kernels") {
  const std::string source =
      "__global__ void\n#if BOUND\n__launch_bounds__(64)\n#endif\nk(float* x, int n) {\n"
      "int i = blockIdx.x * blockDim.x + threadIdx.x;\nif (i < n) x[i] = 1;\n}\n";
  CHECK(describe(skeleton(source, "k.cu")).arguments.size() == 2);
}

TEST_CASE("variables that are made of many others, which are made of many others, are given up") {
  std::string host = "void run() { float* p; int a0 = 4;";
  for (int i = 1; i <= 8; ++i) {
    std::string sum;
    for (int j = 0; j < 12; ++j) sum += (j == 0 ? "" : " + ") + ("a" + std::to_string(i - 1));
    host += " int a" + std::to_string(i) + " = " + sum + ";";
  }
  CHECK(launched(host + " k<<<a8, 256>>>(p, 1 << 20); }").kernel == "k");
}

TEST_CASE("each dimension of the grid follows the block's own, and the kernel's index says which") {
  const std::string host =
      "void run(int w, int h) { float* p; dim3 block(16, 16), grid((w + block.x - 1) / block.x, (h + block.y - 1) / "
      "block.y); k<<<grid, block>>>(p, w, h); }";
  const auto lines_of = [&](const std::string& tile) {
    return skeleton("#define TILE 16\n__global__ void k(float* x, int w, int h) {\n  int i = blockIdx.x * " + tile +
                        " + threadIdx.x, j = blockIdx.y * " + tile +
                        " + threadIdx.y;\n  if (i < w && j < h) x[j * w + i] = 1;\n}\n" + host,
                    "k.cu");
  };
  const std::string own = lines_of("16"), tiled = lines_of("TILE");
  CHECK_MESSAGE(own.find("grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y)) block(BLOCK_X, BLOCK_Y)") != own.npos, own);
  CHECK_MESSAGE(tiled.find("grid(ceil_div(w, TILE), ceil_div(h, TILE)) block(TILE, TILE)") != tiled.npos, tiled);
}

TEST_CASE("a number of the grid is the block's extent only where it divides") {
  const auto launch_of = [](const std::string& constants, const std::string& grid, const std::string& block) {
    const std::string text = skeleton(
        constants + "__global__ void k(float* x, int w, int h) {\nint i = blockIdx.x * blockDim.x + threadIdx.x, " +
            "j = blockIdx.y * blockDim.y + threadIdx.y;\nif (i < w && j < h) x[j * w + i] = 1;\n}\n" +
            "void run(float* p, int w, int h) { int half = h / 2; int rows = (h + 7) / 8; dim3 b(" + block + "), g(" +
            grid + "); k<<<g, b>>>(p, w, h); }",
        "k.cu");
    const std::size_t begin = text.find("grid(");
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  const std::string own = " block(BLOCK_X, BLOCK_Y)";
  CHECK(launch_of("", "(w + 31) / 32, (h + 31) / 32", "32, 8") == "grid(ceil_div(w, BLOCK_X), ceil_div(h, 32))" + own);
  CHECK(launch_of("", "w / 32 + 8, h / 8 + 32", "32, 8") == "grid(w // BLOCK_X + 8, h // BLOCK_Y + 32)" + own);
  CHECK(launch_of("", "min(32, (w + 31) / 32), 8", "32, 8") == "grid(min(32, ceil_div(w, BLOCK_X)), 8)" + own);
  CHECK(launch_of("", "(w + 32 - 1) / 32, rows * 8", "32, 8") ==
        "grid(ceil_div(w, BLOCK_X), ceil_div(h, BLOCK_Y) * 8)" + own);
  CHECK(launch_of("", "(w + 31) / 32, (half + 1) / 2", "32, 2") ==
        "grid(ceil_div(w, BLOCK_X), ceil_div(h // 2, BLOCK_Y))" + own);
  CHECK(launch_of("", "(w + 32 * 4 - 1) / (32 * 4), h / (8 / 2)", "32, 8") ==
        "grid(ceil_div(w, BLOCK_X * 4), h // (BLOCK_Y // 2))" + own);
  const std::string tiles = "#define TILE_X 32\n#define ROWS_PER_BLOCK ";
  const std::string named = " block(TILE_X, ROWS_PER_BLOCK)";
  CHECK(launch_of(tiles + "1\n", "(w - 1) / TILE_X + 1, (h - 1) / ROWS_PER_BLOCK + 1", "TILE_X, ROWS_PER_BLOCK") ==
        "grid((w - 1) // TILE_X + 1, (h - 1) // ROWS_PER_BLOCK + 1)" + named);
  CHECK(launch_of(tiles + "4\n", "w / TILE_X, (4 * h + ROWS_PER_BLOCK - 1) / ROWS_PER_BLOCK",
                  "TILE_X, ROWS_PER_BLOCK") == "grid(w // TILE_X, ceil_div(4 * h, ROWS_PER_BLOCK))" + named);
  CHECK(launch_of(tiles + "4\n", "32, 4", "TILE_X, ROWS_PER_BLOCK") == "grid(32, 4)" + named);
}

TEST_CASE("a block whose size the kernel knows by a constant that stays is asked about") {
  const std::string text = skeleton(
      "constexpr unsigned TILE = 16u, RADIUS = 3;\n__global__ void k(float* x, int w) { x[blockIdx.x * TILE + "
      "threadIdx.x + RADIUS] = 1; }\nvoid run(float* p, int w) { k<<<w / TILE, TILE>>>(p, w); }",
      "k.cu");
  CHECK_MESSAGE(text.find("TILE has the value 16 too") != text.npos, text);
  CHECK_MESSAGE(text.find("param(BLOCK_SIZE, 16)") != text.npos, text);
}

TEST_CASE("several constants of one declaration have their own values, and stay as they are") {
  const std::string constants = "constexpr int TILE = 64, UNROLL = 32;\n";
  const KernelDescription k = proposed("float* x, int n", "if (i < n) x[i * UNROLL + TILE] = 1;", constants);
  CHECK_FALSE(has(k, "param(TILE"));
  CHECK_FALSE(has(k, "param(UNROLL"));
  CHECK(k.blanked_source.find("#ifndef") == std::string::npos);
  const KernelDescription derived =
      launched("constexpr int A = 2, B = A + 1;\nvoid run(int n) { float* p; k<<<n / B, 256>>>(p, n); }");
  CHECK_MESSAGE(has(derived, "grid(n // (2 + 1))"), derived.source);
}

TEST_CASE("a grid was fixed to the number at hand, although the launch uses a variable that is a size") {
  const std::string host = "int main() { const int count = 4096; float* p; k<<<count, 128>>>(p, count); }";
  CHECK(has(launched(host, "x[blockIdx.x] = n;"), "grid(count) block(") == false);
  CHECK(has(launched(host, "x[blockIdx.x] = n;"), "grid(n) block("));
  const KernelDescription fixed = launched("void run(float* p, int n) { k<<<16, 256>>>(p, n); }");
  CHECK(has(fixed, "// ? The grid of the launch is 16, whatever the sizes are."));
  const std::string variable = "void run(float* p, int n) { const int rows = 50; k<<<rows, 256>>>(p, n); }";
  CHECK(has(launched(variable, "x[blockIdx.x] = n;"), "// ? The grid of the launch is 50, whatever the sizes are."));
  const std::string strided = "for (; i < n; i += gridDim.x * blockDim.x) x[i] = 1;";
  CHECK_FALSE(has(launched("void run(float* p, int n) { k<<<16, 256>>>(p, n); }", strided), "whatever the sizes are"));
  CHECK(
      has(describe(skeleton("__global__ void k(float* x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }", "k.cu")),
          "// ? The kernel does not name blockIdx.x."));
}

TEST_CASE("a size that the host reads or changes is not taken for the number that it begins with") {
  for (const char* const change : {"scanf(\"%d\", &size);", "size = 7 @;", "size <<= 2;"}) {
    const KernelDescription k =
        launched("void run(float* p) { int size = 64; " + std::string(change) + " k<<<size, 256>>>(p, size); }");
    CHECK_MESSAGE(has(k, "// ? Which sizes matter? Guessed: `n`."), change);
  }
}

TEST_CASE("grids that functions and conditions compute are taken over") {
  const auto grid_of = [](const std::string& grid) {
    const std::string text =
        launched("void run(float* p, int n) { const int blocks = " + grid + "; k<<<blocks, 64>>>(p, n); }").source;
    const std::size_t begin = text.find("grid(") + 5;
    return text.substr(begin, text.find(") block", begin) - begin);
  };
  CHECK(grid_of("div_up(n, 64)") == "ceil_div(n, BLOCK_SIZE)");
  CHECK(grid_of("(int)ceil((float)n / 64)") == "ceil_div(n, BLOCK_SIZE)");
  CHECK(grid_of("std::ceil(n / 64.0f)") == "ceil_div(n, BLOCK_SIZE)");
  CHECK(grid_of("n <= 5 ? n / 64 : n * 2") == "(n // BLOCK_SIZE if (n) <= (5) else n * 2)");
}

TEST_CASE("what cudaMemset makes of a buffer was proposed as other numbers, with a guessed length") {
  const auto buffer_where = [](const std::string& type, const std::string& memset) {
    const std::string text = launched("void run(" + type + "* p, int n) { " + memset + " k<<<n / 64, 64>>>(p, n); }",
                                      "if (i < n) atomicAdd(&x[(int)hash(7)], 1);", type + "* x, int n")
                                 .source;
    const std::size_t begin = text.find("inout(x");
    return text.substr(begin, text.find(')', text.find("constant", begin)) - begin + 2);
  };
  CHECK(buffer_where("unsigned", "cudaMemset(p, 0, 256 * sizeof(unsigned));") ==
        "inout(x, unsigned, 256, constant(0))");
  CHECK(buffer_where("int", "cudaMemsetAsync(p, 0xff, n * sizeof(int), s);") == "inout(x, int, n, constant(-1))");
  CHECK(buffer_where("unsigned", "cudaMemset(p, 1, n * sizeof *p);") == "inout(x, unsigned, n, constant(16843009))");
  CHECK(buffer_where("int", "CHECK(cudaMemset(p, 1, 4)); cudaMemset(p, 0, n * sizeof(int));") ==
        "inout(x, int, n, constant(0))");
  const KernelDescription flag =
      launched("void run(int* p, int n) { cudaMemset(p, 0, sizeof(int)); k<<<4, 64>>>(p, n); }", "if (i < n) *x = 1;",
               "int* x, int n");
  CHECK(has(flag, "inout(x, int, 1, constant(0))"));
  const KernelDescription none =
      launched("void run(float* p, int n) { cudaMemset(p, 255, 4 * n); k<<<4, 64>>>(p, n); }", "if (i < n) x[i] += 1;");
  CHECK(has(none, "// ? Every byte of `x` is 0xff before the launch."));
  CHECK(has(proposed("const int* x, float* y, int n", "if (i < n) y[x[i]] = 1;"), "// ? What does `x` contain?"));
}

TEST_CASE("a length that differs from the number that is allocated is asked for") {
  CHECK(length_where("cudaMalloc(&p, 100 * sizeof(float));") == "n");
  const KernelDescription k =
      launched("int main() { float* p; cudaMalloc(&p, 5000 * sizeof(float)); k<<<4, 256>>>(p, 1000); }");
  CHECK(has(k, "// ? How many elements does `x` have?"));
}

TEST_CASE("outputs of several dimensions, of members, and through brackets were taken for inputs") {
  CHECK(role_of_first("x[i][2] = 1;") == "out");
  CHECK(role_of_first("x[i].v[2].w = 1;") == "out");
  CHECK(role_of_first("atomicAdd(&(x[i].re), 1.0f);") == "inout");
  CHECK(role_of_first("if (i) *x = 1;") == "out");
  const KernelDescription k = proposed("float* x, const float* y, int n", "WRITE(i, n)");
  CHECK(std::string(role_word(k.arguments.at(0).role)) == "inout");
  CHECK(has(k, "// ? Is `x` an output only?"));
}

TEST_CASE("a template behind macros and before `static` is seen, and kernels that a macro makes are mentioned") {
  const std::string source =
      "#define MAKE(NAME) __global__ void NAME(float* x, int n) { if (n) x[threadIdx.x] = 1; }\n"
      "MAKE(one)\nMAKE(two)\ntemplate <class T>\nstatic __global__ void k(T* x, int n) {\n"
      "const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1;\n}\n";
  const std::string text = skeleton(source, "k.cu");
  CHECK(text.find("MAKE(two)\n// Proposed") != text.npos);
  CHECK(text.find("#pragma tuner kernel(k<TYPE>)\n") != text.npos);
  CHECK(text.find("// ? Kernels that `MAKE` makes are not seen here.") != text.npos);
  CHECK_THROWS_WITH(skeleton(source.substr(0, source.find("template")), "k.cu"),
                    doctest::Contains("no kernel in it but those that `MAKE` makes"));
}

TEST_CASE("kernels that a macro declares were not seen") {
  const std::string kernel = "f(float* d, int n) { int i = blockIdx.x * 64 + threadIdx.x; if (i < n) d[i] = 1; }\n";
  const std::string text = skeleton("#define KERNEL __global__ void\nKERNEL " + kernel, "k.cu");
  CHECK(text.find("\n#pragma tuner kernel(f)\n") != text.npos);
  CHECK(text.find("out(d, float, n)") != text.npos);
  CHECK_THROWS_WITH(skeleton("#define KERNEL(name) __global__ void name\nKERNEL(f)" + kernel.substr(1), "k.cu"),
                    doctest::Contains("no kernel in it but those that `KERNEL` makes"));
}

TEST_CASE("types of template parameters are what the launch shows, in words that a description accepts") {
  const std::string kernel =
      "using Real = double;\ntemplate <typename Value, typename Index> __global__ void k(Value* x, Index n) {\n"
      "Index i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) x[i] = 1;\n}\n";
  const auto lines_of = [&](const std::string& host) { return describe(skeleton(kernel + host, "k.cu")); };
  const KernelDescription given = lines_of("void run(Real* p, unsigned n) { k<Real, unsigned int><<<n, 64>>>(p, n); }");
  CHECK(has(given, "kernel(k<TYPE, unsigned int>)"));
  CHECK(has(given, "problem(TYPE: constant = double)"));
  CHECK(has(given, "scalar(n, unsigned int)"));
  const KernelDescription deduced = lines_of("int main() { float *q, *p; k<<<4, 64>>>(p, 100); }");
  CHECK(has(deduced, "problem(TYPE: constant = float)"));
  CHECK(has(deduced, "problem(Index_TYPE: constant = int)"));
  CHECK(has(deduced, "problem(n: size = 100)"));
  CHECK_FALSE(has(deduced, "For which types"));
  CHECK(has(lines_of(""), "// ? For which types is the kernel used? int is a guess for `Index`."));
  const std::string functor =
      "struct Twice { float by; };\ntemplate <class Op> __global__ void k(float* x, Op op, int n) { if (n) x[0] = "
      "op(1); "
      "}\ntemplate <class F> void run(float* p, F f) { k<<<1, 1>>>(p, f, 1); }\nint main() { Twice t; float* p; run(p, "
      "t); }\n";
  CHECK(has(describe(skeleton(functor, "k.cu")), "kernel(k<Twice>)"));
  CHECK(has(describe(skeleton(functor, "k.cu")), "value(op, Twice)"));
  const std::string made = functor.substr(0, functor.rfind("run(p")) + "run(p, Twice{2}); }\n";
  CHECK(has(describe(skeleton(made, "k.cu")), "kernel(k<Twice>)"));
}

TEST_CASE("sizes were guessed that no GPU has as many blocks for") {
  const KernelDescription k =
      proposed("float* x, int m", "if (blockIdx.y * blockDim.y + threadIdx.y < m) x[blockIdx.y] = 1;");
  CHECK(has(k, "problem(m: size = 1024)"));
}

TEST_CASE("one kernel that is complained about does not hide the others") {
  const std::string source =
      "__global__ void bad(float* x, int n) { x[threadIdx.x] = n; }\n__global__ void good(float* x, int n) { "
      "x[threadIdx.x] = n; }\n";
  const auto complaint = [](const std::string& text) {
    return std::string(text.find("\n#pragma tuner kernel(bad)") == text.npos ? "" : "`x` is bad.");
  };
  const std::string text = skeleton(source, "k.cu", "", "", complaint);
  CHECK(text.find("\n// ? Mend these lines, and make them no comments: `x` is bad.\n// #pragma tuner kernel(bad)\n") !=
        text.npos);
  CHECK(text.find("\n#pragma tuner kernel(good)\n") != text.npos);
}

TEST_CASE("sizes that were guessed too large for a kernel are guessed smaller, and a complaint loses its place") {
  const std::string source = "__global__ void k(float* x, int n) { x[threadIdx.x] = n; }\n";
  const auto at_most = [&](std::int64_t most) {
    return skeleton(source, "k.cu", "", "", [&](const std::string& text) {
      const std::size_t at = text.find("size = ");
      return std::string(std::stoll(text.substr(at + 7)) > most ? "k.cu:7:1: `n` is too much.\n  #pragma" : "");
    });
  };
  CHECK(at_most(2000).find("\n#pragma tuner problem(n: size = 1024)") != std::string::npos);
  CHECK(at_most(70).find("\n#pragma tuner problem(n: size = 64)") != std::string::npos);
  CHECK(at_most(7).find("make them no comments: `n` is too much.\n// #pragma") != std::string::npos);
}

TEST_CASE("vectors and structures by value are values, with a question") {
  const std::string above = "struct Box { float3 low; int n; };\ntemplate <class T> struct Range { T from, to; };\n";
  const KernelDescription k =
      proposed("float* x, const Box box, float4 by, Range<int> r, std::complex<double>* z, int n",
               "if (i < n) z[i] = 1; if (i < n) x[i] = by.x;", above);
  CHECK(has(
      k,
      "// ? Which values do the members of `box` have? value(box, Box) is `Box{}`.\n#pragma tuner value(box, Box)\n"));
  CHECK(has(k, "// ? Which numbers does `by` hold? Ones are a guess.\n#pragma tuner value(by, float4, 1, 1, 1, 1)\n"));
  CHECK(has(k, "value(r, Range<int>)"));
  CHECK(has(k, "out(z, double, 2 * n)"));
}

TEST_CASE("a grid with more dimensions than the block ended the program") {
  const KernelDescription k = launched("void run(float* p, int n) { k<<<unknown(n), 64>>>(p, n); }",
                                       "int j = blockIdx.y * unseen(); if (i < n && j < n) x[i] = 1;");
  CHECK(has(k, "// ? How many blocks are there in the dimension y?"));
  CHECK(has(k, "grid(ceil_div(n, BLOCK_SIZE), n) block(BLOCK_SIZE)"));
}
