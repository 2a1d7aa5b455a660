#include "tuner/core/description/host_code.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/support.hpp"
#include "tests/support/text.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/task/identity.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

constexpr std::string_view kKernel =
    "#pragma tuner kernel(k) grid(1) block(1) inout(x, float, 1)\n"
    "__global__ void k(float* x) {\n"
    "  if (x[0] < 1) x[0] = 2;\n"
    "}\n";

std::string with_kernel(std::string_view rest) {
  return std::string(kKernel) + std::string(rest);
}

/// What stands in the blanked text besides blanks and line ends.
std::string left_of(std::string_view source) {
  const std::string blank = blank_host_code(source);
  CHECK(blank.size() == source.size());
  CHECK(lines(blank) == lines(std::string(source)));
  std::string result;
  for (const char c : blank) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || (!result.empty() && result.back() != ' ')) result += is_blank ? ' ' : c;
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

std::string identity_of(const std::string& source) {
  const KernelDescription description = parse_descriptions(source, "k.cu").front();
  return kernel_identity(description, {});
}

const std::string kMain = "int main() { k<<<1, 1>>>(nullptr); }\n";

}  // namespace

TEST_CASE("a source without main and launches has no host code") {
  for (const char* rest :
       {"", "void helper(int n) { n += 1; }\n", "__global__ void m() { k<<<1, 1>>>(nullptr); }\n", "// int main() {}\n",
        "const char* const text = \"int main() {}\";\n", "int main();\n", "#define LAUNCH(k) k<<<1, 1>>>()\n",
        "#if 0\nint main() {}\n#endif\n", "#ifndef __CUDACC_RTC__\nint main() {}\n#endif\n",
        "#if !defined(__CUDACC_RTC__)\nint main() {}\n#endif\n",
        "#ifdef __CUDACC_RTC__\nint a;\n#else\nint main() {}\n#endif\n", "#ifdef STANDALONE\nint main() {}\n#endif\n",
        "#if A\n#elif B\nint main() {}\n#endif\n", "__device__ int domain(int main) { return main; }\n"}) {
    CAPTURE(std::string(rest));
    CHECK(!has_host_code(with_kernel(rest)));
  }
}

TEST_CASE("main and functions that launch are host code, wherever they stand") {
  for (const char* rest :
       {"int main() {}\n", "int main(int count, char** words)\n{ return count; }\n",
        "void launch() { k<<<1, 1>>>(nullptr); }\n", "template <int N>\nvoid launch() { k<N> <<<1, 1>>>(nullptr); }\n",
        "namespace a { namespace { void f() { k <<< 1, 1 >>> (nullptr); } } }\n",
        "extern \"C\" {\nvoid f() { k<<<1, 1>>>(nullptr); }\n}\n", "extern \"C\" void f() { k<<<1, 1>>>(nullptr); }\n",
        "#ifdef __CUDACC_RTC__\n#else\n#endif\nint main() {}\n",
        "#ifndef GUARD_H\n#define GUARD_H\nint main() {}\n#endif\n"}) {
    CAPTURE(std::string(rest));
    CHECK(has_host_code(with_kernel(rest)));
    CHECK(!has_host_code(blank_host_code(with_kernel(rest))));
  }
}

TEST_CASE("functions of the host become blank, and nothing else") {
  CHECK(left_of("int f(int n) { return n; }\nint g = 1;\nstruct S { int a; };\n" + kMain) ==
        "int g = 1; struct S { int a; };");
  CHECK(left_of("void f(std::vector<int>);\nint n(3);\nvoid f(std::vector<int>) {}\n" + kMain) == "int n(3);");
  CHECK(left_of("template <typename T, int N = (2 > 1)> T f(T a) { return a; }\n" + kMain) == "");
  CHECK(left_of("template <typename T>\n__device__ T f(T a) { return a; }\n" + kMain) ==
        "template <typename T> __device__ T f(T a) { return a; }");
  CHECK(left_of("constexpr int f(int a) { return a; }\n" + kMain) == "constexpr int f(int a) { return a; }");
  CHECK(left_of("auto f = [](int a) { return a; };\n" + kMain) == "auto f = [](int a) { return a; };");
  CHECK(left_of("A::A(int a) : a{a}, b{2} { }\nauto f() -> int { return 1; }\n" + kMain) == "");
  CHECK(left_of("bool f() try { return 1; } catch (const E& e) { return 2; } catch (...) { }\nint a;\n" + kMain) ==
        "int a;");
  CHECK(left_of("float operator+(A a, A b) { return 1; }\n" + kMain) == "");
  CHECK(left_of("namespace a {\nint x;\nvoid f() {}\n}\n" + kMain) == "namespace a { int x; }");
  CHECK(left_of("__global__ void __launch_bounds__(64) k() {}\n" + kMain) ==
        "__global__ void __launch_bounds__(64) k() {}");
}

