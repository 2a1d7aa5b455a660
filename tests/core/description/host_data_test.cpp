#include "tuner/core/description/host_data.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/support/text.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

/// Its words and signs, one blank between lines or what was blanked.
std::string squeezed(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool is_blank = c == ' ' || c == '\n';
    if (!is_blank || (!result.empty() && result.back() != ' ')) result += is_blank ? ' ' : c;
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

std::string without_variables(const std::string& source) {
  const std::string blank = blank_host_variables(source);
  CHECK(blank.size() == source.size());
  CHECK(lines(blank) == lines(source));
  return squeezed(blank);
}

std::string left_in_header(const std::string& header, const std::string& program = "__global__ void k(float* x) {}\n") {
  std::vector<Header> headers{{"h.h", header}};
  blank_unused(program, headers);
  CHECK(lines(headers.front().text) == lines(header));
  return squeezed(headers.front().text);
}

}  // namespace

TEST_CASE("variables that only the host can use become blank") {
  for (const char* text :
       {"int verbose = 1;", "static int calls;", "extern unsigned int niters;", "bool g_verbose = false;",
        "static const char* name = \"x\";", "static std::string name = \"x\";", "cudaStream_t streams[4];",
        "int *a, *b[3], c = 1 << 22;", "dim3 grid(n / 256, 1, 1);", "std::vector<float> host_x, host_y{};",
        "FILE* log;", "struct timeval start, end;", "float table[2][2] = {{1, 2}, {3, 4}};", "real x;",
        "static cublasHandle_t handle;", "thread_local long long ticks;", "auto f = [](int a) { return a; };"}) {
    CAPTURE(std::string(text));
    CHECK(without_variables(std::string(text) + "\n") == "");
    CHECK(without_variables("namespace a {\n" + std::string(text) + "\n}\n") == "namespace a { }");
  }
  CHECK(without_variables("#define REAL double\nREAL sum;\n") == "#define REAL double");
  CHECK(without_variables("char blosum[2] = {\n#include \"table.h\"\n#if A\n1\n#endif\n};\n") == "#if A #endif");
}

TEST_CASE("what a kernel may use is no variable of the host") {
  for (const char* text : {"const int n = 3;",
                           "static const float scale = 1.5f;",
                           "constexpr float table[] = {1, 2};",
                           "__device__ int counter;",
                           "static __constant__ float weights[4];",
                           "__managed__ int shared;",
                           "const char* const names[] = {\"a\"};",
                           "MY_CONSTANT float table[4];",
                           "CONSTANT(float) table[4];",
                           "TABLE table[4];",
                           "DECLARE(counter);",
                           "texture<float> image;",
                           "struct P { int a; };",
                           "class Q;",
                           "template <typename T> struct R;",
                           "using T = float;",
                           "typedef float T;",
                           "enum E { A, B };",
                           "using namespace std;",
                           "float f(float x);",
                           "Type a(b);",
                           "auto f = [] __device__ (int a) { return a; };",
                           "extern __shared__ float memory[];",
                           "template <typename T> constexpr T pi = T(3);"}) {
    CAPTURE(std::string(text));
    CHECK(without_variables(std::string(text) + "\n") == text);
  }
  CHECK(without_variables("#define IN_CONSTANT __constant__\nIN_CONSTANT float t[4];\n") ==
        "#define IN_CONSTANT __constant__ IN_CONSTANT float t[4];");
}

TEST_CASE("classes, names of types and constants of the host in headers become blank") {
  for (const char* text :
       {"struct Timer { cudaEvent_t begin; Timer() { cudaEventCreate(&begin); } };", "using std::endl;",
        "class Map : public Base { std::map<int, int> map; };", "typedef std::vector<float> Vector;",
        "using Vector = std::vector<float>;", "template <int n> using Array = std::array<int, n>;",
        "typedef struct Tag { FILE* file; } Tag_t, *Tag_p;", "static const std::string kName = \"x\";",
        "extern const float gain;", "struct A { B* b; }; struct B { A* a; };",
        "template <typename T> struct Guard { ~Guard(); }; template <typename T> Guard<T>::~Guard() {}"}) {
    CAPTURE(std::string(text));
    CHECK(left_in_header(std::string(text) + "\n") == "");
  }
  CHECK(left_in_header("class Timer;\nstruct Timer { Event e; };\n") == "class Timer;");
}

TEST_CASE("what the device names, however far away, stays in headers") {
  const std::string all =
      "struct Inner { int a; }; typedef Inner Alias; template <typename T> struct Outer { Alias a; }; "
      "const int kSize = 3;";
  CHECK(left_in_header(all, "__global__ void k(Outer<int>* x) { kSize; }\n") == all);
  CHECK(left_in_header(all + " __device__ Outer<int> make(); #define N kSize") ==
        all + " __device__ Outer<int> make(); #define N kSize");
  CHECK(left_in_header("struct P { int a; };\n", "#pragma tuner kernel(k<P>)\n") == "struct P { int a; };");
  CHECK(left_in_header("struct P { int a; };\n", "// P\nint main() { P p; }\nP global;\n") == "");
  CHECK(left_in_header("template <> struct std::hash<int> { int a; };\n").starts_with("template <>"));
  CHECK(left_in_header("template <typename T> struct Traits<T*> { int a; };\n").starts_with("template <typename T>"));
}

TEST_CASE("a class that only the host uses is blank in a program, too, where no header can use it") {
  const std::string kernel = "#pragma tuner kernel(k<P>)\nstruct P { int a; };\n__global__ void k(float* x) {}\n";
  const std::string host = "struct Host { std::vector<float> v; ~Host() {} };\nconst std::string kName = \"x\";\n";
  const auto left = [](const std::string& source) { return squeezed(blank_host_data(source, source)); };
  CHECK(left(kernel + host) == squeezed(kernel));
  CHECK(left(host + "#include \"later.cuh\"\n" + kernel).starts_with("struct Host {"));
  CHECK(left("#include \"before.cuh\"\n" + host + kernel).find("Host") == std::string::npos);
  CHECK(left(kernel + host + "__device__ Host* h;\n").find("struct Host") != std::string::npos);
}
