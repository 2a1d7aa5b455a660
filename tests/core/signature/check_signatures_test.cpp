// What the text of a source tells of a description's mistakes. The compiler's part is in
// tests/engine/candidates/signature_probe_test.cpp.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/core/signature/signature_cases.hpp"
#include "tests/core/support.hpp"
#include "tests/core/t1/t1_folder.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/check_signatures.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/core/signature/written_signature.hpp"

using namespace tuner;
using namespace tuner::test;

namespace {

const std::vector<WrongSignature>& mistakes() {
  static const std::vector<WrongSignature> cases{
      {"double for float", "in(x, double, n)\nout(y, float, n)", "__global__ void scale(const float* x, float* y) {}",
       2,
       "`x` is described with elements of the type double, but parameter 1 of the kernel `scale` is `const float* x` "
       "(user.cu:4): give it the parameter's type"},
      {"float for double", "in(x, float, n)\nout(y, float, n)", "__global__ void scale(const float* x, double* y) {}",
       3, "parameter 2 of the kernel `scale` is `double* y`"},
      {"int for long", "in(x, int32, n)\nout(y, float, n)", "__global__ void scale(const long* x, float* y) {}", 2,
       "`const long* x`"},
      {"long for int", "in(x, int64, n)\nout(y, float, n)", "__global__ void scale(const int* x, float* y) {}", 2,
       "`const int* x`"},
      {"int for float", "in(x, int32, n)\nout(y, float, n)", "__global__ void scale(const float* x, float* y) {}", 2,
       "type int32"},
      {"float for int", "in(x, float, n)\nout(y, float, n)", "__global__ void scale(const int* x, float* y) {}", 2,
       "`const int* x`"},
      {"float2 for float", "in(x, float2, n)\nout(y, float, n)", "__global__ void scale(const float* x, float* y) {}",
       2, "type float2"},
      {"bfloat16 for half", "in(x, bfloat16, n)\nout(y, float, n)",
       "#include <cuda_fp16.h>\n__global__ void scale(const __half* x, float* y) {}", 2, "`const __half* x`"},
      {"half for bfloat16", "in(x, half, n)\nout(y, float, n)",
       "#include <cuda_bf16.h>\n__global__ void scale(const __nv_bfloat16* x, float* y) {}", 2,
       "`const __nv_bfloat16* x`"},
      {"int8 for int16", "in(x, int8, n)\nout(y, float, n)",
       "#include <cstdint>\n__global__ void scale(const std::int16_t* x, float* y) {}", 2, "`const std::int16_t* x`"},
      {"one argument too few", "in(x, float, n)\nout(y, float, n)",
       "__global__ void scale(const float* x, float* y, int n) {}", 1,
       "the kernel `scale` takes 3 parameters (user.cu:4), but 2 arguments are described: nothing is described for "
       "`int n`"},
      {"one argument too many", "in(x, float, n)\nout(y, float, n)\nscalar(n, int32)",
       "__global__ void scale(const float* x, float* y) {}", 4,
       "the kernel `scale` takes 2 parameters (user.cu:5), but 3 arguments are described: `n` is one too many"},
      {"arguments for a kernel that has none", "out(y, float, n)", "__global__ void scale(void) {}", 2,
       "takes 0 parameters"},
      {"a structure by value for a pointer", "out(y, float, n)\nvalue(p, two, 1, 2)",
       "struct two { int a, b; };\n__global__ void scale(float* y, const two* p) {}", 3,
       "`p` is described as a value, but parameter 2 of the kernel `scale` is `const two* p` (user.cu:5): describe it "
       "with in, out, inout or scratch"},
      {"a vector of another type by value", "out(y, float, n)\nvalue(p, int3, 1, 2, 3)",
       "__global__ void scale(float* y, float3 p) {}", 3,
       "`p` is described as a value of the type int3, but parameter 2 of the kernel `scale` is `float3 p`"},
      {"a scalar for a vector", "out(y, float, n)\nscalar(p, float, value 1)",
       "__global__ void scale(float* y, float3 p) {}", 3, "describe it with value(p, TYPE, E, ...)"},
      {"a buffer for a vector", "out(y, float, n)\nin(p, float, n)", "__global__ void scale(float* y, float3 p) {}", 3,
       "describe it with value(p, TYPE, E, ...), an expression for each member"},
      {"a scalar and a buffer swapped", "in(x, float, n)\nscalar(n, int32)\nout(y, float, n)",
       "__global__ void scale(const float* x, float* y, int n) {}", 3,
       "`n` is described as a scalar, but parameter 2 of the kernel `scale` is `float* y`"},
      {"buffers of different types swapped", "in(index, int32, n)\nin(x, float, n)\nout(y, float, n)",
       "__global__ void scale(const float* x, const int* index, float* y) {}", 2, "parameter 1"},
      {"input and output swapped", "out(y, float, n)\nin(x, float, n)",
       "__global__ void scale(const float* x, float* y) {}", 2,
       "`y` is described as an output, but parameter 1 of the kernel `scale` is `const float* x`"},
      {"scalars of different types swapped", "out(y, float, n)\nscalar(n, int32)\nscalar(f, float, value 2)",
       "__global__ void scale(float* y, float f, int n) {}", 3, "`n` is described as a scalar of the type int32"},
      {"a scalar for a pointer", "out(y, float, n)\nscalar(n, int32)",
       "__global__ void scale(float* y, const int* n) {}", 3, "describe it with in, out, inout or scratch"},
      {"a buffer for a scalar", "out(y, float, n)\nin(n_, int32, 1)", "__global__ void scale(float* y, int n) {}", 3,
       "describe it with scalar(n_, TYPE)"},
      {"a scalar of another size", "out(y, float, n)\nscalar(n, int32)", "__global__ void scale(float* y, size_t n) {}",
       3, "`size_t n`"},
      {"a scalar of another kind", "out(y, float, n)\nscalar(n, int32)", "__global__ void scale(float* y, float n) {}",
       3, "`float n`"},
      {"a constant output", "inout(y, float, n)", "__global__ void scale(float const* __restrict__ y) {}", 2,
       "`y` is described as an input and output"},
      {"constant scratch memory", "out(y, float, n)\nscratch(room, float, n)",
       "__global__ void scale(float* y, const float room[]) {}", 3, "`room` is described as scratch memory"},
      {"numbers for pointers", "in(x, uint64, n)\nout(y, float, n)",
       "__global__ void scale(const float* const* x, float* y) {}", 2,
       "`x` is described with numbers, but parameter 1 of the kernel `scale` is `const float* const* x` (user.cu:4): "
       "they would be used as addresses, so give the kernel one buffer and offsets into it"},
      {"numbers for pointers that are written through", "inout(y, uint64, n)", "__global__ void scale(float* y[]) {}",
       2, "they would be used as addresses"},
      {"numbers for structures of pointers", "in(row, uint64, 2 * n)\nout(y, float, n)",
       "struct Row { const float* data; long long count; };\n__global__ void scale(const Row* row, float* y) {}", 2,
       "is `const Row* row`, a structure with the member `const float* data`: they would be used as addresses"},
      {"numbers for a list whose nodes point to each other", "in(nodes, int32, 4 * n)\nout(y, int32, n)",
       "struct Node { int value; Node* next; };\n__global__ void scale(const Node* nodes, int* y) {}", 2,
       "a structure with the member `Node* next`"},
      {"a number for a texture", "scalar(x, uint64, value 0)\nout(y, float, n)",
       "__global__ void scale(cudaTextureObject_t x, float* y) {}", 2,
       "`x` is described with a number, but parameter 1 of the kernel `scale` is `cudaTextureObject_t x` (user.cu:4): "
       "a "
       "description makes no textures or surfaces"},
      {"a number for a surface", "in(x, float, n)\nscalar(y, uint64, value 1)\nout(z, float, n)",
       "__global__ void scale(const float* x, const cudaSurfaceObject_t y, float* z) {}", 3, "no textures or surfaces"},
      {"a number for a tensor map", "scalar(x, uint64, value 0)\nout(y, float, n)",
       "#include <cuda.h>\n__global__ void scale(const __grid_constant__ CUtensorMap x, float* y) {}", 2,
       "a description makes no tensor maps"},
      {"a misspelt kernel", "out(y, float, n)", "__global__ void scale(float* y) {}", 1,
       "neither the source nor a header that it includes in quotes has a kernel `scael`; did you mean `scale`?",
       "scael"},
      {"a kernel in a comment only", "out(y, float, n)",
       "// __global__ void scale(float* y) {}\n__global__ void other(float* y) {}", 1,
       "a kernel `scale`; there is other"},
      {"a kernel under #if 0 only", "out(y, float, n)",
       "#if 0\n__global__ void scale(float* y) {}\n#endif\n__global__ void other(float* y) {}", 1, "there is other"},
      {"a function that is not a kernel", "out(y, float, n)",
       "__device__ void scale(float* y) {}\n__global__ void scale_all(float* y) { scale(y); }", 1,
       "`scale` is not a kernel: it is not declared __global__; there is scale_all"},
      {"a misspelt reference", "reference(plian)\nout(y, float, n)",
       "__global__ void plain(float* y) {}\n__global__ void scale(float* y) {}", 2,
       "has a kernel `plian`; did you mean `plain`?"},
      {"a reference of another type", "reference(plain)\nin(x, float, n)\nout(y, float, n)",
       "__global__ void plain(const double* x, float* y) {}\n__global__ void scale(const float* x, float* y) {}", 3,
       "parameter 1 of the reference kernel `plain` is `const double* x` (user.cu:5)"},
      {"a reference with another number of parameters", "reference(plain)\nout(y, float, n)",
       "__global__ void plain(float* y, int n) {}\n__global__ void scale(float* y) {}", 2,
       "the reference kernel `plain` takes 2 parameters"},
      {"a misspelt constant array", "out(y, float, n)\nconstant(wieghts, float, 9)",
       "__constant__ float weights[9];\n__global__ void scale(float* y) {}", 3,
       "has an array `wieghts`; declare it with __constant__ outside functions; did you mean `weights`?"},
      {"real numbers for a structure in constant memory that has a count", "out(y, float, n)\nconstant(w, float, 3)",
       "struct all { float a[2]; int count; };\n__constant__ all w;\n__global__ void scale(float* y) {}", 3,
       "has the member `int count`: give it its bytes from a file, constant(w, uint8, BYTES, file(\"FILE.npy\"))"},
      {"a constant array of another type", "out(y, float, n)\nconstant(weights, double, 9)",
       "__constant__ float weights[9];\n__global__ void scale(float* y) {}", 3,
       "`weights` is described with elements of the type double, but the array is `__constant__ float weights` "
       "(user.cu:4): give it the array's type"},
      {"a wrong type in a namespace", "in(x, double, n)\nout(y, float, n)",
       "namespace v2 {\ntemplate <int N> __global__ void scale(const float* x, float* y) {}\n}", 2,
       "parameter 1 of the kernel `v2::scale` is `const float* x` (user.cu:5)", "v2::scale<4>"},
  };
  return cases;
}

/// What is said of a description and its source.
std::string said(const std::string& text, const std::vector<Header>& headers = {}) {
  return error_of([&] {
    for (const KernelDescription& description : parse_descriptions(text, "user.cu"))
      check_written_signatures(description, headers);
  });
}

}  // namespace

