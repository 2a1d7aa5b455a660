#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/sources/from_capture/captured_kernel.hpp"

namespace tuner::sources {

/// What a kernel was given, as directives without `#pragma tuner`.
struct CapturedArguments {
  std::map<std::string, std::int64_t> sizes;  ///< properties of the problem
  std::vector<std::string> lines;             ///< in, out, inout, scalar, value; in the order of the signature
  std::vector<DataPart> data;
};

/// `folder` is what the files of data are named in. Loads what outputs held. Throws Error{bad_description} with the
/// parameter that no description can give.
CapturedArguments captured_arguments(const CapturedKernel& kernel, const KernelSkeleton& skeleton,
                                     const std::string& folder);

}  // namespace tuner::sources
