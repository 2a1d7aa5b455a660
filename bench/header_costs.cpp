// What standard headers cost a small kernel under NVRTC: a markdown table of medians of processor time, ours beside the
// toolkit's. Needs NVRTC, no GPU.
//
//   bench_header_costs [ROUNDS]
//
// Each round compiles every header once, so that all meet the same machine.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "bench/program.hpp"
#include "tuner/core/description/headers.hpp"
#include "tuner/engine/compile/nvrtc_compiler.hpp"
#include "tuner/error.hpp"

namespace {

using namespace tuner;
using namespace tuner::engine;

struct Column {
  std::string include;  ///< empty: none
  std::vector<double> milliseconds;
};

CompileRequest request_for(const std::string& include) {
  CompileRequest request;
  if (!include.empty()) request.source = "#include <" + include + ">\n";
  request.source += "__global__ void k(float* x) { x[threadIdx.x] += 1; }\n";
  request.file_name = "costs.cu";
  request.name_expression = "k";
  request.architecture = "sm_90";
  request.headers = quoted_headers(request.source, "costs.cu", {}, {});
  return request;
}

// Of this process. What else runs on the machine hardly counts in it.
double processor_milliseconds() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void measure(Column& column, const NvrtcCompiler& compiler) {
  const CompileRequest request = request_for(column.include);
  const double begin = processor_milliseconds();
  const CompileReply reply = compiler.compile(request);
  column.milliseconds.push_back(processor_milliseconds() - begin);
  if (reply.outcome != Outcome::ok) throw Error(Errc::internal, reply.message);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void run(int rounds) {
  std::vector<Column> columns{{"", {}}};
  for (const char* include : {"cstdint",
                              "stdint.h",
                              "cstddef",
                              "cmath",
                              "math.h",
                              "cfloat",
                              "climits",
                              "limits",
                              "type_traits",
                              "utility",
                              "array",
                              "algorithm",
                              "cassert",
                              "cstdio",
                              "cstring",
                              "cuda_runtime.h",
                              "vector",
                              "cuda/std/cstdint",
                              "cuda/std/limits",
                              "cuda/std/type_traits",
                              "cuda/std/utility",
                              "cuda/std/array",
                              "cuda/std/cmath",
                              "cuda_fp16.h",
                              "cooperative_groups.h",
                              "cub/block/block_reduce.cuh",
                              "cub/cub.cuh"}) {
    columns.push_back({include, {}});
  }
  const NvrtcCompiler compiler({});
  for (int round = 0; round < rounds; ++round) {
    for (Column& column : columns) measure(column, compiler);
  }
  const double none = median(columns.front().milliseconds);
  fmt::print("NVRTC {}, {} rounds; without a header {:.1f} ms\n\n| header | ms more |\n|---|---:|\n",
             compiler.toolkit().version, rounds, none);
  for (std::size_t i = 1; i < columns.size(); ++i)
    fmt::print("| `<{}>` | {:.1f} |\n", columns[i].include, median(columns[i].milliseconds) - none);
}

}  // namespace

int main(int count, char** words) {
  return tuner::bench::run_program("bench_header_costs", [&] { run(count > 1 ? std::atoi(words[1]) : 15); });
}