TEST_CASE("a description that cannot be the source's is refused with its line") {
  check_refused(mistakes(), [](const std::string& text) { return said(text); });
}

TEST_CASE("a description that may be the source's is not refused") {
  check_not_refused([](const std::string& text) { return said(text); });
}

TEST_CASE("every mistake of a signature is said at once") {
  const std::string message = said(
      "#pragma tuner kernel(scale) reference(plain) problem(n: size) grid(n) block(64)\n"
      "#pragma tuner in(x, double, n) out(y, int64, n)\n"
      "__global__ void scale(const float* x, float* y) {}\n");
  CAPTURE(message);
  CHECK(contains(message, "user.cu:2:18: `x` is described"));
  CHECK(contains(message, "user.cu:2:36: `y` is described"));
  CHECK(contains(message, "user.cu:1:39: neither"));
}

TEST_CASE("a structure in constant memory was read up to the first brace that closes in it") {
  const auto with = [](const std::string& members) {
    return said(
        "#pragma tuner kernel(scale) problem(n: size) grid(n) block(64)\n"
        "#pragma tuner out(y, float, n) constant(w, float, 3)\n"
        "struct all { " +
        members + " };\n__constant__ all w;\nstruct other { int count; };\n__global__ void scale(float* y) {}\n");
  };
  const std::string nested = "float at(int i) const { for (int k = 0; k < i; ++k) { if (k) { return 1; } } return 0; }";
  CHECK(with(nested + " float a[3];") == "no error");
  CHECK(contains(with(nested + " float a[2]; int count;"), "has the member `int count`"));
  CHECK(with("struct { struct { float low; } a; struct { float high; } b; } ends;") == "no error");
  CHECK(contains(with("struct { struct { float low; } a; struct { float high; int count; } b; } ends;"),
                 "has the member `int count`"));
}

