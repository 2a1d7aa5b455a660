#include "tuner/host/translate.hpp"

#include <doctest/doctest.h>

using namespace tuner::host;

namespace {

std::string translated(std::string_view text) {
  const std::string result = translate(text, "k.cu", [](std::string_view) { return std::string(); }).text;
  const std::string first = "#line 1 \"k.cu\"\n";
  REQUIRE(result.starts_with(first));
  return result.substr(first.size());
}

}  // namespace

TEST_CASE("every usual spelling of dynamic shared memory becomes a pointer to it") {
  CHECK_EQ(translated("a;\n  extern __shared__ double slots[];\nb;\n"),
           "a;\n  [[maybe_unused]] static double* const slots = (double*)::tuner::host::dynamic_shared();\nb;\n");
  CHECK_EQ(translated("extern __shared__ __align__(16) unsigned char b[ ];"),
           "[[maybe_unused]] static unsigned char* const b = (unsigned char*)::tuner::host::dynamic_shared();");
  CHECK_EQ(translated("extern __align__(8) __shared__ float4 b[];"),
           "[[maybe_unused]] static float4* const b = (float4*)::tuner::host::dynamic_shared();");
  CHECK_EQ(translated("extern __shared__ float tile[][33];"),
           "[[maybe_unused]] static float (* const tile)[33] = (float(*)[33])::tuner::host::dynamic_shared();");
  CHECK_EQ(translated("extern __shared__ ns::Pair<int, 2> p[];"),
           "[[maybe_unused]] static ns::Pair<int, 2>* const p = (ns::Pair<int, 2>*)::tuner::host::dynamic_shared();");
}

TEST_CASE("inline PTX becomes a call that ends the run, and the lines stay") {
  CHECK_EQ(translated("asm volatile(\"mov.u32 %0, 1;\"\n  : \"=r\"(x));\nb;"),
           "::tuner::host::stop(\"Inline PTX cannot run on the CPU\", {__FILE__, __LINE__})\n;\nb;");
}

TEST_CASE("C linkage is taken away: the kernels of several configurations are in one program") {
  CHECK_EQ(translated("extern \"C\" __global__ void k();"), " __global__ void k();");
  CHECK_EQ(translated("extern \"C\" {\nvoid k();\n}"), "inline namespace tuner_linkage {\nvoid k();\n}");
}

TEST_CASE("comments, strings and other declarations are left alone") {
  for (const char* text : {"// extern __shared__ int a[];\n", "/* asm(\"\"); */", "const char* s = \"asm(1)\";",
                           "char c = '\"'; int asmx = 1'000;", "extern int other;", "R\"x(asm(\"\"))x\""})
    CHECK_EQ(translated(text), text);
}

TEST_CASE("headers in angle brackets are taken out and told, with their lines") {
  const Translation result =
      translate("int a;\n#include <cuda_fp16.h>\n#include \"h.cuh\"\n#pragma once\n", "k.cu",
                [](std::string_view name) { return name == "h.cuh" ? std::string("header_0.cuh") : ""; });
  CHECK_EQ(result.text, "#line 1 \"k.cu\"\nint a;\n\n#include \"header_0.cuh\"\n\n");
  REQUIRE_EQ(result.system_headers.size(), 1);
  CHECK_EQ(result.system_headers[0].name, "cuda_fp16.h");
  CHECK_EQ(result.system_headers[0].line, 2);
}

TEST_CASE("macros that a text defines are found") {
  CHECK_EQ(macros_defined_in("#define A 1\n # define B(x) x\n#ifdef C\n#define A 2\n"),
           std::vector<std::string>{"A", "B"});
}

TEST_CASE("the outline has the conditions, macros and includes in their lines, and knows a guard from a condition") {
  const auto known = [](std::string_view name) { return name == "h.cuh" ? std::string("header_0.cuh") : ""; };
  const Translation guarded = translate("#ifndef H\n#define H\n#include <cstdint>\nint a;\n#endif\n", "k.cu", known);
  CHECK_EQ(guarded.outline, "#line 1 \"k.cu\"\n#ifndef H\n#define H\n#include <cstdint>\n\n#endif\n");
  REQUIRE_EQ(guarded.system_headers.size(), 1);
  CHECK_FALSE(guarded.system_headers[0].is_conditional);

  const Translation text =
      translate("int a;\n#if A > \\\n    1\n#include \"h.cuh\"\n// #include <none>\n#else\n#include <b>\n#endif\n",
                "k.cu", known);
  CHECK_EQ(
      text.outline,
      "#line 1 \"k.cu\"\n\n#if A > \\\n    1\n#include \"outline_of_header_0.cuh\"\n\n#else\n#include <b>\n#endif\n");
  CHECK_EQ(text.conditional_headers, std::vector<std::string>{"h.cuh"});
  REQUIRE_EQ(text.system_headers.size(), 1);
  CHECK(text.system_headers[0].is_conditional);
}

TEST_CASE("a macro that may be defined before is no guard, and a comment of a directive is not cut") {
  const std::string source = "#ifndef A\n#define A 1 /* of\n two lines */\n#endif\n#if 0\n#include <b>\n#endif\n";
  const Translation text = translate(source, "k.cu", [](std::string_view) { return std::string(); });
  CHECK_EQ(text.outline, "#line 1 \"k.cu\"\n" + source);
  REQUIRE_EQ(text.system_headers.size(), 1);
  CHECK(text.system_headers[0].is_conditional);
}

TEST_CASE("a header in quotes that is not the user's is one of the system, and one that is empty for NVRTC is none") {
  const auto none = [](std::string_view) { return std::string(); };
  const Translation text = translate("#include \"cuda_fp16.h\"\n#include <cublas_v2.h>\n", "k.cu", none);
  CHECK_EQ(text.text, "#line 1 \"k.cu\"\n\n\n");
  REQUIRE_EQ(text.system_headers.size(), 1);
  CHECK_EQ(text.system_headers[0].name, "cuda_fp16.h");
}
