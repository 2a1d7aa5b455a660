#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tuner/core/skeleton/kernel_skeleton.hpp"
#include "tuner/sources/from_capture/captured_kernel.hpp"

namespace tuner::sources {

/// "filter::scale" and what stands between its `<` and `>`, as the source has them: namespaces without a name are left
/// out.
struct CapturedName {
  std::string name;
  std::vector<std::string> arguments;
};
/// Throws Error{bad_description} if no source can write that name.
CapturedName captured_name(const CapturedKernel& kernel);

/// Which part of a launch is written as the source computes it.
enum class LaunchText { all, grid_and_block, nothing };

/// `kernel`, `param`, `let`, `problem` of constants, `constraint`, then grid, block and shared: those of the source
/// with the numbers of the launch in them.
struct CapturedLaunch {
  std::string kernel;
  std::vector<std::string> lines;
  std::string launch;
};
CapturedLaunch captured_launch(const CapturedKernel& kernel, const CapturedName& name, const KernelSkeleton& skeleton,
                               LaunchText text);

}  // namespace tuner::sources