TEST_CASE("kernels and types in quoted headers are found there") {
  const std::vector<Header> headers{
      {"kernels.cuh", "#pragma once\n__global__ void scale(const float* x, float* y);\n"}};
  const auto text = [](const char* type) {
    return "#pragma tuner kernel(scale) problem(n: size) grid(n) block(64)\n#pragma tuner in(x, " + std::string(type) +
           ", n) out(y, float, n)\n#include \"kernels.cuh\"\n";
  };
  CHECK(said(text("float"), headers) == "no error");
  CHECK(contains(said(text("double"), headers), "`const float* x` (kernels.cuh:2)"));
}

TEST_CASE("a kernel that may be in a header nobody has read is left to the compiler") {
  const char* directives =
      "#pragma tuner kernel(scale) problem(n: size) grid(n) block(64)\n#pragma tuner out(y, float, n)\n";
  for (const char* include : {"#include \"missing.cuh\"\n", "#include <my/kernels.cuh>\n", "#include HEADER\n"}) {
    CHECK(said(std::string(directives) + include) == "no error");
  }
  for (const char* include : {"#include <cuda_fp16.h>\n", "#include <cstdint>\n", "#include <cub/cub.cuh>\n"}) {
    CHECK(said(std::string(directives) + include).starts_with("user.cu:1:22: neither the source"));
  }
}