TEST_CASE("what may be a macro that marks a function is left alone") {
  CHECK(left_of("#define D __device__\nD int f() { return 1; }\n" + kMain) ==
        "#define D __device__ D int f() { return 1; }");
  CHECK(left_of("#define fast inline\nfast int f() { return 1; }\n" + kMain) == "#define fast inline");
  CHECK(left_of("MY_DEVICE int f() { return 1; }\n" + kMain) == "MY_DEVICE int f() { return 1; }");
  CHECK(left_of("DEFINE_KERNEL(add, +)\n__global__ void m() {}\n" + kMain) ==
        "DEFINE_KERNEL(add, +) __global__ void m() {}");
  CHECK(left_of("FILE* open() { return nullptr; }\n" + kMain) == "");
  CHECK(left_of("#define PAIR(T) struct P_##T { T a; };\nPAIR(float)\nPAIR(int)\nint a;\n" + kMain)
            .ends_with("PAIR(float) PAIR(int) int a;"));
  CHECK(left_of("#define FN(n) inline float n\nFN(f)(float a) { return a; }\n" + kMain) ==
        "#define FN(n) inline float n");
  CHECK(left_of("template <class T> requires (sizeof(T) > 2) void f(T a) { }\n" + kMain) == "");
  CHECK(left_of("template <class T> requires A<T> T f(T a) { return a; }\n" + kMain) == "");
  CHECK(left_of("__attribute__((noinline)) void f() { }\n" + kMain) == "");
}

TEST_CASE("kernels and functions that a macro names are left alone") {
  for (const std::string text :
       {"DEVICE_FN(float, square)(float x) { return x; }", "KERNEL(m, float* x) { *x = 1; }",
        "__global__ void LAUNCH_BOUNDS(256) m(float* x) { *x = 1; }", "__device__ int f() NOTHROW { return 1; }",
        "device_inline float f() { return 1; }", "static device_inline T f(T a) { return a; }",
        "template <typename T, if_t<(sizeof(T) > 4)> = 0> __device__ T f() { return 1; }"}) {
    CAPTURE(text);
    CHECK(left_of(text + "\n" + kMain) == text);
  }
  const std::string macros = "#define fn inline __device__\n#define def(name) fn void name()\n";
  CHECK(left_of(macros + "def(f) { }\n" + kMain).ends_with("def(f) { }"));
  CHECK(left_of("static Matrix const f() {}\nstd::size_t g() {}\nunsigned long h() {}\n" + kMain) == "");
}

