#pragma once

#include <span>
#include <string_view>

#include "tuner/error.hpp"

namespace tuner::cli {

/// How every command ends. Scripts rely on the numbers: never renumber.
enum class ExitCode : int {
  done = 0,           ///< what was asked for was done
  no_result = 1,      ///< nothing usable was found: every candidate failed, or nothing is stored that was asked for
  bad_input = 2,      ///< the command line, a kernel file, a problem or a recording is wrong, or the space is empty
  no_device = 3,      ///< no driver or no GPU
  no_toolkit = 4,     ///< the CUDA toolkit, or the worker program that uses it, was not found
  store = 5,          ///< the database cannot be used: permissions, disk, lock, damage, newer format
  device_failed = 6,  ///< the GPU was lost, or the baseline failed to run
  busy = 7,           ///< another process tunes the same, or on the same GPU, and waiting was not wanted
  slower = 8,         ///< `compare`: the second is slower
  undecided = 9,      ///< `compare`: the time was spent before that was known
  internal = 70,      ///< a bug in this program
  shortage = 71,      ///< too little memory, or too few threads, processes or open files
  interrupted = 130,  ///< stopped by Ctrl-C or a termination signal; what `tune` measured is kept
};

ExitCode exit_code_for(Errc code);

struct ExitCodeText {
  ExitCode code;
  std::string_view text;
};
/// For help texts, in order.
std::span<const ExitCodeText> exit_code_texts();

}  // namespace tuner::cli