TEST_CASE("what options of the compiler may say of a name is left to the compiler") {
  const auto with = [](const std::string& directives, const std::string& source) {
    return said("#pragma tuner kernel(scale) problem(n: size) grid(n) block(64)\n#pragma tuner " + directives + "\n" +
                source + "\n");
  };
  CHECK(with("options(\"-DNAME=scale\") out(y, float, n)", "__global__ void NAME(float* y) {}") == "no error");
  CHECK(with("options(\"-Dfloat=double\") out(y, double, n)", "__global__ void scale(float* y) {}") == "no error");
  CHECK(with("option(MORE, \"-DREST=\", \"-DREST=,int\") out(y, float, n) scalar(n, int32)",
             "__global__ void scale(float* y REST) {}") == "no error");
  CHECK(with("options(\"-Ifolder\") out(y, float, n)", "#include <cuda/scale.cuh>") == "no error");
  CHECK(with("options(\"--include-path\", \"folder\") out(y, float, n)", "#include <scale.cuh>") == "no error");
  CHECK(with("in(x, float, n) out(y, float, n)",
             "#include <my/types.h>\n__global__ void scale(const half* x, float* y) {}") == "no error");
  CHECK(with("out(y, float, n)",
             "#define BOTH void scale(float* y) {}\n#ifdef OTHER\n__global__ void scale(float* y, "
             "int n) {}\n#else\n__global__ BOTH\n#endif") == "no error");
}

