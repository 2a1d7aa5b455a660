#pragma once

#include <string>
#include <vector>

#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/sources/from_capture/captured_kernel.hpp"

namespace tuner::sources {

struct CapturedVariables {
  std::vector<std::string> lines;  ///< `constant` directives without `#pragma tuner`
  std::vector<DataPart> data;
};

/// The variables of the kernel's module that its source names. Throws Error{bad_description} with one in global memory
/// that the kernel may use, unless it held zeros and is not written.
CapturedVariables captured_variables(const CapturedKernel& kernel, const KernelSkeleton& skeleton,
                                     const std::string& folder);

}  // namespace tuner::sources
