// A kernel's source and a launch of it become a description.
#include "tuner/sources/from_capture/from_capture.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <numeric>

#include "tests/sources/from_capture/told_launch.hpp"
#include "tests/support/text.hpp"

using namespace tuner;
using namespace tuner::test;
using engine::MemoryUse;

namespace {

std::vector<float> reals(std::size_t count, float first = 1) {
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

const std::string kScale = R"(
#define BLOCK 64
__global__ void scale(float* y, const float* x, float by, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) y[i] = by * x[i];
}
void run(float* y, const float* x, float by, int n) {
  scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(y, x, by, n);
}
)";

ToldLaunch launch_of_scale() {
  ToldLaunch told("_Z5scalePfPKffi");
  told.parameter(told.output(reals(250, 7)));
  told.parameter(told.input(reals(250)));
  told.parameter(0.1f);
  told.parameter(250);
  return told;
}

}  // namespace

TEST_CASE("a launch that the source computes stays as it is written, with the data of the capture") {
  ToldLaunch told = launch_of_scale();
  CHECK(told.directives(kScale) ==
        "kernel(scale)\n"
        "problem(n: size = 250)\n"
        "param(BLOCK, 64, 128, 256, 512, 1024; default 64)\n"
        "out(y, float, n, expect file(\"k.data/y.expected.npy\"))\n"
        "in(x, float, n, file(\"k.data/x.npy\"))\n"
        "scalar(by, float, value 0.1)\n"
        "scalar(n, int)\n"
        "grid(ceil_div(n, BLOCK)) block(BLOCK)\n");
  CHECK(told.data<float>("x.npy") == reals(250));
  CHECK(told.data<float>("y.expected.npy") == reals(250, 7));
}

TEST_CASE("a launch that the source does not compute is the captured one") {
  ToldLaunch told = launch_of_scale();
  told.shape(17, 32, 1024);
  CHECK(contains(told.directives(kScale), "grid(17) block(32) shared(1024)\n"));
  CHECK(!contains(told.directives(kScale), "param(BLOCK"));
  told.launch.launch.grid[1] = 3;
  CHECK(contains(told.directives(kScale), "grid(17, 3) block(32) shared(1024)\n"));
}

TEST_CASE("shared memory that the source does not compute leaves grid and block as they are written") {
  ToldLaunch told = launch_of_scale();
  told.shape(4, 64, 512);
  CHECK(contains(told.directives(kScale), "grid(ceil_div(n, BLOCK)) block(BLOCK) shared(512)\n"));
}

TEST_CASE("what is partly written, or depends on what was there, is compared with what it held before in it") {
  ToldLaunch told("_Z5scalePfPKffi");
  told.parameter(told.memory(MemoryUse::out, reals(250), reals(250, 7)));
  told.writes(0, 400);
  told.parameter(told.input(reals(250)));
  told.parameter(2.0f);
  told.parameter(250);
  CHECK(contains(told.directives(kScale),
                 "inout(y, float, n, file(\"k.data/y.npy\"), expect file(\"k.data/y.expected.npy\"))\n"));
  CHECK(told.data<float>("y.npy") == reals(250));
}

TEST_CASE("a buffer that is written throughout is no output if another's results depend on what it held") {
  ToldLaunch told("_Z4swapPfS_");
  for (const float first : {1.0f, 2.0f}) {
    told.parameter(told.memory(MemoryUse::inout, reals(250, first), reals(250, 3.0f - first)));
    engine::PatternResult& pattern = *told.replayed.memories.back().pattern;
    std::swap(pattern.output, pattern.depends);
  }
  told.shape(1, 250);
  const std::string directives = told.directives(
      "__global__ void swap(float* a, float* b) {\n  float t = a[threadIdx.x]; a[threadIdx.x] = b[threadIdx.x]; "
      "b[threadIdx.x] = t;\n}\n");
  CHECK(contains(directives, "inout(a, float, 250, file("));
  CHECK(contains(directives, "inout(b, float, 250, file("));
}

TEST_CASE("numbers that no expression writes are given by their bytes") {
  ToldLaunch told("_Z5scalePfPKffi");
  told.parameter(told.output(reals(250)));
  told.parameter(told.input(reals(250)));
  told.parameter(std::numeric_limits<float>::infinity());
  told.parameter(250);
  CHECK(contains(told.directives(kScale), "value(by, float, bytes \"0000807f\")\n"));
}