TEST_CASE("what the text says in full needs no compiler") {
  const auto settled = [](const char* kernel) {
    const std::string text =
        "#pragma tuner kernel(scale) problem(n: size) grid(n) block(64)\n#pragma tuner in(x, float, n) out(y, float, "
        "n)\n" +
        std::string(kernel);
    return check_written_signatures(parse_descriptions(text, "user.cu").front(), {});
  };
  CHECK(settled("__global__ void scale(const float* x, float* y) {}"));
  CHECK_FALSE(settled("typedef float real;\n__global__ void scale(const real* x, float* y) {}"));
  CHECK_FALSE(settled("#define float double\n__global__ void scale(const float* x, float* y) {}"));
  CHECK_FALSE(
      settled("__global__ void scale(const float* x, float* y) {}\n__global__ void scale(float* x, float* y);"));
}

TEST_CASE("the kernels of this project are described as their texts say") {
  const std::filesystem::path root = TUNER_SOURCE_DIR;
  std::size_t kernels = 0;
  for (const char* folder : {"kernel_sources", "examples/kernels", "bench/runtime", "tests/host/kernels",
                             "tests/gpu/kernels", "tests/data", "tests/data/t1", "tests/end_to_end"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      const bool is_t1 = std::string(folder).ends_with("t1");
      if (entry.path().extension() != (is_t1 ? ".json" : ".cu")) continue;
      for (const KernelDescription& description : load_descriptions(entry.path())) {
        CAPTURE(entry.path().string());
        CHECK(error_of([&] { check_written_signatures(description, quoted_headers(description, {})); }) == "no error");
        ++kernels;
      }
    }
  }
  CHECK(kernels > 40);
}

TEST_CASE("a T1 file that could be launched is not refused for its types") {
  const auto said_of = [](const char* type, const char* access, const char* source) {
    T1Folder folder;
    folder.write("k.cu", source);
    folder.at("/KernelSpecification/Arguments/0/Type") = type;
    folder.at("/KernelSpecification/Arguments/0/AccessType") = access;
    const KernelDescription description = folder.read().kernel;
    return error_of([&] { check_written_signatures(description, {}); });
  };
  const char* right = "__global__ void scale(const float* x, float* y, int n) {}";
  CHECK(said_of("float", "ReadOnly", right) == "no error");
  for (const char* taken : {"float4*", "const void*"}) {
    const std::string source = std::string("__global__ void scale(") + taken + " x, float* y, int n) {}";
    CHECK(said_of("float", "ReadWrite", source.c_str()) == "no error");
  }
  for (const char* type : {"int8", "uint8", "int32"}) {
    CHECK(said_of(type, "ReadOnly", "__global__ void scale(const int* x, float* y, int n) {}") == "no error");
  }
  CHECK(said_of("int8", "ReadOnly", "__global__ void scale(unsigned char* x, float* y, int n) {}") == "no error");
  CHECK(said_of("uint16", "ReadOnly", "__global__ void scale(half* x, float* y, int n) {}") == "no error");
  CHECK(said_of("float4", "ReadOnly", right) == "no error");
  CHECK(said_of("float", "ReadOnly", "#define real double\n__global__ void scale(real* x, float* y, int n) {}") ==
        "no error");
  CHECK(said_of("float", "ReadOnly", "__global__ void scale(const float* x, float* y, float n) {}") == "no error");
  // What no launch takes.
  const std::string number = said_of("float", "ReadOnly", "__global__ void scale(const float* x, float* y) {}");
  CHECK_MESSAGE(
      contains(number, "kernel.json: KernelSpecification.Arguments[2]: the kernel `scale` takes 2 parameters"), number);
  const std::string size = said_of("float", "ReadOnly", "__global__ void scale(const float* x, float* y, long n) {}");
  CHECK_MESSAGE(
      contains(size, "kernel.json: KernelSpecification.Arguments[2]: `n` is described as a scalar of the type int32"),
      size);
  const std::string pointer = said_of("float", "ReadOnly", "__global__ void scale(float x, float* y, int n) {}");
  CHECK_MESSAGE(contains(pointer, "kernel.json: KernelSpecification.Arguments[0]: `x` is described as a buffer"),
                pointer);
  const std::string name = said_of("float", "ReadOnly", "__global__ void scales(float x, float* y, int n) {}");
  CHECK_MESSAGE(contains(name, "kernel.json: KernelSpecification.KernelName: neither the source"), name);
}