TEST_CASE("what is declared as the device's is so where it is defined or specialised") {
  for (const std::string text :
       {"template <typename T> __device__ T f(T a) { return a; } template <> float f<float>(float a) { return 2; }",
        "__device__ float f(float a); float f(float a) { return a; }",
        "struct V { float a; __device__ V(float); }; V::V(float x) : a(x) { }",
        "struct V { __device__ float get() const; }; float V::get() const { return 1; }",
        "template <typename T> struct V { DEVICE T get(); }; template <typename T> T V<T>::get() { return 1; }",
        "template <> float of_a_header<float>(float a) { return 2; }",
        "struct G { struct C { __device__ float get(); }; }; float G::C::get() { return 1; }",
        "struct V { __device__ operator float(); }; V::operator float() { return 1; }",
        "__device__ float f(float a); float f(float value) { return value; }",
        "namespace m { __device__ float f(const float* a, int n = g(1, 2)); } "
        "float m::f(float const* __restrict__ p, int) { return 1; }",
        "template <typename T> __device__ T f(T (&a)[4]); template <class U> U f(U (&b)[4]) { return b[0]; }",
        "__device__ float f(unsigned, float a[]); float f(unsigned int n, float* a) { return *a; }",
        "__device__ V operator+(V a, V b); V operator+(V one, V other) { return one; }",
        "float f(float a); __device__ float f(float b) { return b; }"}) {
    CAPTURE(text);
    CHECK(left_of(text + "\n" + kMain) == text);
  }
  const std::string macro = "#define DEV(T) __device__ T\n";
  CHECK(left_of(macro + "DEV(float) f(float a) { return a; }\n" + kMain)
            .ends_with("DEV(float) f(float a) { return a; }"));
  CHECK(left_of("OTHER(float) f(float a) { return a; }\n" + kMain) == "OTHER(float) f(float a) { return a; }");
  CHECK(left_of("#define PLAIN(T) T\nPLAIN(float) f(float a) { return a; }\n" + kMain) == "#define PLAIN(T) T");
}

TEST_CASE("a constant whose value is a product, or a member of a class, is no function") {
  for (const std::string text :
       {"const int W = 16, H = 4; static const int total(W * H);", "constexpr int both(FA & FB);",
        "template <int N> struct C { static const int value = N; }; const int t(C<3>::value);",
        "const float pi(std::numbers::pi);", "const int total(kRows<float> * W);",
        "const int bits(std::numeric_limits<int>::digits * W);", "const bool b(std::is_same<int, float>::value & W);",
        "const bool b(std::is_same_v<int, float> & W);", "const int total(cuda_blocks * cuda_threads);"}) {
    CAPTURE(text);
    CHECK(left_of(text + "\n" + kMain) == text);
  }
  for (const char* text :
       {"const int* f(W * w);", "int f(W* w);", "const int f(const W* w);", "const int f(int, W w);",
        "static void die(FILE* f, const char* text, ...) __attribute__((noinline));",
        "void CUDART_CB done(cudaStream_t stream, void* data) { }", "unsigned __int128 big();",
        "const int load(const std::string& path);", "const double mean(std::vector<double>& v);",
        "std::shared_ptr<const Mesh> load(std::string& path);", "const int major_of(cudaDeviceProp& p);"}) {
    CAPTURE(std::string(text));
    CHECK(left_of(text + std::string("\n") + kMain) == "");
  }
}

TEST_CASE("an attribute behind a macro that is a statement begins the next one") {
  const std::string text =
      "#define REGISTER(x)\nREGISTER(one)\n__attribute__((noinline)) void host() { k<<<1, 1>>>(); }\n";
  CHECK(left_of(text + kMain) == "#define REGISTER(x) REGISTER(one)");
  const std::string device = "[[nodiscard]] __device__ float f(float a) { return a; }";
  CHECK(left_of("#define REGISTER(x)\nREGISTER(one)\n" + device + "\nvoid host() { k<<<1, 1>>>(); }\n" + kMain) ==
        "#define REGISTER(x) REGISTER(one) " + device);
}

TEST_CASE("a macro that says what a function returns goes with it, whatever stands between") {
  for (const std::string attribute : {"", "__attribute__((noinline)) ", "static inline ", "[[gnu::noinline]] "}) {
    CAPTURE(attribute);
    CHECK(left_of("#define API(T) T\nAPI(int) " + attribute + "run(float* x) { k<<<1, 1>>>(x); return 0; }\n" +
                  kMain) == "#define API(T) T");
  }
}

TEST_CASE("a name for the assembler behind a function's parameters is no function") {
  for (const std::string word : {"asm", "__asm__"}) {
    CAPTURE(word);
    CHECK(left_of("extern \"C\" int c_puts(const char* s) " + word + "(\"puts\");\nint a;\n" + kMain) == "int a;");
  }
}

