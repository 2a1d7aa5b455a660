// What the compiler tells of a description's mistakes where the text of the source does not.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/core/signature/signature_cases.hpp"
#include "tests/core/support.hpp"
#include "tests/engine/session/laboratory.hpp"
#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/compiled_signature.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/candidates/signature_probe.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

namespace tuner::engine {
namespace {

using test::error_of;
using test::WrongSignature;

const NvrtcCompiler& nvrtc() {
  static const NvrtcCompiler compiler({});
  return compiler;
}

/// Everything that NVRTC does not answer is said, too: the cases are meant to compile.
void check(const Task& task) {
  const auto baseline = task.baseline();
  REQUIRE(baseline);
  for (const SignatureProbe& probe : signature_probes(task, *baseline)) {
    const CompileReply reply = nvrtc().compile(probe.request);
    if (reply.outcome != Outcome::ok) throw Error(Errc::internal, reply.message);
    if (!signature_from_symbol(reply.cubin.kernel)) throw Error(Errc::internal, reply.cubin.kernel);
    check_signature(task, probe, reply);
  }
}

std::string said(const std::string& text, const ProblemValues& problem = {}) {
  const Task task(parse_descriptions(text, "user.cu").front(), problem, known_device("H200"));
  return error_of([&] { check(task); });
}

const std::vector<WrongSignature>& mistakes() {
  static const std::vector<WrongSignature> cases{
      {"double for a typedef of float", "in(x, double, n)\nout(y, float, n)",
       "typedef float real;\n__global__ void scale(const real* x, real* y) {}", 2,
       "`x` is described with elements of the type double, but parameter 1 of the kernel `scale` is `const real* x`, "
       "that is, `const float*` (user.cu:5): give it the parameter's type"},
      {"int for an alias of long long", "in(x, int32, n)\nout(y, float, n)",
       "using index = long long;\n__global__ void scale(const index* x, float* y) {}", 2, "`const long long*`"},
      {"half for a typedef of bfloat16", "in(x, half, n)\nout(y, float, n)",
       "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\nusing small = __nv_bfloat16;\n"
       "__global__ void scale(const small* x, float* y) {}",
       2, "`const __nv_bfloat16*`"},
      {"float2 for a typedef of float", "in(x, float2, n)\nout(y, float, n)",
       "using real = float;\n__global__ void scale(const real* x, float* y) {}", 2, "type float2"},
      {"a template argument of another type", "in(x, float, n)\nout(y, float, n)",
       "template <typename T> __global__ void scale(const T* x, float* y) {}", 2, "`const double*`", "scale<double>"},
      {"a constant of the problem that the kernel does not follow",
       "problem(TYPE: constant = double)\nin(x, TYPE, n)\nout(y, TYPE, n)",
       "__global__ void scale(const float* x, TYPE* y) {}", 3,
       "`x` is described with elements of the type TYPE (float64), but parameter 1 of the kernel `scale` is `const "
       "float*"},
      {"one argument too few behind a macro", "in(x, float, n)\nout(y, float, n)",
       "#define REST , float* y, int n\n__global__ void scale(const float* x REST) {}", 1,
       "the kernel `scale` takes 3 parameters (user.cu:5), but 2 arguments are described: nothing is described for "
       "`int`"},
      {"one argument too many for a parameter pack", "in(a, float, n)\nin(b, float, n)\nout(y, float, n)",
       "template <typename... T> __global__ void scale(T*... all) {}", 4, "`y` is one too many", "scale<float, float>"},
      {"a kernel that a macro makes of another type", "in(x, float, n)\nout(y, float, n)",
       "#define MAKE(name, T) __global__ void name(const T* x, T* y) {}\nMAKE(scale, int)", 2,
       "parameter 1 of the kernel `scale` is `const int*`:"},
      {"a typedef of a pointer for a scalar", "out(y, float, n)\nscalar(n, int64)",
       "using numbers = const long*;\n__global__ void scale(float* y, numbers n) {}", 3,
       "`numbers n`, that is, `const long*`"},
      {"a buffer for a typedef of a number", "out(y, float, n)\nin(count, int32, 1)",
       "using number = int;\n__global__ void scale(float* y, number n) {}", 3, "describe it with scalar(count, TYPE)"},
      {"a constant output by a typedef", "out(y, float, n)",
       "using input = const float*;\n__global__ void scale(input y) {}", 2, "`y` is described as an output"},
      {"a scalar of another size by a macro", "out(y, float, n)\nscalar(n, int32)",
       "#define SIZE unsigned long\n__global__ void scale(float* y, SIZE n) {}", 3, "`unsigned long`"},
      {"a structure that no whole number of elements fits into", "in(x, double, n)\nout(y, float, n)",
       "struct point { float x, y, z; };\n__global__ void scale(const point* x, float* y) {}", 2, "type double"},
      {"a structure by value for a scalar of another size", "out(y, float, n)\nscalar(p, int32, value 1)",
       "struct two { int a, b; };\n__global__ void scale(float* y, two p) {}", 3, "`two p`"},
      {"a structure by value for a scalar of its size", "out(y, float, n)\nscalar(p, int64, value 1)",
       "struct two { int a, b; };\n__global__ void scale(float* y, two p) {}", 3,
       "describe it with value(p, TYPE, E, ...), an expression for each member"},
      {"a union by value for a scalar of its size", "out(y, float, n)\nscalar(p, uint64, value 1)",
       "union either { double a; long b; };\n__global__ void scale(float* y, either p) {}", 3,
       "describe it with value(p, TYPE, E, ...)"},
      {"numbers for pointers by a typedef", "in(x, uint64, n)\nout(y, float, n)",
       "typedef const float* row;\n__global__ void scale(const row* x, float* y) {}", 2,
       "they would be used as addresses"},
      {"a reference of another type by a typedef", "reference(plain)\nin(x, float, n)\nout(y, float, n)",
       "typedef double real;\n__global__ void plain(const real* x, float* y) {}\n"
       "__global__ void scale(const float* x, float* y) {}",
       3, "parameter 1 of the reference kernel `plain` is `const real* x`, that is, `const double*`"},
  };
  return cases;
}

TEST_CASE("a description that is not what the compiler makes of the source is refused with its line") {
  test::check_refused(mistakes(), [](const std::string& text) { return said(text); });
}

TEST_CASE("a description that is what the compiler makes of the source is not refused") {
  test::check_not_refused([](const std::string& text) { return said(text); });
}

TEST_CASE("a type of the problem is that of its value") {
  const std::string text =
      "#pragma tuner kernel(scale) problem(n: size = 1000, TYPE: constant = float) grid(n) block(64)\n"
      "#pragma tuner in(x, TYPE, n) out(y, float, n)\n"
      "__global__ void scale(const TYPE* x, float* y) {}\n";
  CHECK(said(text) == "no error");
  CHECK(said(text, {{"TYPE", "double"}}) == "no error");
  std::string fixed = text;
  fixed.replace(fixed.find("const TYPE"), 10, "const float");
  CHECK(said(fixed) == "no error");
  CHECK(said(fixed, {{"TYPE", "double"}}).find("type TYPE (float64)") != std::string::npos);
}

TEST_CASE("what is asked of a kernel changes nothing in its binary") {
  const Task task(parse_descriptions("#pragma tuner kernel(scale) problem(n: size = 1000) grid(n) block(64)\n"
                                     "#pragma tuner in(x, float, n) out(y, float, n)\n"
                                     "using real = float;\n"
                                     "__global__ void scale(const real* x, real* y) { y[threadIdx.x] = x[0]; }\n",
                                     "user.cu")
                      .front(),
                  {}, known_device("H200"));
  const CompileRequest plain = compile_request(task, *task.baseline());
  CHECK_FALSE(plain.front_end_only);
  const cache::Hash before = nvrtc().compile(plain).facts.binary_hash;
  check(task);
  CHECK(nvrtc().compile(plain).facts.binary_hash == before);
  const SignatureProbe probe = signature_probes(task, *task.baseline()).front();
  CHECK(probe.request.front_end_only);
  CHECK(nvrtc().compile(probe.request).cubin.bytes.size() < nvrtc().compile(plain).cubin.bytes.size());
}

TEST_CASE("the compiler finds the shipped kernels to be what they are described as") {
  const std::filesystem::path root = TUNER_SOURCE_DIR;
  std::size_t kernels = 0;
  for (const char* folder : {"kernel_sources", "examples/kernels", "bench/runtime", "tests/gpu/kernels"}) {
    for (const auto& entry : std::filesystem::directory_iterator(root / folder)) {
      if (entry.path().extension() != ".cu") continue;
      for (const KernelDescription& description : load_descriptions(entry.path())) {
        CAPTURE(entry.path().string());
        ProblemValues problem;
        for (const ProblemProperty& property : description.problem) {
          if (!property.default_value) problem[property.name] = 64;
        }
        const Task task(description, problem, known_device("H200"), {}, {}, search::Listing::when_needed);
        REQUIRE(task.baseline());
        // Whatever the text has settled is asked, too.
        SignatureProbe probe{kernel_call(task.description()), compile_request(task, *task.baseline())};
        probe.request.front_end_only = true;
        probe.request.source += std::string(signature_types()) + std::string(signature_kernel());
        probe.request.name_expression = signature_expression(probe.request.name_expression);
        const CompileReply reply = nvrtc().compile(probe.request);
        REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.log);
        REQUIRE(signature_from_symbol(reply.cubin.kernel));
        CHECK(error_of([&] { check_signature(task, probe, reply); }) == "no error");
        ++kernels;
      }
    }
  }
  CHECK(kernels > 20);
}

TEST_CASE("a session ends before anything runs if the compiler finds another type than is described") {
  const std::string text = kernel_with("const float* x", "const real* x");
  const std::string begin = "_Z22tuner_signature_kernelI20tuner_signature_listIJ20tuner_signature_itemI",
                    end = "Li4ELi0EES1_IPfLi4ELi0EES1_IiLi4ELi0EEEEEvv";
  Laboratory right(make_task({}, text), ordinary);
  right.compile.signature = begin + "PKf" + end;
  CHECK(right.tune().decision.verified);

  Laboratory wrong(make_task({}, text), ordinary);
  wrong.compile.signature = begin + "PKi" + end;
  const std::string message = error_of([&] { wrong.tune(); });
  CHECK(message.starts_with("saxpy.cu:8:18: `x` is described with elements of the type float"));
  CHECK(wrong.device.screened.empty());
  CHECK(wrong.rows().empty());
}

TEST_CASE("a session whose source cannot be asked goes on") {
  Laboratory laboratory(make_task({}, kernel_with("const float* x", "const real* x")), ordinary);
  CHECK(laboratory.tune().decision.verified);
}

TEST_CASE("a session does not begin with a description that the text refutes") {
  const std::string text = kernel_with("in(x, float", "in(x, double");
  Laboratory laboratory(make_task({}, text), ordinary);
  CHECK(error_of([&] { laboratory.tune(); }).starts_with("saxpy.cu:8:18: `x` is described"));
  CHECK(laboratory.compile.submitted.empty());
  Laboratory replay(make_task({}, text), ordinary);
  CHECK_NOTHROW(replay.tune({.origin = cache::Origin::replay}));
}

}  // namespace
}  // namespace tuner::engine
