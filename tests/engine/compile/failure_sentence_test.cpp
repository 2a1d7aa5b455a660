#include "tuner/engine/compile/failure_sentence.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <utility>

#include "tests/engine/compile/toolkit.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tuner::engine;
using testing::request_for;

namespace {

/// What is said of an error that NVRTC prints like this, after a warning.
std::string said(const std::string& sentence, const std::string& line = "", std::size_t column = 0,
                 const std::string& kind = "error: ") {
  return failure_sentence(request_for(""), "user.cu(2): warning #177-D: unused\n\nuser.cu(7): " + kind + sentence +
                                               "\n  " + line + "\n  " + std::string(column, ' ') + "^\n\n");
}

}  // namespace

TEST_CASE("what the compiler refuses of the host is said with its line, its name and the way out") {
  const std::string guard = "put it between `#ifndef __CUDACC_RTC__` and `#endif`";
  CHECK(said("A function without execution space annotations (__host__/__device__/__global__) is considered a host "
             "function, and host functions are not allowed in JIT mode. Consider using -default-device flag",
             "int f(int a) {", 4) ==
        "user.cu(7): error: `f` is a function of the host, which is not compiled here: mark it `__device__` if the "
        "kernel calls it; if only the host does, " +
            guard + ".");
  CHECK(said("A namespace scope variable without memory space annotations (...) is considered a host variable, and",
             "float table[3];", 6) ==
        "user.cu(7): error: `table` is a variable of the host, which kernels do not see: declare it `__device__`, "
        "`__constant__` or `constexpr` if the kernel reads it; if only the host does, " +
            guard + ".");
  CHECK(said("identifier \"cudaMalloc\" is undefined") ==
        "user.cu(7): error: `cudaMalloc` belongs to the runtime of the host, which kernels do not see: " + guard + ".");
  CHECK(said("namespace \"cub::_V_300000_SM_900::cub\" has no member \"DeviceScan\"") ==
        "user.cu(7): error: `cub::DeviceScan` runs on the host and launches kernels of its own, so no kernel can call "
        "it: if only the host does, " +
            guard + "; within a kernel there are cub::BlockReduce and the like.");
  CHECK(said("cannot open source file \"mine.h\"", "#include \"mine.h\"", 17, "catastrophic error: ") ==
        "user.cu(7): error: the header \"mine.h\" was not found: name its folder with -I, or, if only the host needs "
        "it, " +
            guard + ".");
}

TEST_CASE("a header that was forgotten is named") {
  for (const auto& [name, header] : {std::pair{"uint32_t", "cstdint"},
                                     {"INT_MAX", "climits"},
                                     {"INT32_MAX", "cstdint"},
                                     {"DBL_MAX", "cfloat"},
                                     {"M_PI", "cmath"},
                                     {"__half2", "cuda_fp16.h"},
                                     {"nv_bfloat16", "cuda_bf16.h"}}) {
    CHECK(said(fmt::format("identifier \"{}\" is undefined", name)) ==
          fmt::format("user.cu(7): error: `{}` is not known here: include <{}>.", name, header));
  }
}

TEST_CASE("a parameter of an unknown type was reported as a kernel without a type") {
  const std::string log =
      "user.cu(7): warning #1835-D: attribute \"__global__\" does not apply here\n"
      "user.cu(7): error: incomplete type \"void\" is not allowed\n  __global__ void k(uint64_t* y) {}\n  ^\n"
      "user.cu(7): error: identifier \"uint64_t\" is undefined\n  __global__ void k(uint64_t* y) {}\n                  "
      "  ^\n";
  CHECK(failure_sentence(request_for(""), log) ==
        "user.cu(7): error: `uint64_t` is not known here: include <cstdint>.");
}

TEST_CASE("a missing bracket blamed a function of the host alone") {
  const std::string log =
      "user.cu(1): error: A function without execution space annotations is considered a host function\n"
      "  int f() {\n      ^\n";
  const auto ends_with_hint = [&](const std::string& source) {
    return failure_sentence(request_for(source), log).ends_with("Or a `}` is missing: the source has more of `{`.");
  };
  CHECK(ends_with_hint("int f() {\n  if (1) {\n}\n"));
  CHECK_FALSE(ends_with_hint("int f() {\n}  // {\n"));
}

TEST_CASE("a specialisation of what only the host has got no way out") {
  CHECK(said("hash is not a template", "template<> struct hash<F> {", 18)
            .find("`hash` is not known here as a template") != std::string::npos);
  CHECK(said("namespace \"std\" has no tag member named \"hash\"").find("`std::hash` is not known in device code") !=
        std::string::npos);
}