TEST_CASE("a function of the host stays one beside others of that name") {
  const std::string device =
      "__global__ void k(float* x, int n);\n__device__ float f(float a);\n__device__ V operator+(V a, V b);\nnamespace "
      "gpu { __device__ float f(float a) { return a; } }\n";
  for (const char* text :
       {"template <typename T> int name() { return -1; } template <> int name<float>() { return -1; }",
        "namespace cpu { float f(double a) { return -1; } }", "__host__ float f(float a) { return -1; }",
        "float f(double a) { return -1; }", "float f(float* a) { return -1; }",
        "float f(float a, int n) { return -1; }", "V operator-(V a, V b) { return -1; }",
        "namespace cpu { float f(float a) { return -1; } }", "void k(float* x, int n) { *x = -1; }",
        "\n#ifndef __CUDACC_RTC__\nstruct Timer { Timer(); };\n#endif\nTimer::Timer() { f(-1); }"}) {
    CAPTURE(std::string(text));
    CHECK(left_of(device + text + "\n" + kMain).find("-1") == std::string::npos);
  }
}

TEST_CASE("functions of the host are declared in many ways") {
  for (const std::string text :
       {"float g(float);", "double now();", "extern \"C\" void gold(float* a, const unsigned int n);", "void f(Any);",
        "handle_t make(const char* name = \"x\");", "void use(handle_t h, std::mt19937& g);", "T f(int (*g)(int));",
        "template <typename T> void fill(std::vector<T>&);", "unsigned long f(unsigned long);",
        "float (*pick(int i))(float);", "namespace { static bool has(const std::vector<T>& all, const T& one); }"}) {
    CAPTURE(text);
    CHECK(left_of("struct T;\n" + text + "\nint a;\n" + kMain) ==
          (text.starts_with("namespace") ? "struct T; namespace { } int a;" : "struct T; int a;"));
  }
}

TEST_CASE("a name in capitals is no mark if the source says what it is, or a type stands before it") {
  for (const std::string text : {"struct CSR { int n; };", "typedef double CSR;", "using CSR = double;",
                                 "enum CSR { A };", "#define CSR double\n", "template <typename CSR>"}) {
    CAPTURE(text);
    CHECK(left_of(text + " CSR read(int n) { return -1; }\n" + kMain).find("-1") == std::string::npos);
  }
  CHECK(left_of("double MSE(int n) { return 1; }\n" + kMain) == "");
  CHECK(left_of("__HD__ float f() { return 1; }\n" + kMain) == "__HD__ float f() { return 1; }");
}

TEST_CASE("a specialisation belongs to the template with as many parameters") {
  const std::string templates =
      "template <typename T> T load(const V<T>& v, int i) { return -1; }\n"
      "template <typename T> __device__ T load(const T* p) { return *p; }\n";
  CHECK(left_of(templates + "template <> float load<float>(const V<float>& v, int i) { return -2; }\n" + kMain)
            .find("-2") == std::string::npos);
  CHECK(left_of(templates + "template <> float load<float>(const float* p) { return -2; }\n" + kMain).find("-2") !=
        std::string::npos);
  CHECK(left_of("template <typename T> void run(T* p) {}\ntemplate void run<float>(float*);\n" + kMain) == "");
  const std::string device = "template __device__ void run<float>(float*);";
  CHECK(left_of(device + "\n" + kMain) == device);
}

TEST_CASE("only classes that are defined, by their own names, make members the device's") {
  for (const char* text : {"struct Timer;", "struct Other : Timer { };", "struct Other { } Timer;"}) {
    CAPTURE(std::string(text));
    CHECK(left_of(text + std::string("\nTimer::Timer() { f(-1); }\n") + kMain).find("-1") == std::string::npos);
  }
  const std::string final = "struct V final : Base { }; V::V() { }";
  CHECK(left_of(final + "\n" + kMain) == final);
}

