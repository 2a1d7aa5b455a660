#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <sstream>
#include <string>
#include <vector>

namespace tuner::test {

/// A source with what is described of it: `directives` stand one a line, from the second line on.
struct SignatureCase {
  const char* name;
  const char* directives;
  const char* source;
  const char* kernel = "scale";

  std::string text() const {
    std::string result = fmt::format("#pragma tuner kernel({}) problem(n: size = 1000) grid(n) block(64)\n", kernel);
    std::istringstream lines(directives);
    for (std::string line; std::getline(lines, line);) result += "#pragma tuner " + line + '\n';
    return result + source + '\n';
  }
};

/// One with a mistake: its line, and what is said of it.
struct WrongSignature {
  const char* name;
  const char* directives;
  const char* source;
  int line;
  const char* mistake;
  const char* kernel = "scale";
};

/// Each case is refused with its line and its sentence; `said` gives what is said of a text.
template <typename Said>
void check_refused(const std::vector<WrongSignature>& cases, Said said) {
  for (const WrongSignature& one : cases) {
    SUBCASE(one.name) {
      const std::string message = said(SignatureCase{one.name, one.directives, one.source, one.kernel}.text());
      CAPTURE(message);
      CHECK(message.starts_with(fmt::format("user.cu:{}:", one.line)));
      CHECK(message.find(one.mistake) != std::string::npos);
    }
  }
}

/// Descriptions that are right, however little the text alone shows of that.
inline const std::vector<SignatureCase>& right_signatures() {
  static const std::vector<SignatureCase> cases{
      {"plain", "in(x, float, n)\nout(y, float, n)\nscalar(n, int32)",
       "__global__ void scale(const float* x, float* y, int n) {}"},
      {"extern C with bounds and __restrict__", "in(x, float, n)\nout(y, float, n)\nscalar(n, int32)",
       "extern \"C\" __global__ void __launch_bounds__(64, 2)\nscale(const float* __restrict__ x, float *__restrict__ "
       "y,"
       " const int n) {}"},
      {"void first", "out(y, float, n)", "static void __global__ scale(float y[]) {}"},
      {"arrays of several dimensions", "in(x, float, 4 * n)\nout(y, float, n)",
       "__global__ void scale(const float x[][4], float* y) {}"},
      {"a typedef", "in(x, double, n)\nout(y, double, n)",
       "typedef double real;\n__global__ void scale(const real* x, real* y) {}"},
      {"a typedef that takes a known name", "in(x, double, n)\nout(y, uint64, n)",
       "typedef double half;\ntypedef unsigned long uint;\n__global__ void scale(const half* x, uint* y) {}"},
      {"an alias of a macro", "problem(TYPE: constant = float)\nin(x, TYPE, n)\nout(y, TYPE, n)",
       "using real = TYPE;\n__global__ void scale(const real* x, TYPE* y) {}"},
      {"a type that the problem gives, written in full",
       "problem(TYPE: constant = float)\nin(x, TYPE, n)\nout(y, TYPE, n)",
       "__global__ void scale(const float* x, TYPE* y) {}"},
      {"a template", "in(x, float, n)\nout(y, int32, n)\nscalar(n, int32)",
       "template <typename T, int N = (1 < 2)>\n__global__ void scale(const T* x, int* y, int n) {}", "scale<float>"},
      {"a template of vectors as wide as is tuned", "param(WIDTH, 2, 4; argument)\nin(x, float, n)\nout(y, float, n)",
       "template <int W> struct vec;\ntemplate <> struct vec<2> { typedef float2 type; };\n"
       "template <> struct vec<4> { typedef float4 type; };\n"
       "template <int W> __global__ void scale(const typename vec<W>::type* x, float* y) {}",
       "scale<WIDTH>"},
      {"a parameter pack", "in(a, float, n)\nin(b, float, n)\nout(y, float, n)",
       "template <typename... T> __global__ void scale(T*... all) {}", "scale<const float, const float, float>"},
      {"a parameter pack behind a parameter", "out(y, float, n)\nin(a, float, n)\nin(b, float, n)",
       "template <typename... T> __global__ void scale(float* y, const T*... all) {}", "scale<float, float>"},
      {"macros for qualifiers", "in(x, float, n)\nout(y, float, n)",
       "#define IN const\n#define ONLY __restrict__\n#define PTR *\n"
       "__global__ void scale(IN float* ONLY x, float PTR y) {}"},
      {"a macro for the type, of the options", "options(\"-DREAL=double\")\nin(x, double, n)\nout(y, double, n)",
       "__global__ void scale(const REAL* x, REAL* y) {}"},
      {"a macro for __global__", "out(y, float, n)",
       "#define KERNEL extern \"C\" __global__ void\nKERNEL scale(float* y) {}"},
      {"a macro that makes the kernel", "in(x, float, n)\nout(y, float, n)",
       "#define MAKE(name, T) __global__ void name(const T* x, T* y) {}\nMAKE(scale, float)"},
      {"a macro that puts the name together", "out(y, float, n)",
       "#define MAKE(name) __global__ void name##_kernel(float* y) {}\nMAKE(scale)", "scale_kernel"},
      {"a macro for several parameters", "in(x, float, n)\nout(y, float, n)\nscalar(n, int32)",
       "#define BUFFERS const float* x, float* y\n__global__ void scale(BUFFERS, int n) {}"},
      {"a macro for a last parameter", "in(x, float, n)\nout(y, float, n)",
       "#define AND(...) , __VA_ARGS__\n__global__ void scale(const float* x AND(float* y)) {}"},
      {"conditions in the list", "in(x, float, n)\nout(y, float, n)",
       "__global__ void scale(const float* x,\n#ifdef MISSING\n  int n,\n#endif\n  float* y) {}"},
      {"conditions around declarations", "in(x, float, n)\nout(y, float, n)",
       "#ifdef MISSING\n__global__ void scale(const double* x, double* y) {}\n#else\n"
       "__global__ void scale(const float* x, float* y) {}\n#endif"},
      {"an old version under #if 0", "in(x, float, n)\nout(y, float, n)",
       "#if 0\n__global__ void scale(const double* x, double* y, int n) {}\n#elif 1\n"
       "#define body {}\n__global__ void scale(const float* x, float* y) body\n#endif"},
      {"a declaration and a definition", "in(x, float, n)\nout(y, float, n)",
       "__global__ void scale(const float*, float*);\n__global__ void scale(const float* x, float* y) {}"},
      {"functions of the same name in other places", "in(x, float, n)\nout(y, float, n)",
       "namespace v1 { __global__ void scale(const double* x) {} __device__ void k(int scale) {} }\n"
       "namespace v2 { __global__ void scale(const float* x, float* y) {} }",
       "v2::scale"},
      {"default arguments", "in(x, float, n)\nout(y, float, n)\nscalar(n, int32)",
       "struct pair { int a, b; };\n"
       "__global__ void scale(const float* x, float* y = nullptr, int n = pair{1, (2, 3)}.a) {}"},
      {"comparisons among default arguments",
       "in(x, float, n)\nscalar(a, int32, value 1)\nscalar(b, int32, value 1)\nout(y, float, n)",
       "constexpr int k = 4;\n"
       "__global__ void scale(const float* x, int a = (k > 3), int b = k < 3 ? 1 : k >> 1, float* y = nullptr) {}"},
      {"more comparisons among default arguments", "in(x, float, n)\nscalar(a, int32, value 1)\nout(y, float, n)",
       "constexpr int k = 4;\n__global__ void scale(const float* x, int a = k > 3 ? 1 : 2, float* y = nullptr) {}"},
      {"a macro for the kernel's own name", "in(x, float, n)\nout(y, float, n)",
       "__global__ void scale(const double* x) {}\n#define scale scale_of_floats\n"
       "__global__ void scale_of_floats(const float* x, float* y) {}"},
      {"pointers that the kernel puts into memory of its own", "scratch(x, uint64, n)\nout(y, float, n)",
       "__global__ void scale(const float** x, float* const y) {}"},
      {"null pointers in a structure, and one that is only written",
       "in(x, uint64, 2 * n, constant(0))\nout(y, uint64, 2 * n)",
       "struct Row { float* data; long long count; };\n__global__ void scale(const Row* x, Row* y) {}"},
      {"a null pointer to pointers", "scalar(x, uint64, value 0)\nout(y, float, n)",
       "__global__ void scale(const float* const* x, float* const y) {}"},
      {"other signs, and raw bytes",
       "in(a, uint32, n)\nin(b, int64, n)\nin(c, float, n)\nin(d, float, n)\nout(y, double, n)\nscalar(n, uint32)",
       "__global__ void scale(const int* a, const unsigned long* b, const void* c, const char* d, unsigned char* y, "
       "int n) {}"},
      {"long and long long", "in(x, int64, n)\nout(y, int64, n)\nscalar(n, int64)",
       "__global__ void scale(const long long* x, long* y, long int n) {}"},
      {"words that are only moved", "in(x, float, n)\nin(z, float2, n)\nout(y, double, n)",
       "__global__ void scale(const unsigned* x, const uint2* z, unsigned long* y) {}"},
      {"halves as their bits, and packed integers",
       "in(a, half, n)\nin(b, bfloat16, n)\nin(c, half2, n)\nin(d, char4, n)\nin(e, float, n)\nout(y, float, n)",
       "__global__ void scale(const unsigned short* a, const short* b, const unsigned* c, const int* d, const uint4* "
       "e, "
       "float* y) {}"},
      {"halves", "in(a, half, n)\nin(b, bfloat16, n)\nin(c, half2, n)\nout(y, half, n)\nscalar(f, half, value 2)",
       "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
       "__global__ void scale(const __half* a, const nv_bfloat16* b, const __half2* c, half* y, half f) {}"},
      {"vectors and booleans", "in(x, float4, n)\nin(m, bool, n)\ninout(y, double2, n)\nscalar(f, bool, value 1)",
       "__global__ void scale(const float4* x, const bool* m, double2* y, bool f) {}"},
      {"structures and enumerations",
       "in(x, float, 3 * n)\nin(k, int32, n)\nout(y, uint8, 2 * n)\nscalar(k0, int32, value 1)",
       "struct point { float x, y, z; };\nenum kind { a, b };\nstruct two { unsigned char a, b; };\n"
       "__global__ void scale(const point* x, const enum kind* k, two* y, kind k0) {}"},
      {"an incomplete structure", "in(x, float, n)\nout(y, float, n)",
       "struct later;\n__global__ void scale(const later* x, float* y) {}"},
      {"a null pointer as a number", "out(y, float, n)\nscalar(x, uint64, value 0)",
       "__global__ void scale(float* y, const float* x) {}"},
      {"an address as a number", "out(y, float, n)\nin(x, float, n)",
       "#include <cstdint>\n__global__ void scale(float* y, std::uintptr_t x) {}"},
      {"names in comments and strings", "out(y, float, n)",
       "// __global__ void scale(double* y) {}\n/* __global__ void scale(int n); */\n"
       "__device__ const char* text = \"__global__ void scale(int n) {\";\nconstexpr int number = 1'000'000;\n"
       "__global__ void scale(float* /* double*, */ y) {}"},
      {"calls and specialisations", "out(y, float, n)",
       "template <class T> __global__ void scale(T* y) {}\n"
       "template <> __global__ void scale<int>(int* y) {}\ntemplate __global__ void scale<double>(double* y);",
       "scale<float>"},
      {"a constant array",
       "out(y, float, n)\nconstant(weights, float, 9)\nconstant(table, float, 16)\nconstant(pairs, int2, 2)",
       "#include <cstdint>\nnamespace v1 { static __constant__ float weights[3][3], other[2]; }\n"
       "__constant__ float4 table[4];\n__device__ __constant__ int2 pairs[2] = {{1, 2}, {3, 4}};\n"
       "__global__ void scale(float* y) { y[0] = v1::weights[0][0] + table[0].x + pairs[1].x + v1::other[0]; }"},
      {"a reference kernel", "reference(plain)\nin(x, float, n)\nout(y, float, n)",
       "__global__ void plain(const float* x, float* y) {}\n__global__ void scale(const float* x, float* y) {}"},
      {"no parameters but buffers in a class", "out(y, float, n)",
       "template <class T> struct view { T* data; };\n__global__ void scale(view<float> y) {}"},
  };
  return cases;
}

/// None of right_signatures() is refused.
template <typename Said>
void check_not_refused(Said said) {
  for (const SignatureCase& one : right_signatures()) {
    SUBCASE(one.name) {
      CHECK(said(one.text()) == "no error");
    }
  }
}

}  // namespace tuner::test