TEST_CASE("a structure is given by its bytes, and one with an address in it is refused") {
  struct Box {
    float low;
    int cells;
  };
  const std::string source =
      "struct Box { float low; int cells; };\n"
      "__global__ void fill(float* y, Box box) { y[blockIdx.x * blockDim.x + threadIdx.x] = box.low; }\n";
  ToldLaunch told("_Z4fillPf3Box");
  told.parameter(told.output(reals(256)));
  told.parameter(Box{1.0f, 3});
  CHECK(contains(told.directives(source), "value(box, Box, bytes \"0000803f03000000\")\n"));

  struct View {
    std::uint64_t data;
    std::uint64_t count;
  };
  const std::string of_view =
      "#include \"view.h\"\n__global__ void fill(float* y, View view) { y[threadIdx.x] = view.data[0]; }\n";
  ToldLaunch viewing("_Z4fillPf4View");
  viewing.parameter(viewing.output(reals(256)));
  viewing.parameter(View{viewing.input(reals(8)), 8});
  CHECK(contains(viewing.refusal(of_view), "parameter 2, `View view`, has an address in it, at byte 0"));
}

TEST_CASE("a kernel that takes a structure of addresses alone is refused for that") {
  struct View {
    std::uint64_t data;
    std::uint64_t count;
  };
  ToldLaunch told("_Z4fill4View");
  told.parameter(View{told.output(reals(8)), 8});
  CHECK(contains(told.refusal("#include \"view.h\"\n__global__ void fill(View view) { view.data[0] = 1; }\n"),
                 "parameter 1, `View view`, has an address in it, at byte 0"));
}

TEST_CASE("vectors by value, characters, truth values and null pointers") {
  const std::string source =
      "__global__ void fill(float* y, float3 by, char c, bool on, const int* map, long long far) {\n"
      "  y[blockIdx.x * blockDim.x + threadIdx.x] = by.x;\n}\n";
  struct Three {
    float x, y, z;
  };
  ToldLaunch told("_Z4fillPf6float3cbPKix");
  told.parameter(told.output(reals(256)));
  told.parameter(Three{1, 2, 0.5f});
  told.parameter('A');
  told.parameter(std::uint8_t{1});
  told.parameter(std::uint64_t{0});
  told.parameter(std::int64_t{-1} << 40);
  const std::string lines = told.directives(source);
  CHECK(contains(lines, "value(by, float3, 1, 2, 0.5)\n"));
  CHECK(contains(lines, "scalar(c, char, value 65)\n"));
  CHECK(contains(lines, "scalar(on, bool, value true)\n"));
  CHECK(contains(lines, "scalar(map, uint64, value 0)\n"));
  CHECK(contains(lines, "value -1099511627776)\n"));
}

TEST_CASE("an allocation may hold several arrays, and one that is only read may be given twice") {
  ToldLaunch told("_Z5scalePfPKffi");
  const std::uint64_t all = told.memory(MemoryUse::out, reals(500), reals(500, 9));
  told.writes(0, 1000);
  told.parameter(all);
  told.parameter(all + 1000);
  told.parameter(2.0f);
  told.parameter(250);
  const std::string lines = told.directives(kScale);
  CHECK(contains(lines, "out(y, float, n, expect file(\"k.data/y.expected.npy\"))\n"));
  CHECK(contains(lines, "in(x, float, n, file(\"k.data/x.npy\"))\n"));
  CHECK(told.data<float>("x.npy") == reals(250, 251));
  CHECK(told.data<float>("y.expected.npy") == reals(250, 9));

  const std::string source =
      "__global__ void add(float* y, const float* a, const float* b, int n) {\n"
      "  const int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = a[i] + b[i];\n}\n";
  ToldLaunch twice("_Z3addPfPKfS1_i");
  twice.parameter(twice.output(reals(250)));
  const std::uint64_t read = twice.input(reals(250));
  twice.parameter(read);
  twice.parameter(read);
  twice.parameter(250);
  CHECK(contains(twice.directives(source), "in(b, float, n, file(\"k.data/b.npy\"))\n"));
}