TEST_CASE("elements of a T1 file that the kernel reads as others are named with the type to write") {
  const auto said_of = [](const char* type, const std::string& parameter) {
    T1Folder folder;
    folder.write("k.cu", "__global__ void scale(" + parameter + ", float* y, int n) {}");
    folder.at("/KernelSpecification/Arguments/0/Type") = type;
    const KernelDescription description = folder.read().kernel;
    const std::string said = error_of([&] { check_written_signatures(description, {}); });
    return said.substr(std::min(said.size(), folder.json().string().size() + 2));
  };
  const std::string twice = said_of("double", "const float* x");
  CHECK(
      twice.starts_with("KernelSpecification.Arguments[0].Type: `x` is described with elements of the type double, "
                        "but parameter 1 of the kernel `scale` is `const float* x` ("));
  CHECK(twice.ends_with("k.cu:1): set it to float, or put the Arguments in the order of the parameters."));
  CHECK(contains(said_of("float", "const double2* x"), ": set it to double2, or to double if Size counts single"));
  CHECK(contains(said_of("float2", "const double2* x"), ": set it to double2, or put"));
  CHECK(contains(said_of("int32", "const float* x"), ": set it to float, or put"));
  CHECK(contains(said_of("float", "const int* x"), ": set it to int32, or put"));
  CHECK(contains(said_of("int64", "const int* x"), ": set it to int32, or put"));
}

TEST_CASE("an array in constant memory must be declared, and one without a content is offered for what is too much") {
  T1Folder folder;
  nlohmann::ordered_json& arguments = folder.at("/KernelSpecification/Arguments");
  const auto said_of = [&](const std::string& source, const std::vector<tuner::Header>& headers) {
    folder.write("k.cu", source);
    const KernelDescription description = folder.read().kernel;
    return error_of([&] { check_written_signatures(description, headers); });
  };
  const std::string kernel = "__global__ void scale(const float* x, float* y, int n) {}\n";
  const std::string other = "__global__ void other(float* w);\n#include \"h.h\"\n";
  arguments.push_back({{"Name", "w"}, {"Type", "float"}, {"MemoryType", "Constant"}, {"Size", 8}, {"FillValue", 1}});
  CHECK(contains(said_of(other + kernel, {{"h.h", "int a;"}}),
                 "Arguments[3]: neither the source nor a header that it includes in quotes has an array `w`"));
  for (const char* header :
       {"__constant__ float w[8];", "__constant__ int a, w[8];", "#define C __constant__\nC float w[8];",
        "#define ARRAY(name) __constant__ float name[8]"}) {
    CAPTURE(header);
    CHECK(said_of(other + kernel, {{"h.h", header}}) == "no error");
  }
  CHECK(said_of(other + kernel, {}) == "no error");  // the header may have it
  CHECK(contains(said_of("__constant__ double w[8];\n" + kernel, {}),
                 "Arguments[3].Type: `w` is described with elements of the type float, but the array is "
                 "`__constant__ double w` (" +
                     (folder.path() / "k.cu").string() + ":1): set it to double."));

  arguments[3]["MemoryType"] = "Vector";
  CHECK(contains(said_of("__constant__ int full[] = {1};\n__constant__ float d_w[8];\n" + kernel, {}),
                 "Arguments[3]: the kernel `scale` takes 3 parameters (" + (folder.path() / "k.cu").string() +
                     ":3), but 4 arguments are described: `w` is "
                     "one too many; if it fills a `__constant__` array, set its Name to `d_w` and its MemoryType to "
                     "Constant, otherwise remove it."));
  CHECK(contains(said_of(kernel, {}), "`w` is one too many; remove it: Arguments must match"));
}

