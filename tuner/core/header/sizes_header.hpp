#pragma once

#include <string>

#include "tuner/core/sizes/sizes.hpp"

namespace tuner {

struct SizesHeaderRequest {
  std::string name_space = "tuned";  ///< NAME or NAME::NAME
  std::string date;                  ///< for a comment
};

/// The rule as a C++17 header that includes nothing but <cstdint>: an array of configurations and a constexpr function
/// `choose`, which takes the properties in the order of their names and returns an index, or `not_covered` wherever
/// search::Rule::choose gives nothing. Throws Error{bad_usage} if it cannot be written: a name that is none in C++, an
/// expression that needs more than arithmetic (log2, sqrt, the remainder of reals).
std::string sizes_header(const KernelSizes& sizes, const SizesHeaderRequest& request);

}  // namespace tuner
