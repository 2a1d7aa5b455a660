#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/cli/terminal/exit_code.hpp"

namespace tuner::cli {

/// One thing that tuning, a program with tuned kernels, or `tuner capture` needs; found or not.
struct Finding {
  /// What goes without it.
  enum class Costs {
    tuning,
    results,   ///< results are printed and not stored
    binaries,  ///< winners are compiled again when they are needed
    programs,  ///< of those that use the library, some find or compile less
    watching,  ///< `tuner capture` sees no kernels, and hardware counters are not read; tuning goes on
  };
  std::string what;
  Costs costs = Costs::tuning;
  bool found = true;
  std::string text;     ///< one line: what was found; or what is wrong and what to do about it
  std::string command;  ///< that does it, for a shell; empty if found
  ExitCode code = ExitCode::done;
  bool is_damaged = false;  ///< a database that tuning replaces by itself
};

/// Looks at all of it, and changes nothing. `chosen`: what --db names, or empty. Loads NVRTC, CUPTI and the driver,
/// starts worker and engine once, and reads the databases whole.
std::vector<Finding> look_at_everything(const std::filesystem::path& chosen);

}  // namespace tuner::cli