TEST_CASE("many functions of one name are judged in one pass") {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "__device__ float f(T" + std::to_string(i) + " a);\n";
  for (int i = 0; i < 20'000; ++i) text += "float f(U" + std::to_string(i) + " a) { return -1; }\n";
  CHECK(blank_host_code(with_kernel(text + kMain)).find("-1") == std::string::npos);
}

TEST_CASE("the unmarked function at a place is named") {
  const std::string text = "int a;\nvoid f(int n) { g(); }\n__device__ void d() { f(1); }\n";
  CHECK(unmarked_function_at(text, text.find("g()")) == "f");
  CHECK(unmarked_function_at(text, text.find("void f")) == "f");
  CHECK(unmarked_function_at(text, text.find("f(1)")).empty());
  CHECK(unmarked_function_at(text, 0).empty());
  CHECK(unmarked_function_at("", 0).empty());
}

TEST_CASE("what may be a declaration of anything is left alone") {
  for (const std::string text :
       {"DECLARE(float, w);", "VEC(float, 4)", "V(float) -> V<double>;", "const int n(int(4));",
        "static const unsigned m((unsigned)3);", "float3 o(0, 0, 0);", "const int n(other);", "std::string s(\"x\");",
        "float x(*y);", "float (*fn)(float);", "const int n(Limits<int>::max());"}) {
    CAPTURE(text);
    CHECK(left_of(text + "\n" + kMain) == text);
  }
}

TEST_CASE("a function launches through a macro, too") {
  const std::string macro = "#define LAUNCH(k) k<<<1, 1>>>()\n";
  CHECK(has_host_code(with_kernel(macro + "void run() { LAUNCH(k); }\n")));
  CHECK(has_host_code(with_kernel(macro + "#define RUN(k) LAUNCH(k)\nvoid run() { RUN(k); }\n")));
  CHECK(has_host_code(with_kernel("#define RUN(k) LAUNCH(k)\n" + macro + "void run() { RUN(k); }\n")));
  CHECK(!has_host_code(with_kernel(macro + "void run() { launch(k); }\n")));
}

TEST_CASE("only the first condition of a file is an include guard, with one name") {
  for (const char* rest : {"#ifndef NO_MAIN\n#define RUN 1\nint main() {}\n#endif\n",
                           "#if A\n#endif\n#ifndef B\n#define B\nint main() {}\n#endif\n"}) {
    CAPTURE(std::string(rest));
    CHECK(!has_host_code(with_kernel(rest)));
  }
  CHECK(has_host_code(with_kernel("#if 1\nint main() {}\n#endif\n")));
}

TEST_CASE("a hundred thousand words before a parenthesis are read once") {
  std::string text = "int ";
  for (int i = 0; i < 100'000; ++i) text += "A() ";
  CHECK(has_host_code(with_kernel(text + ";\n" + kMain)));
}

TEST_CASE("a struct before a name makes no class of a function") {
  CHECK(left_of("struct timeval now() { return {}; }\nint a;\n" + kMain) == "int a;");
  CHECK(left_of("struct ALIGNED(16) S { int a; };\n" + kMain) == "struct ALIGNED(16) S { int a; };");
}

TEST_CASE("conditions in host code stay whole, and nothing that only looks like one") {
  CHECK(left_of("int main() {\n#if defined(A) && \\\n    defined(B)\n#endif\n}\nint a;\n") ==
        "#if defined(A) && \\ defined(B) #endif int a;");
  CHECK(left_of("int main() {\n#if A /* of\n two lines */\n#endif\n}\nint a;\n") ==
        "#if A /* of two lines */ #endif int a;");
  CHECK(left_of("int main() {\n/*\n#if A\n*/ f(R\"(\n#else\n)\");\n}\nint a;\n") == "int a;");
  CHECK(left_of("int main() {\n#ifdef A\n  if (a) {\n#else\n#endif\n  }\n}\nint a;\n") ==
        "#ifdef A #else #endif int a;");
}

TEST_CASE("braces in strings, comments and branches do not mislead") {
  CHECK(left_of("int main() { f(\"}\", '}', R\"(})\"); /* } */ // }\n}\nint a;\n") == "int a;");
  CHECK(left_of("int main() {\n#ifdef A\n  if (a) {\n#else\n  {\n#endif\n  }\n}\nint a;\n") ==
        "#ifdef A #else #endif int a;");
  CHECK(left_of("int main() {\n#define N 4\n#pragma omp parallel\n}\nint a;\n") == "#define N 4 int a;");
  CHECK(left_of("#ifdef A\nvoid f(int a) {\n#else\nvoid f() {\n#endif\n}\nint a;\n" + kMain).ends_with("int a;"));
  // Never a kernel, whatever the braces say.
  const std::string odd = "int main() {\n__global__ void k() {}\n";
  CHECK(blank_host_code(odd) == odd);
}

TEST_CASE("what the host does is no part of a kernel's identity") {
  const std::string once = identity_of(with_kernel(kMain));
  CHECK(identity_of(with_kernel("int main(int, char**) {\n  return 1;\n}\n")) == once);
  CHECK(identity_of(with_kernel("void f() {}\n\nvoid g() { f(); }\n" + kMain)) == once);
  CHECK(identity_of(with_kernel("int f;\n" + kMain)) != once);
  CHECK(identity_of(with_kernel("int main() {\n#define N 4\n}\n")) !=
        identity_of(with_kernel("int main() {\n#define N 5\n}\n")));
  // Without host code it is what it was before there was any of this.
  CHECK(identity_of(with_kernel("")) == "k:a12ca9c896be1554f24c29c73f9d46ac");
  CHECK(identity_of(with_kernel("#ifndef __CUDACC_RTC__\nint main() {}\n#endif\n")) ==
        "k:529b9cc9789534b721e0b3fc16bbb4fb");
}

TEST_CASE("where all functions are the device's, by an option, none is the host's") {
  const std::string text = "float helper(float a) { return a; }\n" + kMain;
  const std::string option = "#pragma tuner options(\"-default-device\")\n";
  const KernelDescription description = parse_descriptions(with_kernel(option + text), "k.cu").front();
  CHECK(!description.is_program);
  CHECK(description.blanked_source.ends_with(text));
  CHECK(identity_of(with_kernel(option + text)) != identity_of(with_kernel(option + kMain)));
  CHECK(identity_of(with_kernel(text)) == identity_of(with_kernel(kMain)));
}

TEST_CASE("the compiler gets the source with its lines where they were") {
  const std::string source = "int main() {\n}\n" + std::string(kKernel);
  const KernelDescription description = parse_descriptions(source, "k.cu").front();
  CHECK(description.source == source);
  CHECK(description.blanked_source == "            \n \n\n" + std::string(kKernel.substr(kKernel.find('\n') + 1)));
}

TEST_CASE("a member that launches kept a class that the kernel uses from compiling") {
  CHECK(has_host_code("struct A { void run() { k<<<1, 1>>>(x); } };\n"));
  CHECK(left_of("struct A { void run() const { k<<<1, 1>>>(x); } int n; };\n") == "struct A { int n; };");
  CHECK(left_of("class A { public: A(int n) : n_(n), m_{n} { f(); } ~A() { g(); } void h(); private: int n_, m_; };\n"
                "void A::h() {}\n" +
                kMain) == "class A { public: private: int n_, m_; };");
  CHECK(left_of("struct A { operator int() const { return 1; } bool operator()(int i) { return i; } };\n" + kMain) ==
        "struct A { };");
  CHECK(left_of("struct A { struct B { std::string s() { return std::string(); } }; };\n" + kMain) ==
        "struct A { struct B { }; };");
  CHECK(left_of("struct A { __device__ A(int); ~A(); __device__ void f(int); void f(float); };\n"
                "A::A(int) { } A::~A() { } void A::f(int) { } void A::f(float) { }\n" +
                kMain) == "struct A { __device__ A(int); __device__ void f(int); }; A::A(int) { } void A::f(int) { }");
  // Those of the device, or of what may be a macro for it, what makes an object larger, and what is no function.
  for (const std::string kept :
       {"struct A { __device__ int a() { return 1; } constexpr int b() const { return 2; } __device__ void c(); }; "
        "void A::c() { }",
        "struct A { HD A() { } HD operator int() { return 1; } HD T c() { return T(); } };",
        "struct A { virtual void f() { } void g() override { } friend void h(); };",
        "struct A { int a = f(1), b{2}; enum E { x = (1), y }; A() = default; ~A() = delete; };"})
    CHECK(left_of(kept + "\n" + kMain) == kept);
}

TEST_CASE("what members of the host do is no part of a kernel's identity") {
  const std::string before = "struct A { void run() { k<<<1, 1>>>(0); } };\n", after = "struct A { void run() { } };\n";
  CHECK(without_host_code(before + kMain) == without_host_code(after + kMain));
}
