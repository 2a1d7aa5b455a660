#pragma once

#include <string>
#include <vector>

#include "search/expression/value.hpp"
#include "tuner/core/t1/content.hpp"
#include "tuner/core/t1/node.hpp"

namespace tuner {

/// A directive, and what in the T1 file says it.
struct T1Line {
  std::string directive;
  std::string path;
};

/// A number that the file fixes and that a decision belongs to: `ProblemSize[0]`, a scalar argument.
struct T1Property {
  std::string name;
  search::Value value;
  std::string path;
};

struct T1Arguments {
  std::vector<T1Line> lines;
  std::vector<std::string> shared_bytes;  ///< expressions, of MemoryType Local
};

/// Reads KernelSpecification.Arguments and what is compared with which tolerance. Scalars become properties of the
/// problem where their names allow it, and are added to `properties`.
T1Arguments read_t1_arguments(const T1Node& specification, const T1Surroundings& around,
                              std::vector<T1Property>& properties);

}  // namespace tuner
