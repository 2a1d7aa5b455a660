#pragma once

#include "tuner/engine/compile/compile.hpp"
#include "tuner/sources/device_compile/limited_run.hpp"

namespace tuner::engine {

/// Compiles a request that has an NvccSource: its text takes the place of the command's source, whose folder is where
/// its headers are looked for first. Starts nvcc and waits for it, a second and more. Whatever goes wrong is the
/// reply's outcome, also that the command cannot be run again for the device.
CompileReply compile_with_nvcc(const CompileRequest& request, const sources::RunLimits& limits);

}  // namespace tuner::engine
