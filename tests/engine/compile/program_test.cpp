#include "tuner/engine/compile/program.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/support/errors.hpp"
#include "tuner/core/standard_headers/standard_headers.hpp"
#include "tuner/engine/compile/lambda_marks.hpp"

using namespace tuner;
using namespace tuner::engine;

namespace {

std::string assemble(std::string_view source, std::vector<Macro> macros, std::vector<Header> headers = {}) {
  return assemble_source({source, "dir/user.cu", std::move(macros), headers, implicit_names(source, headers)});
}

}  // namespace

TEST_CASE("macros stand in front of a source without includes, and a #line follows") {
  CHECK(assemble("int a;\n", {{"T", "float"}, {"x", "4"}}) ==
        "#define T float\n#define x 4\n#line 1 \"dir/user.cu\"\nint a;\n");
  CHECK(assemble("", {}) == "#line 1 \"dir/user.cu\"\n");
}

TEST_CASE("macros stand behind the leading comments and includes") {
  const std::string leading =
      "// a kernel\n\n/* of\n   two lines */ #include <cuda_fp16.h>\n  #  include \"own.cuh\" // why\n";
  const std::string rest = "\n__global__ void k() {}\n#include \"late.cuh\"\n";
  CHECK(assemble(leading + rest, {{"x", "1"}}) == leading + "#define x 1\n#line 6 \"dir/user.cu\"\n" + rest);
}

TEST_CASE("what is neither comment nor include ends the leading block") {
  for (const std::string first : {"#pragma once\n", "int a;\n", "#ifndef X\n", "#define Y\n", "#include NAME\n",
                                  "#include\n", "#include <open\n"}) {
    const std::string source = first + "#include <cuda_fp16.h>\n";
    CHECK(assemble(source, {{"x", "1"}}) == "#define x 1\n#line 1 \"dir/user.cu\"\n" + source);
  }
}

TEST_CASE("macros stand before the first header that mentions one of them") {
  const std::string source = "#include <cuda_fp16.h>\n#include \"a.cuh\"\n#include \"b.cuh\"\nint c;\n";
  const std::vector<Header> headers{
      {"a.cuh", "int a;\n"}, {"b.cuh", "#include \"deep.cuh\"\n"}, {"deep.cuh", "int b[TILE];\n"}};
  CHECK(assemble(source, {{"TILE", "4"}}, headers) ==
        "#include <cuda_fp16.h>\n#include \"a.cuh\"\n#define TILE 4\n#line 3 \"dir/user.cu\"\n#include \"b.cuh\"\nint "
        "c;\n");
  CHECK(assemble(source, {{"OTHER", "4"}}, headers)
            .starts_with("#include <cuda_fp16.h>\n#include \"a.cuh\"\n#include \"b.cuh\"\n#define"));
}

TEST_CASE("standard headers stand before the macros whatever names they mention") {
  const std::string source = "#include <type_traits>\n#include \"a.cuh\"\nint c;\n";
  const std::vector<Header> headers{{"a.cuh", "#include <type_traits>\nint a;\n"},
                                    {"type_traits", std::string(*standard_header("type_traits"))}};
  CHECK(assemble(source, {{"value", "4"}}, headers).starts_with("#include <type_traits>\n#include \"a.cuh\"\n#define"));
  // One of the user's of that name is read like any other.
  CHECK(assemble(source, {{"value", "4"}}, {headers[0], {"type_traits", "int value;\n"}}).starts_with("#define"));
}

TEST_CASE("INFINITY and NAN are defined where a source mentions them and leaves that to the compiler") {
  const std::string infinity = "#ifndef INFINITY\n#define INFINITY __builtin_bit_cast(float, 0x7f800000)\n#endif\n";
  CHECK(assemble("float a = INFINITY;\n", {}) == infinity + "#line 1 \"dir/user.cu\"\nfloat a = INFINITY;\n");
  CHECK(assemble("#include \"a.cuh\"\n", {}, {{"a.cuh", "float a = INFINITY;\n"}}).starts_with(infinity));
  CHECK(assemble("float a = NAN;\n", {}).starts_with("#ifndef NAN\n"));
  CHECK(assemble("#define NANOSECONDS 1\nfloat a = NAN;\n", {}).starts_with("#ifndef NAN\n"));
  for (const char* source : {"// INFINITY\n", "float a = INFINITY_;\n", "#define INFINITY 3\nfloat a = INFINITY;\n",
                             "#ifndef INFINITY\n# define  INFINITY 3\n#endif\nfloat a = INFINITY;\n"})
    CHECK(assemble(source, {}).starts_with("#line 1"));
  CHECK(assemble("float a = NAN;\n", {}, {{"a.cuh", "#define NAN 1\n"}}).starts_with("#line 1"));
}

