#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/ground/outcome.hpp"
#include "tuner/sources/device_compile/device_command.hpp"
#include "tuner/sources/device_compile/limited_run.hpp"

namespace tuner::sources {

/// What a compiler made of a source.
struct DeviceCode {
  Outcome outcome = Outcome::ok;  ///< as of LimitedRun
  std::string message;            ///< one sentence for failures: the compiler's first error, or what happened to it
  std::string log;                ///< all that it said, the first MiB
  std::vector<std::byte> cubin;
  double milliseconds = 0;
};

/// Runs a command, and links what it made with objects of the program's other sources, if it names any. Its temporary
/// files lie in a folder of their own, which is gone afterwards. Takes as long as nvcc: a second and more. Several may
/// run at once, each in a thread of its own. Throws as run_limited does, and Error{store_unavailable} where there can
/// be no folder.
DeviceCode compile_for_device(const DeviceCommand& command, const RunLimits& limits);

/// The first line of what nvcc, the compilers behind it or ptxas said that names an error; empty if none does.
std::string first_error(const std::string& log);

}  // namespace tuner::sources