TEST_CASE("a member of std that no header of ours has, or that one has, is said") {
  const std::string none =
      "the tuner's headers do not have it (docs/sources.md), but the toolkit's may: use `cuda::std::{}` then; if only "
      "the host uses it, put it between `#ifndef __CUDACC_RTC__` and `#endif`.";
  CHECK(said("namespace \"std\" has no member \"lerp\"") ==
        "user.cu(7): error: `std::lerp` is not known in device code: " + fmt::format(fmt::runtime(none), "lerp"));
  CHECK(said("name followed by \"::\" must be a class or namespace name", "using Clock = std::chrono::steady_clock;",
             19) ==
        "user.cu(7): error: `std::chrono` is not known in device code: " + fmt::format(fmt::runtime(none), "chrono"));
  for (const auto& [member, header] : {std::pair{"uint32_t", "cstdint"},
                                       {"size_t", "cstddef"},
                                       {"sqrt", "cmath"},
                                       {"is_same_v", "type_traits"},
                                       {"enable_if_t", "type_traits"},
                                       {"array", "array"},
                                       {"pair", "utility"},
                                       {"max", "algorithm"},
                                       {"numeric_limits", "limits"}}) {
    CHECK(said(fmt::format("namespace \"std\" has no member \"{}\"", member)) ==
          fmt::format("user.cu(7): error: `std::{}` is not known here: include <{}>.", member, header));
  }
}

TEST_CASE("device-wide algorithms whose headers are empty are said to be the host's") {
  const std::string name = "name followed by \"::\" must be a class or namespace name";
  CHECK(said(name, "cub::DeviceReduce::Sum(a);", 0).starts_with("user.cu(7): error: `cub::DeviceReduce` runs on the"));
  CHECK(said(name, "cub::BlockReduce<int, 32> a;", 0) ==
        "user.cu(7): error: `cub` is not known here: include <cub/cub.cuh>.");
  CHECK(
      said(name, "  thrust::sort(a, b);", 2).starts_with("user.cu(7): error: Thrust's algorithms and containers run"));
  CHECK(said(name, "mine::sort(a, b);", 0) ==
        "user.cu(7): error: `mine` is not known here: include what declares it; if only the host uses it, put it "
        "between `#ifndef __CUDACC_RTC__` and `#endif`.");
}

TEST_CASE("an error in a function without a mark says what to do about that function") {
  CompileRequest request = request_for(
      "int f() {\n}\n#line 1 \"user.cu\"\n__device__ int d() {\n  x;\n}\nCSR read(FILE* f,\n  int n) {\n  x;\n}\n");
  request.headers = {{"mine.h", "\nvoid g(Any a);\n"}};
  const auto said_at = [&](const std::string& place) {
    return failure_sentence(request, place + ": error: expected a \";\"\n");
  };
  const std::string error = ": error: expected a \";\"";
  const std::string way_out =
      "`, which this is a part of, has no mark: mark it `__device__` if the kernel calls it; if only the host does, "
      "put "
      "it between `#ifndef __CUDACC_RTC__` and `#endif`.";
  for (const char* const place : {"user.cu(4)", "user.cu(5)", "user.cu(6)"})
    CHECK(said_at(place) == place + error + "; `read" + way_out);
  CHECK(said_at("mine.h(2)") == "mine.h(2)" + error + "; `g" + way_out);
  for (const char* const place : {"user.cu(1)", "user.cu(2)", "user.cu(99)", "mine.h(1)", "other.h(2)"})
    CHECK(said_at(place) == place + error);
}

TEST_CASE("a function that is left out as the host's is named where it is missed") {
  CHECK(said("identifier \"size\" is undefined", "y = size;", 4) ==
        "user.cu(7): error: `size` is not known here: if it is a variable of the host, which is left out, declare it "
        "`__device__`, `__constant__` or `constexpr`.");
  CHECK(said("identifier \"size\" is undefined", "size y;", 0) ==
        "user.cu(7): error: identifier \"size\" is undefined");
  CHECK(said("identifier \"square\" is undefined", "y = square(x);", 4) ==
        "user.cu(7): error: `square` is not known here: if it is a function of yours without a mark, which is left out "
        "as the host's, mark it `__device__`.");
  CHECK(failure_sentence(request_for(""),
                         "ptxas application ptx input, line 9; error   : Instruction 'setmaxnreg.dec' not supported on "
                         ".target 'sm_90'\nptxas fatal   : Ptx assembly aborted due to errors\n",
                         {})
            .find("error: Instruction 'setmaxnreg.dec' not supported on .target 'sm_90': if it is an instruction of "
                  "sm_90a alone, add options(\"-arch=sm_90a\") to the directives") != std::string::npos);
  CHECK(failure_sentence(request_for(""), "ptxas fatal   : Unresolved extern function '_ZNK4Grid4Cell3getEv'\n") ==
        "user.cu: error: the kernel calls `Grid::Cell::get() const`, which is declared for the GPU but not defined for "
        "it: mark its definition `__device__`, as a definition without a mark may be left out as a function of the "
        "host (docs/sources.md).");
  CHECK(said("explicit type is missing (\"int\" assumed)", "struct R { std::vector<float> v; };", 19)
            .starts_with("user.cu(7): error: `std::vector` is not known in device code: "));
}