TEST_CASE("a macro that is called like a template parameter is refused before anything is compiled") {
  const auto said_of = [](const std::string& directives, const std::string& source) {
    const std::string text = "#pragma tuner kernel(scale<float>) grid(1) block(1) out(y, float, 1)\n#pragma tuner " +
                             directives + "\n" + source + "__global__ void scale(T* y) {}\n";
    const auto described = tuner::parse_descriptions(text, "k.cu");
    return error_of([&] { check_written_signatures(described.front(), {}); });
  };
  const std::string conflict = said_of("problem(T: constant = float)", "template <int N = (1 < 2), typename T>\n");
  CHECK_MESSAGE(contains(conflict,
                         "the constant `T` is a macro for the compiler, which would put its value in place of "
                         "the template parameter `T` in line 3: rename one of the two"),
                conflict);
  CHECK(conflict.starts_with("k.cu:2:"));
  CHECK(contains(said_of("param(N, 1, 2)", "template <typename T, int N>\n"),
                 "the parameter `N` is a macro for the compiler, which would put its value in place of the template "
                 "parameter `N` in line 3: rename one of the two, or add `; argument`"));
  for (const char* fine : {"template <typename T>\n", "#undef N\ntemplate <typename T, int N>\n",
                           "// template <int N>\ntemplate <typename T>\n", "template <typename T = N>\n"}) {
    CAPTURE(fine);
    CHECK(said_of("param(N, 1, 2)", fine) == "no error");
  }
  CHECK(said_of("param(N, 1, 2; argument)", "template <typename T, int N>\n") == "no error");
}

TEST_CASE("any text is read as code without failing") {
  for (const char* text : {"",
                           "#",
                           "#define",
                           "/*",
                           "//",
                           "\"",
                           "'",
                           "R\"(",
                           "R\"x(y)",
                           "#if 0\n",
                           "#endif\n#else\n",
                           "\\",
                           "#include",
                           "#include <",
                           "#define A \\",
                           "__global__",
                           "__global__ void scale(",
                           "scale(",
                           "__global__ void scale(float* x = {(<",
                           "__global__ void scale(,)",
                           "__global__ void scale(=)",
                           "typedef",
                           "using",
                           "__constant__",
                           "__constant__ x",
                           "__global__ void scale(float(",
                           "1'"}) {
    CAPTURE(text);
    KernelDescription description;
    description.source = description.blanked_source = text;
    description.kernel = "scale";
    description.arguments.push_back({.name = "x", .type = "float"});
    const WrittenSource source(description, {});
    CHECK(source.kernels("scale").size() <= 1);
    CHECK_FALSE(source.constant_array("x").shape);
    CHECK(source.array_names().size() + source.kernel_names().size() <= 1);
  }
}

TEST_CASE("a barrier over the whole grid is found where the text has one") {
  const auto line = [](const std::string& body) {
    KernelDescription description;
    description.file = "k.cu";
    description.source = description.blanked_source =
        "namespace cg = cooperative_groups;\n__global__ void k(float* a) {\n" + body + "\n}\n";
    const auto place = WrittenSource(description, {}).grid_barrier();
    return place ? place->line : 0;
  };
  CHECK(line("cg::grid_group grid = cg::this_grid();\na[0] = 1;\ngrid.sync();") == 5);
  CHECK(line("auto g = cooperative_groups::this_grid();\ng . sync ();") == 4);
  CHECK(line("cg::this_grid().sync();") == 3);
  CHECK(line("cg::sync(cg::this_grid());") == 3);
  CHECK(line("const auto all = cg::this_grid();\ncg::sync(all);") == 4);
  CHECK(line("cg::grid_group grid = cg::this_grid();\ncg::this_thread_block().sync();\na[grid.thread_rank()] = 1;") ==
        0);
  CHECK(line("auto block = cg::this_thread_block();\nblock.sync(); // grid.sync() of this_grid") == 0);
  CHECK(line("cg::sync") == 0);
}

