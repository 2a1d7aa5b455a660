#pragma once

#include <string>

#include "cache/file/hash.hpp"
#include "tuner/sources/device_compile/device_command.hpp"
#include "tuner/sources/device_compile/limited_run.hpp"

namespace tuner::sources {

/// Which nvcc a command runs.
struct NvccVersion {
  std::string number;  ///< "13.0.88"
  std::string text;    ///< all of `nvcc --version`: the build, too
};

/// Starts the command's compiler once, with `--version`: some ten milliseconds. Throws as run_limited does, and
/// Error{bad_usage} where it does not answer as nvcc does.
NvccVersion nvcc_version(const CompilerCommand& recorded, const RunLimits& limits = {});

/// Of what decides the machine code beside the source and its headers, and what is linked with it: version, options,
/// folder, environment. Two commands with one key compile a source to the same code.
cache::Hash compiler_key(const NvccVersion& version, const DeviceCommand& device);

}  // namespace tuner::sources