TEST_CASE("memory that no description gives is refused with the parameter") {
  ToldLaunch same("_Z5scalePfPKffi");
  const std::uint64_t both = same.memory(MemoryUse::inout, reals(250), reals(250, 9));
  same.parameter(both);
  same.parameter(both);
  same.parameter(2.0f);
  same.parameter(250);
  CHECK(contains(same.refusal(kScale),
                 "parameter 1, `float* y`, leads to the same memory as parameter 2, and the "
                 "kernel writes there"));

  ToldLaunch nowhere = launch_of_scale();
  nowhere.launch.parameters[1].bytes = std::vector<std::byte>(8, std::byte{9});
  CHECK(contains(nowhere.refusal(kScale), "parameter 2, `const float* x`, leads to no memory that the capture has"));

  ToldLaunch in_front("_Z5scalePfPKffi");
  in_front.parameter(in_front.memory(MemoryUse::out, reals(500), reals(500, 9)) + 1000);
  in_front.writes(800, 2000);
  in_front.parameter(in_front.input(reals(250)));
  in_front.parameter(2.0f);
  in_front.parameter(250);
  CHECK(contains(in_front.refusal(kScale), "leads into an allocation, and the kernel writes in front of it"));

  ToldLaunch end = launch_of_scale();
  const std::uint64_t behind = end.launch.allocations[1].address + 1000;
  std::memcpy(end.launch.parameters[1].bytes.data(), &behind, sizeof behind);
  CHECK(contains(end.refusal(kScale), "leads to the end of an allocation"));
}

TEST_CASE("launches that no description makes are refused, and so are outputs that none can expect") {
  ToldLaunch told = launch_of_scale();
  told.launch.launch.cooperative = 1;
  CHECK(contains(told.refusal(kScale), "it was launched cooperatively"));
  told.launch.launch.cooperative = 0;
  told.launch.launch.cluster[0] = told.launch.launch.cluster[1] = told.launch.launch.cluster[2] = 1;
  CHECK(told.refusal(kScale).empty());
  told.launch.launch.cluster[0] = 2;
  CHECK(contains(told.refusal(kScale), "it was launched in clusters"));
  told.launch.attributes = {{.number = 11, .value = 2}};
  CHECK(told.refusal(kScale).empty());
  told.replayed.verdict = engine::ReplayVerdict::not_repeatable;
  told.replayed.reason = "It reads the clock.";
  CHECK(contains(told.refusal(kScale), "its replay is not repeatable. It reads the clock."));
}

TEST_CASE("elements in another order are compared as a multiset") {
  ToldLaunch told = launch_of_scale();
  told.replayed.verdict = engine::ReplayVerdict::same_set;
  told.replayed.memories[0].replayed.permuted = 8;
  CHECK(contains(told.directives(kScale), "expect file(\"k.data/y.expected.npy\"), unordered)\n"));
  told.replayed.memories[0].replayed.permuted = 2;
  CHECK(contains(told.refusal(kScale), "records of 2 bytes"));
}

TEST_CASE("an instance of a template has the arguments that ran, and the tuner varies what it may") {
  const std::string source =
      "namespace app {\n"
      "template <typename T, int BLOCK_THREADS, bool FAST>\n"
      "__global__ void scale(T* y, const T* x, int n) {\n"
      "  const int i = blockIdx.x * BLOCK_THREADS + threadIdx.x; if (i < n) y[i] = x[i];\n}\n"
      "}\n"
      "void run(double* y, double* x, int n) { app::scale<float, 256, false><<<(n + 255) / 256, 256>>>(y, x, n); }\n";
  ToldLaunch told("_ZN3app5scaleIdLi128ELb1EEEvPT_PKS1_i");
  const std::vector<double> values{1, 2, 3, 4, 5};
  told.parameter(told.output(values));
  told.parameter(told.input(values));
  told.parameter(5);
  told.shape(1, 128);
  const std::string lines = told.directives(source);
  CHECK(contains(lines, "kernel(app::scale<TYPE, BLOCK_THREADS, true>)\n"));
  CHECK(contains(lines, "problem(TYPE: constant = double)\n"));
  CHECK(contains(lines, "; default 128; argument)\n"));
  CHECK(contains(lines, "in(x, double, n, file("));
  CHECK(contains(lines, "block(BLOCK_THREADS)\n"));
}

