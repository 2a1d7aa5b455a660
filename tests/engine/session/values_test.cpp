// What NVRTC makes of value(...). The bytes are made on a GPU: tests/gpu/kernels/values.cu.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/core/support.hpp"
#include "tuner/core/kernel_file/kernel_file.hpp"
#include "tuner/core/signature/value_source.hpp"
#include "tuner/engine/candidates/candidate_request.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"

namespace tuner::engine {
namespace {

using test::contains;

const NvrtcCompiler& value_compiler() {
  static const NvrtcCompiler compiler({});
  return compiler;
}

std::size_t array_bytes(const std::vector<std::byte>& cubin, const std::string& name) {
  const auto array = array_in_cubin(cubin, name);
  REQUIRE(array);
  return array->bytes;
}

/// What is said of `value(it, VALUE)` for a kernel with a parameter of that type.
std::string said_of_value(const std::string& value, const std::string& source = {}, std::string type = {}) {
  if (type.empty()) type = value.substr(0, value.find(", "));
  const std::string text =
      "#pragma tuner kernel(k) problem(n: size = 300) param(kind, 1, 2) grid(n) block(32)\n"
      "#pragma tuner out(y, float, n) value(it, " +
      value +
      ")\n"
      "struct Box { float3 low, high; int3 cells; };\n"
      "struct View { const double* data; int rows; };\n"
      "struct Real { float value; __device__ Real(float real) : value(real) {} };\n" +
      source + "\n__global__ void k(float* y, " + type + " it) {}";
  const Task task(test::describe(text), {}, known_device("H200"));
  const CompileReply reply = value_compiler().compile(*value_request(task, *task.baseline()));
  return test::error_of([&] { value_cubin(reply); });
}

TEST_CASE("vectors and structures of every odd kind are made as large as the kernel takes them") {
  const std::filesystem::path file = std::filesystem::path(TUNER_SOURCE_DIR) / "tests/gpu/kernels/values.cu";
  std::size_t values = 0;
  for (const KernelDescription& description : load_descriptions(file)) {
    CAPTURE(description.kernel);
    const Task task(description, {}, known_device("H200"));
    CompileReply made = value_compiler().compile(*value_request(task, *task.baseline()));
    REQUIRE_MESSAGE(made.outcome == Outcome::ok, made.log);
    const CompileReply kernel = value_compiler().compile(compile_request(task, *task.baseline()));
    REQUIRE_MESSAGE(kernel.outcome == Outcome::ok, kernel.log);
    for (std::size_t i = 0; i < description.arguments.size(); ++i) {
      if (description.arguments[i].role != Argument::Role::value) continue;
      CHECK(array_bytes(made.cubin.bytes, value_bytes(i)) == kernel.parameters.at(i).size);
      ++values;
    }
  }
  CHECK(values >= 20);
}

TEST_CASE("a structure that cannot be made of the numbers is refused with its line and a way out") {
  const std::string counted = said_of_value("Box, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10");
  CHECK(contains(counted,
                 "k.cu:2: value(it, Box, ...): Box cannot be made of 10 values. Write one expression for each member"));
  CHECK(contains(said_of_value("Box, 1, 2, 3, 4, 5, 6, 7, 8"),
                 "Box has more members than 8 values. Write one expression for each"));
  CHECK(contains(said_of_value("int3, n, n"), "int3 has more members than 2 values"));
  CHECK(contains(said_of_value("View, 0, n"),
                 "View holds pointers, and value(...) makes only numbers. Give the kernel its buffers"));
  CHECK(contains(said_of_value("Other, 1, 2, 3, 4, 5, 6, 7, 8, 9", "struct Other { float a[9]; };", "Box"),
                 "k.cu:2: value(it, Other, ...): parameter 2 of the kernel has another type."));
  CHECK(contains(said_of_value("Nothing, 1", "", "Box"), "k.cu:2: identifier \"Nothing\" is undefined"));
  CHECK(contains(said_of_value("Nothing, 1", "", "Box"), "Write the type as the kernel's source does"));
  CHECK(contains(said_of_value("Box, 1, 2, 3, 4, 5, 6, 7, 8, 9", "this is no CUDA;"), "could not be compiled"));
}

TEST_CASE("a reference by value led to the host's memory") {
  CHECK(contains(said_of_value("Ref, 1", "struct Ref { const int& x; };"),
                 "k.cu:2: value(it, Ref, ...): Ref holds references, and value(...) makes only numbers."));
  CHECK(contains(said_of_value("Two, 1, {2, 3}", "struct In { int a, b; };\nstruct Two { float x; const In& in; };"),
                 "Two holds references"));
  CHECK(said_of_value("Fixed, 1", "struct Fixed { const int x; };") == "no error");
  CHECK(said_of_value("Bits, 1, 2", "struct Bits { unsigned char low : 4, high : 4; };") == "no error");
}

TEST_CASE("a value is made although a macro is called like a word that makes it") {
  for (const char* value : {"Box, 1, 2, 3, 4, 5, 6, 7, 8, 9", "Box", "bool, 1", "int3, n, -n, 0.0", "Real, 0.5",
                            "float, 0.5", "struct Box, {1, 2, 3}, {4}, {n}"})
    CHECK(said_of_value(value, "#define real float\n#define place 3\n#define number int\n#define type int") ==
          "no error");
}

}  // namespace
}  // namespace tuner::engine
