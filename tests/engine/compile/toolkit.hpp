#pragma once

#include <string>

#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine::testing {

/// A request for a kernel `k` in user.cu, for sm_90.
inline CompileRequest request_for(std::string source, std::string name_expression = "k") {
  return {.source = std::move(source),
          .file_name = "user.cu",
          .name_expression = std::move(name_expression),
          .architecture = "sm_90"};
}

/// A kernel that differs from others by `number`.
inline CompileRequest numbered_request(int number) {
  return request_for("__global__ void k(int* p) { p[threadIdx.x] += " + std::to_string(number) + "; }\n");
}

/// Keeps the compiler busy for longer than anybody waits: 2^40 instantiations.
inline CompileRequest endless_request() {
  return request_for(
      "template <int N, long K> struct A { static const int v = A<N - 1, 2 * K>::v + A<N - 1, 2 * K + 1>::v; };\n"
      "template <long K> struct A<0, K> { static const int v = 1; };\n"
      "__global__ void k(int* p) { p[0] = A<40, 1>::v; }\n");
}

}  // namespace tuner::engine::testing