TEST_CASE("a call that fits several overloads, or none of ours, has a way out") {
  CHECK(said("more than one instance of overloaded function \"std::lerp\" matches the argument list:") ==
        "user.cu(7): error: this call of `std::lerp` fits several overloads equally well: convert its arguments to the "
        "types of one of them, as in `std::lerp(float(a), float(b))`.");
  CHECK(
      said("no instance of function template \"std::min\" matches the argument list")
          .starts_with("user.cu(7): error: `std::min` of the headers that the tuner supplies (docs/sources.md) cannot "
                       "be called like this: "));
  const std::string mine = "no instance of function template \"mine\" matches the argument list";
  CHECK(said(mine) == "user.cu(7): error: " + mine);
}

TEST_CASE("an error in a header of the toolkit's names the include that leads there") {
  const tuner::test::TemporaryFolder toolkit;
  toolkit.write("gl/interop.h", "#pragma once\n#include \"parts.h\"\n#include <gl/interop.h>\n");
  const std::string parts = toolkit.write("gl/parts.h", "").string();
  const std::string deep = toolkit.write("deep.h", "#include \"missing.h\"\n").string();
  const std::string other = toolkit.write("other.h", "").string();
  CompileRequest request = request_for(
      "#include <own.h>\n#define N 1\n#line 8 \"user.cu\"\n// text\n#include \"b.h\"\n#include <gl/interop.h>\n");
  request.headers = {{"b.h", "\n#include <deep.h>\n"}, {"own.h", ""}};
  const auto said_of = [&](const std::string& error) {
    return failure_sentence(request, error + "\n", {toolkit.path()});
  };
  const std::string host = "a \"f\" is considered a host function, and host functions are not allowed in JIT mode";
  CHECK(said_of(parts + "(3): error: " + host) ==
        "user.cu(10): error: <gl/interop.h> brings code of the host, which is not compiled here (" + parts +
            "(3): " + host + "): if only the host needs it, put it between `#ifndef __CUDACC_RTC__` and `#endif`.");
  const std::string error = "(3): error: expected a \";\"";
  CHECK(said_of(deep + error) == deep + error + " (in what b.h(2) includes with <deep.h>)");
  for (const std::string& place : {other, std::string("/mine/deep.h")}) CHECK(said_of(place + error) == place + error);
}

TEST_CASE("other errors stay as the compiler says them") {
  CHECK(said("identifier \"cudanot\" is undefined") == "user.cu(7): error: identifier \"cudanot\" is undefined");
  for (const char* name : {"MY_MAX", "M_TILE", "integer_t", "int_mine_t", "FLT_MINE", "typedef_of"}) {
    const std::string sentence = fmt::format("identifier \"{}\" is undefined", name);
    CHECK(said(sentence) == "user.cu(7): error: " + sentence);
  }
  CHECK(said("namespace \"mine\" has no member \"a\"") == "user.cu(7): error: namespace \"mine\" has no member \"a\"");
  CHECK(said("expected a \";\"") == "user.cu(7): error: expected a \";\"");
  CHECK(failure_sentence(request_for("", "k"), "").empty());
  CHECK(failure_sentence(request_for("", "k"), "__nv_name_map(1): error: identifier \"k\" is undefined\n") ==
        "user.cu: no kernel 'k' was found after compiling; the name map says: identifier \"k\" is undefined. A name "
        "in a namespace begins with it, as in kernel(app::NAME).");
}

TEST_CASE("a name that stands for several kernels was refused without a way out") {
  const auto of = [](const std::string& said) {
    return failure_sentence(request_for(""), "__nv_name_map(2): error: cannot determine which instance of " + said +
                                                 " \"k\" is intended\n");
  };
  CHECK(of("overloaded function") ==
        "user.cu: the source has several kernels `k`, and kernel(k) does not say which. Give the one to tune a name of "
        "its own, or put the others between `#ifndef __CUDACC_RTC__` and `#endif`.");
  CHECK(of("function template") == "user.cu: `k` is a template: name its arguments, as in kernel(k<float>).");
}