TEST_CASE("a kernel in a namespace without a name is found") {
  ToldLaunch told("_ZN12_GLOBAL__N_15scaleEPfPKffi");
  told.parameter(told.output(reals(250)));
  told.parameter(told.input(reals(250)));
  told.parameter(2.0f);
  told.parameter(250);
  std::string source = kScale;
  source.insert(source.find("__global__"), "namespace {\n");
  source.insert(source.find("void run"), "}\n");
  CHECK(contains(told.directives(source), "kernel(scale)\n"));
}

TEST_CASE("a kernel with a name of C has the types of its source") {
  ToldLaunch told("scale");
  told.parameter(told.output(reals(250)));
  told.parameter(told.input(reals(250)));
  told.parameter(0.25f);
  told.parameter(250);
  std::string source = kScale;
  source.insert(source.find("__global__"), "extern \"C\" ");
  const std::string lines = told.directives(source);
  CHECK(contains(lines, "in(x, float, n, file("));
  CHECK(contains(lines, "scalar(by, float, value 0.25)\n"));
}

TEST_CASE("constant memory has what it held, and a variable that a description cannot give is refused") {
  const std::string source =
      "__constant__ float weights[2][2];\n__constant__ int steps;\n__device__ float bias;\n__device__ int unused;\n"
      "__device__ float weight(int i) { return weights[0][i] * steps; }\n"
      "__global__ void fill(float* y) { const int i = threadIdx.x; y[i] = weight(i) + bias; }\n";
  ToldLaunch told("_Z4fillPf");
  told.parameter(told.output(reals(64)));
  told.variable<float>("weights", {1, 2, 3, 4}, MemoryUse::in);
  told.variable<int>("steps", {3}, MemoryUse::in);
  told.variable<float>("bias", {0}, MemoryUse::in);
  told.variable<int>("unused", {7}, MemoryUse::in);
  told.constants = {"weights", "steps"};
  told.shape(1, 64);
  const std::string lines = told.directives(source);
  CHECK(contains(lines, "constant(weights, float, 4, file(\"k.data/weights.npy\"))\n"));
  CHECK(contains(lines, "constant(steps, int, 1, file(\"k.data/steps.npy\"))\n"));
  CHECK(!contains(lines, "bias"));
  CHECK(told.data<float>("weights.npy") == std::vector<float>{1, 2, 3, 4});
  told.variable<float>("bias", {2}, MemoryUse::in);
  CHECK(contains(told.refusal(source), "it may read the variable `bias` in global memory"));
}

TEST_CASE("a source without the kernel, or with another of its name, is refused") {
  CHECK(contains(launch_of_scale().refusal("__global__ void other(float* y) { y[0] = 1; }\n"),
                 "it has no kernel `scale`; its kernels are other"));
  CHECK(contains(launch_of_scale().refusal("__global__ void scale(float* y) { y[0] = 1; }\n"),
                 "`scale` takes 1 parameter here, and the one that ran took 4"));
  CHECK(contains(launch_of_scale().refusal("#pragma tuner kernel(scale)\n" + kScale), "lines already"));
}

TEST_CASE("a kernel that wrote nothing cannot be described") {
  ToldLaunch told("_Z5scalePfPKffi");
  told.parameter(told.input(reals(250)));
  told.parameter(told.input(reals(250)));
  told.parameter(2.0f);
  told.parameter(250);
  CHECK(contains(told.refusal(kScale), "it wrote nothing that could be compared"));
}

TEST_CASE("a kernel that shares its name with another one was described although no compiler knows which is meant") {
  const auto with = [](const std::string& front, const std::string& other, const std::string& behind = {}) {
    return front + "\n__global__ void scale" + other + "\n" + behind + kScale;
  };
  ToldLaunch told = launch_of_scale();
  const std::string other = "(int* y, const int* x, int by, int n) { y[0] = by * x[n]; }";
  CHECK(contains(told.refusal(with("", other)), "it has several kernels `scale`, which a description does not tell"));
  CHECK(contains(told.refusal(with("#ifdef A\n#endif", other, "#if B\n#else\n#endif\n")), "it has several kernels"));
  CHECK(contains(told.refusal(with("template <typename T>", "(T* y) { *y = 0; }")), "it has several kernels"));
  CHECK(told.refusal(with("#ifdef WHOLE", other, "#else\n") + "\n#endif\n").empty());
  CHECK(told.refusal(with("#ifdef WHOLE", other, "#endif\n")).empty());
  CHECK(told.refusal(with("namespace other {", other, "}\n")).empty());
}
