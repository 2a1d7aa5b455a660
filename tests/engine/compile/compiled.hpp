#pragma once

#include <doctest/doctest.h>

#include <string>

#include "tests/engine/compile/toolkit.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/engine/compile/program.hpp"

namespace tuner::engine::testing {

inline constexpr const char* kTiled =
    "#include \"helpers.cuh\"\n"
    "template <int N, typename V>\n"
    "__global__ void __launch_bounds__(N) k(V* out, const V* in, char flag, int count) {\n"
    "  __shared__ V tile[y][size];\n"
    "  tile[threadIdx.x / size][threadIdx.x % size] = in[threadIdx.x + count];\n"
    "  __syncthreads();\n"
    "  T sum = 0;\n"
    "  for (int i = 0; i < size; ++i) sum += twice(tile[flag][i]);\n"
    "  out[threadIdx.x] = sum;\n"
    "}\n";

/// A template in a source with a header and macros.
inline CompileRequest tiled() {
  CompileRequest request = request_for("", "k<64, float>");
  request.headers = {{"helpers.cuh", "template <typename U> __device__ U twice(U value) { return value + value; }\n"}};
  request.source = assemble_source({kTiled, "user.cu", {{"T", "float"}, {"y", "4"}, {"size", "16"}}, request.headers});
  return request;
}

/// In this process.
inline const NvrtcCompiler& compiler() {
  static const NvrtcCompiler instance({});
  return instance;
}

/// What must compile.
inline CompileReply compiled(const CompileRequest& request, const NvrtcCompiler& by = compiler()) {
  CompileReply reply = by.compile(request);
  REQUIRE_MESSAGE(reply.outcome == Outcome::ok, reply.log);
  return reply;
}

}  // namespace tuner::engine::testing