TEST_CASE("types that nvcc knows from the system's headers were unknown") {
  CHECK(assemble("uint a;\n", {}) == "typedef unsigned int uint;\n#line 1 \"dir/user.cu\"\nuint a;\n");
  for (const char* own : {"typedef unsigned long long ulong;\nulong a;\n", "using uint = long;\nuint a;\n",
                          "#define ushort short\nushort a;\n", "// uint\n", "struct uint { int x; };\n"})
    CHECK(assemble(own, {}) == std::string("#line 1 \"dir/user.cu\"\n") + own);
  CHECK(assemble("uint a;\n", {{"uint", "float"}}).find("typedef") == std::string::npos);
  // What only looks like a declaration, or says the same, hid them.
  for (const std::string own :
       {"#ifdef _WIN32\ntypedef unsigned uint;\n#endif\nuint a;\n", "// held in an uint; enough\nuint a;\n",
        "// #define uint unsigned\nuint a;\n", "/* a class uint */ uint a;\n", "struct S { int uint; };\nuint a;\n"})
    CHECK(assemble(own, {}).starts_with("typedef unsigned int uint;\n"));
}

TEST_CASE("`register` was refused, which nvcc takes for nothing") {
  const auto is_defined = [](std::string_view source) {
    return assemble(source, {}).find("#define register\n#line") != std::string::npos;
  };
  CHECK(is_defined("register int a;"));
  CHECK_FALSE(is_defined("int a;  // of a register"));
  CHECK_FALSE(is_defined("#define register\nregister int a;"));
}

TEST_CASE("INFINITY brings no other name before a header of the toolkit's") {
  const std::string result = assemble("#include \"a.cuh\"\n#include <cuda_fp16.h>\nT b;\n", {{"T", "float"}},
                                      {{"a.cuh", "float a = INFINITY;\n"}});
  CHECK(result.starts_with("#ifndef INFINITY\n"));
  CHECK(
      result.ends_with("#endif\n#line 1 \"dir/user.cu\"\n#include \"a.cuh\"\n#include <cuda_fp16.h>\n"
                       "#define T float\n#line 3 \"dir/user.cu\"\nT b;\n"));
}

TEST_CASE("a name in a header's comment, string or longer word is no mention") {
  const std::string source = "#include \"a.cuh\"\n";
  for (const std::string text : {"// TILE\n", "/* TILE */\n", "int TILES, MY_TILE, TILE2;\n",
                                 "const char* t = \"TILE \\\" TILE\";\n", "// goes on \\\n TILE\n"}) {
    CHECK(assemble(source, {{"TILE", "4"}}, {{"a.cuh", text}}).starts_with("#include"));
  }
  for (const std::string text : {"int a = TILE;\n", "#if TILE > 2\n#endif\n", "/**/TILE", "\"\"TILE"}) {
    CHECK(assemble(source, {{"TILE", "4"}}, {{"a.cuh", text}}).starts_with("#define"));
  }
}

TEST_CASE("headers that include each other end the search") {
  const std::vector<Header> headers{{"a.cuh", "#include \"b.cuh\"\n"}, {"b.cuh", "#include \"a.cuh\"\n"}};
  CHECK(assemble("#include \"a.cuh\"\n", {{"x", "1"}}, headers) ==
        "#include \"a.cuh\"\n#define x 1\n#line 2 \"dir/user.cu\"\n");
}

TEST_CASE("a header in memory that brings one of the toolkit's is worth precompiling") {
  const std::vector<Header> headers{{"a.cuh", "#include <cub/cub.cuh>\n"}, {"b.cuh", "int b;\n"}};
  CHECK(toolkit_prefix("#include \"a.cuh\"\nint c;\n", headers) == "#include \"a.cuh\"\n");
  CHECK(toolkit_prefix("#include \"b.cuh\"\nint c;\n", headers).empty());
}

TEST_CASE("a last include without a newline and an unfinished comment are kept as they are") {
  CHECK(assemble("#include <a.h>", {{"x", "1"}}) == "#include <a.h>\n#define x 1\n#line 1 \"dir/user.cu\"\n");
  CHECK(assemble("/* open", {{"x", "1"}}) == "#define x 1\n#line 1 \"dir/user.cu\"\n/* open");
  CHECK(assemble("#include <a.h> /* open\n int */ int y;\n", {{"x", "1"}}) ==
        "#define x 1\n#line 1 \"dir/user.cu\"\n#include <a.h> /* open\n int */ int y;\n");
}