TEST_CASE("a loop that only waits for other threads is found, and no loop that does something") {
  const auto line = [](const std::string& body) {
    KernelDescription description;
    description.file = "k.cu";
    description.source = description.blanked_source =
        "__device__ unsigned arrived;\n__global__ void k(volatile int* flag, int* p, float* x) {\n" + body + "\n}\n";
    const auto place = WrittenSource(description, {}).waiting_loop();
    return place ? place->line : 0;
  };
  CHECK(line("if (first)\nwhile (atomicAdd(&arrived, 0) < round * gridDim.x) {}") == 4);
  CHECK(line("while (*flag == 0);") == 3);
  CHECK(line("while (flag[blockIdx.x - 1] == 0) { __nanosleep(100); }") == 3);
  CHECK(line("while (*(volatile int*)p < n) ;") == 3);
  CHECK(line("while (__ldcg(p) < n) {\n__threadfence(); __nanosleep(8);\n}") == 3);
  CHECK(line("while (ref.load(cuda::memory_order_acquire) < n) {}") == 3);
  CHECK(line("int seen;\ndo { seen = atomicAdd(p, 0); } while (seen < n);") == 4);
  CHECK(line("int seen = 0;\nwhile (seen < n) seen = *flag;") == 4);

  CHECK(line("for (; atomicAdd(&arrived, 0u) < gridDim.x; ) ;") == 3);
  CHECK(line("while (ld_acquire(&arrived) < gridDim.x) {}") == 3);

  CHECK(line("do { if (x[i]) { *flag = 1; } __syncthreads(); } while (*flag);") == 0);
  CHECK(line("do { for (;;) { break; } } while ((i = atomicAdd(p, 1)) < n);") == 0);
  CHECK(line("while ((i = atomicAdd(p, 1)) < n) x[i] = __ldcg(&y[i]);") == 0);
  CHECK(line("while (flag[v] != v) v = flag[v];") == 0);
  CHECK(line("while (__ldcg(&next[s]) >= 0) s = __ldcg(&next[s]);") == 0);
  CHECK(line("while (v > old) old = atomicMax(p, v);") == 0);
  CHECK(line("for (int i = 0; i < *flag; ++i) {}") == 0);
  CHECK(line("while (atomicCAS(p, 0, 1) != 0) {}") == 0);
  CHECK(line("do { old = atomicCAS(p, seen, seen + 1); } while (old != seen);") == 0);
  CHECK(line("while (!try_wait(bar, phase)) {}") == 0);
  CHECK(line("while (atomicAdd(p, 1) < n) { x[0] += 1; }") == 0);
  CHECK(line("int i = 0;\nwhile (i < n) { i = next[i]; }") == 0);
  CHECK(line("do { x[i] = 0; i += atomicAdd(p, 1); } while (i < n);") == 0);
  CHECK(line("// while (*flag == 0);\nwhile (n--) ;") == 0);
  CHECK(line("while (*flag") == 0);
  CHECK(line("while") == 0);
}

TEST_CASE("a compiler's mangled name says what the parameters are") {
  const auto signature = signature_from_symbol(
      "_Z22tuner_signature_kernelI20tuner_signature_listIJ20tuner_signature_itemIPKfLi4ELi0EES1_IPVdLi8ELi0EES1_"
      "IiLi4ELi0EEEEEvv");
  REQUIRE(signature);
  REQUIRE(signature->parameters.size() == 3);
  CHECK(signature->parameters[0].text == "const float*");
  CHECK(signature->parameters[0].points_to_const);
  CHECK(signature->parameters[1].shape->element == ElementType::float64);
  CHECK_FALSE(signature->parameters[1].points_to_const);
  CHECK(signature->parameters[2].form == ParameterType::Form::value);
  const auto rows = signature_from_symbol(
      "_Z22tuner_signature_kernelI20tuner_signature_listIJ20tuner_signature_itemIPA4_KfLi16ELi0EEEEEvv");
  REQUIRE(rows);
  CHECK(rows->parameters.front().form == ParameterType::Form::pointer);
  CHECK(rows->parameters.front().text == "const float*");
  for (const char* other : {"", "kernel", "_Z5scalePf", "_Z22tuner_signature_kernelIiEvv"}) {
    CHECK_FALSE(signature_from_symbol(other));
  }
}
