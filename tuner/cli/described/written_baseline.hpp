#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "tuner/sources/device_compile/limited_run.hpp"
#include "tuner/sources/from_capture/from_capture.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::cli {

/// What a program ran, and the source that makes it.
struct ProvedKernel {
  const sources::SourceOfBuild& source;
  std::span<const std::byte> module;
  std::string mangled;
  std::vector<std::filesystem::path> folders;  ///< of headers
};

struct WrittenBaseline {
  sources::CapturedDescription description;
  std::vector<std::string> fixed;  ///< constants without which the baseline is what ran
  std::string difference;  ///< in what it is not, whatever stays as it is: "other instructions"; empty if in nothing
};

/// A description whose baseline, as the program's nvcc compiles it, is the machine code that ran. `describe` makes one
/// in which these constants stay as they are. Starts nvcc once, and where that makes other code once more for each
/// constant. Throws as `describe` does, and Error{shortage}.
WrittenBaseline written_baseline(
    const ProvedKernel& kernel,
    const std::function<sources::CapturedDescription(const std::set<std::string>& fixed)>& describe,
    const sources::RunLimits& limits);

}  // namespace tuner::cli
