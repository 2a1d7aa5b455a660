#pragma once

#include <filesystem>
#include <vector>

namespace tuner {

/// Where the worker program may be, in the order tried: $TUNER_LIBEXEC alone if it is set; else beside this library or
/// program, in ../libexec/tuner from there, where it was to be installed, where it was built.
std::vector<std::filesystem::path> worker_program_candidates();

/// The first candidate that can be executed. Throws Error{no_worker} that lists them if there is none.
std::filesystem::path find_worker_program();

}  // namespace tuner