TEST_CASE("a file name is quoted for the compiler") {
  CHECK(assemble_source({"", "a\\b \"c\".cu", {}, {}}) == "#line 1 \"a\\\\b \\\"c\\\".cu\"\n");
}

TEST_CASE("names that the compiler cannot define are refused with the reason") {
  const std::pair<Macro, const char*> refused[] = {
      {{"__CUDA_ARCH__", "1"}, "reserved"},
      {{"_Tile", "1"}, "reserved"},
      {{"int", "1"}, "a keyword of the language"},
      {{"defined", "1"}, "'defined'"},
      {{"threadIdx", "1"}, "dir/user.cu"},
      {{"2x", "1"}, "identifier"},
      {{"a-b", "1"}, "identifier"},
      {{"", "1"}, "identifier"},
      {{"x", "1\n#error"}, "several lines"},
  };
  for (const auto& [macro, reason] : refused) {
    CAPTURE(macro.name);
    const std::string message = test::error_of(Errc::bad_description, [&] { assemble("", {macro}); });
    CHECK(message.find(reason) != std::string::npos);
  }
  for (const char* name : {"T", "x", "size", "_t", "in", "register_count"}) CHECK_NOTHROW(assemble("", {{name, "1"}}));
}

TEST_CASE("the part worth precompiling ends with the last leading include and needs a header from outside") {
  const std::vector<Header> headers{{"own.cuh", ""}};
  CHECK(toolkit_prefix("int a;\n#include <b.h>\n", headers).empty());
  CHECK(toolkit_prefix("// c\n#include \"own.cuh\"\nint a;\n", headers).empty());
  CHECK(toolkit_prefix("// c\n#include \"own.cuh\"\n#include <cuda_fp16.h>\nint a;\n", headers) ==
        "// c\n#include \"own.cuh\"\n#include <cuda_fp16.h>\n");
  const std::string source = "#include <cuda_fp16.h>\n\nint a;\n";
  CHECK(toolkit_prefix(assemble(source, {{"x", "1"}}), {}) == toolkit_prefix(assemble(source, {{"x", "2"}}), {}));
}

TEST_CASE("a source is self-contained only if everything it may include is in memory") {
  const std::vector<Header> headers{{"own.cuh", "#include \"other.cuh\"\n"},
                                    {"other.cuh", "#include \"own.cuh\"\nint b;\n"},
                                    {"half.cuh", "#include <cuda_fp16.h>\n"}};
  CHECK(is_self_contained("", {}));
  CHECK(is_self_contained("#define a 1\n#if a\n#endif\nint c;\n#", {}));
  CHECK(is_self_contained("#include \"own.cuh\"\nint a;\n# include \"other.cuh\"\n", headers));
  for (const char* source : {"#include <cuda_fp16.h>\n", "int a;\n#if A\n  #  include <cuda_fp16.h>\n#endif\n",
                             "#include \"half.cuh\"\n", "#include HEADER\n", "#\\\ninclude <cuda_fp16.h>\n",
                             "#/* */include <cuda_fp16.h>\n", "#if __has_include(<cuda_fp16.h>)\n#endif\n"}) {
    CAPTURE(source);
    CHECK_FALSE(is_self_contained(source, headers));
  }
}

TEST_CASE("no text crashes the assembly") {
  const std::string alphabet = "#include \"a.cuh\"\n<>/*/ */\\\n\t\"x// T";
  std::uint32_t state = 1;
  for (int round = 0; round < 20'000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) {
      state = state * 1664525 + 1013904223;
      if (state >> 30 == 0) text += "#include \"a.cuh\"\n";
      text += alphabet[(state >> 8) % alphabet.size()];
    }
    const std::string result = assemble(text, {{"T", "1"}}, {{"a.cuh", text}});
    CHECK(std::count(result.begin(), result.end(), '\n') >= std::count(text.begin(), text.end(), '\n'));
    toolkit_prefix(text, {});
    is_self_contained(text, {{"a.cuh", text}});
  }
}

TEST_CASE("a mark of a function is none of a lambda, whatever ends in a bracket before it") {
  for (const char* text : {"#define AT(i) x[i]\n\n__device__ __host__ int f() { return 1; }\n",
                           "// x[i]\n__device__ int f() { return 1; }\n", "int a[2]\n__device__ float* f;\n"})
    CHECK(!has_lambda_marks(text));
  for (const char* text : {"[] __device__ (int a) { return a; }", "[=] __host__ __device__ { return 1; }",
                           "[=] /* why */ __device__ (int i) {}", "#define LAMBDA [=] __host__ __device__\nint f();"}) {
    std::string blank = text;
    CHECK(has_lambda_marks(blank));
    blank_lambda_marks(blank);
    CHECK(!has_lambda_marks(blank));
  }
}
