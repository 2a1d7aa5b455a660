#pragma once

#include <array>
#include <string>
#include <vector>

#include "tuner/core/t1/arguments.hpp"
#include "tuner/core/t1/expression.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// What T1 calls the dimensions of sizes and divisors, in order.
inline constexpr std::array<const char*, 3> kDimensions{"X", "Y", "Z"};

/// What KernelSpecification says of the launch, as expressions.
struct T1Launch {
  std::vector<std::string> grid, block;  ///< three each
  std::string shared;                    ///< bytes; "0" for none
  std::string grid_path, block_path, shared_path;

  std::vector<T1Line> lines(const std::vector<std::string>& further_shared_bytes) const;
};

/// Reads KernelSpecification.ProblemSize into `properties` and `names`. Names of parameters are not used twice.
void read_t1_problem_size(const T1Node& specification, T1Names& names, std::vector<T1Property>& properties);

/// Reads LocalSize, GlobalSize, GlobalSizeType, GridDivX/Y/Z and SharedMemory. Where one of GridDivX/Y/Z is given, the
/// grid is ProblemSize (or else GlobalSize) divided by the product of its factors, or by the block's size where a
/// dimension has none; otherwise it is GlobalSize, in blocks (CUDA) or threads (OpenCL).
T1Launch read_t1_launch(const T1Node& specification, const T1Names& names);

}  // namespace tuner
