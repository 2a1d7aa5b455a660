#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/core/task/npy_file.hpp"

namespace tuner::test {

/// A kernel that is described as it should be.
inline std::string described_kernel() {
  return R"(#pragma tuner kernel(blend) reference(plain; grid(ceil_div(n, 32)) block(32))
#pragma tuner problem(n: size = 1000) problem_constraint(1 <= n <= 1000000)
#pragma tuner param(BLOCK, 64, 128) param(EACH, 1, 2)
#pragma tuner grid(ceil_div(n, BLOCK * EACH)) block(BLOCK)
#pragma tuner in(x, float, n) in(index, int32, n, index(n)) constant(weights, float, 4, uniform(1, 2))
#pragma tuner out(y, float, n) scratch(room, double, ceil_div(n, BLOCK * EACH)) inout(count, uint32, n, iota())
#pragma tuner scalar(n, int32) scalar(factor, double, value 0.5)
__constant__ float weights[4];
__device__ void blend_one(const float* x, const int* index, float* y, unsigned* count, int i, double factor) {
  y[i] = (float)(factor * weights[i % 4] * x[index[i]]);
  count[i] += 1;
}
extern "C" __global__ void blend(const float* x, const int* index, float* y, double* room, unsigned* count, int n,
                                 double factor) {
  for (int k = 0; k < EACH; ++k) {
    const int i = (blockIdx.x * EACH + k) * BLOCK + threadIdx.x;
    if (i < n) blend_one(x, index, y, count, i, factor);
  }
  if (threadIdx.x == 0) room[blockIdx.x] = factor;
}
extern "C" __global__ void plain(const float* x, const int* index, float* y, double* room, unsigned* count, int n,
                                 double factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) blend_one(x, index, y, count, i, factor);
}
)";
}

/// A mistake in that description which can be noticed: what was to be written, and what stands there instead.
struct DescriptionMistake {
  std::string name;
  std::vector<std::pair<std::string, std::string>> changes;

  std::string text() const {
    std::string text = described_kernel();
    for (const auto& [right, wrong] : changes) {
      const std::size_t at = text.find(right);
      if (at == std::string::npos) throw std::logic_error(name + ": there is no " + right);
      text.replace(at, right.size(), wrong);
    }
    return text;
  }
};

inline std::vector<DescriptionMistake> description_mistakes() {
  const std::pair<std::string, std::string> certain_x{"in(x, float, n)", "in(x, float, n, iota())"};
  const std::pair<std::string, std::string> certain_index{"n, index(n))", "n, constant(3))"};
  const std::pair<std::string, std::string> certain_weights{"uniform(1, 2)", "iota(1)"};
  const auto expecting = [&](const std::string& name, const std::string& file) {
    return DescriptionMistake{name,
                              {certain_x,
                               certain_index,
                               certain_weights,
                               {"out(y, float, n)", "out(y, float, n, expect file(\"" + file + "\"))"}}};
  };
  return {
      {"the kernel's name is misspelt", {{"kernel(blend)", "kernel(blemd)"}}},
      {"the reference's name is misspelt", {{"reference(plain", "reference(plane"}}},
      {"the name of an array in constant memory is misspelt", {{"constant(weights", "constant(weight"}}},
      {"an input has another type", {{"in(x, float", "in(x, double"}}},
      {"an input has a narrower type", {{"in(x, float", "in(x, half"}}},
      {"an input is of vectors", {{"in(x, float", "in(x, float2"}}},
      {"integers are wider", {{"in(index, int32", "in(index, int64"}}},
      {"an output has another type", {{"out(y, float", "out(y, double"}}},
      {"a scratch buffer has another type", {{"scratch(room, double", "scratch(room, float"}}},
      {"an inout has another type", {{"inout(count, uint32", "inout(count, uint16"}}},
      {"a scalar is wider", {{"scalar(n, int32)", "scalar(n, int64)"}}},
      {"a scalar is narrower", {{"scalar(factor, double", "scalar(factor, float"}}},
      {"an array in constant memory has another length", {{"weights, float, 4", "weights, float, 5"}}},
      {"an argument is missing", {{"in(index, int32, n, index(n))", ""}}},
      {"a scalar is missing", {{"scalar(factor, double, value 0.5)", ""}}},
      {"there is an argument too many", {{"scalar(n, int32)", "scalar(n, int32) in(more, float, n)"}}},
      {"two inputs of different types are swapped",
       {{"in(x, float, n) in(index, int32, n, index(n))", "in(index, int32, n, index(n)) in(x, float, n)"}}},
      {"two scalars of different types are swapped",
       {{"scalar(n, int32) scalar(factor, double, value 0.5)", "scalar(factor, double, value 0.5) scalar(n, int32)"}}},
      {"an output and a scalar are swapped",
       {{"out(y, float, n) ", "scalar(n, int32) "}, {"scalar(n, int32) scalar(f", "out(y, float, n) scalar(f"}}},
      {"what the kernel cannot write is an output", {{"in(x, float, n)", "out(x, float, n)"}}},
      {"what the kernel writes is an input", {{"inout(count", "in(count"}}},
      {"what the kernel reads first is an output", {{"inout(count, uint32, n, iota())", "out(count, uint32, n)"}}},
      {"an input is too short", {{"in(x, float, n)", "in(x, float, n // 2)"}}},
      {"an output is too short", {{"out(y, float, n)", "out(y, float, n - 1)"}}},
      {"a scratch buffer is too short", {{"EACH)) inout", "EACH) - 1) inout"}}},
      {"a generated index is out of range", {{"index(n))", "index(4 * n))"}}},
      {"the grid is too small, so that elements are not written",
       {{"grid(ceil_div(n, BLOCK * EACH))", "grid(n // 256)"}}},
      {"the reference's grid is too small, so that elements are written besides",
       {{"grid(ceil_div(n, 32))", "grid(n // 64)"}}},
      expecting("an expected file has another shape", "five.npy"),
      expecting("an expected file has another type", "doubles.npy"),
      expecting("an expected file holds something else", "zeros.npy"),
      expecting("an expected file is not there", "none.npy"),
      {"a file says what is right for random inputs",
       {{"out(y, float, n)", "out(y, float, n, expect file(\"zeros.npy\"))"}}},
  };
}

/// The files that they name, beside the kernel.
inline void write_expected_files(const std::filesystem::path& folder) {
  write_bytes(folder / "five.npy", npy("<f4", "(5,)", std::string(20, '\0')));
  write_bytes(folder / "doubles.npy", npy("<f8", "(1000,)", std::string(8000, '\0')));
  write_bytes(folder / "zeros.npy", npy("<f4", "(1000,)", std::string(4000, '\0')));
}

}  // namespace tuner::test
