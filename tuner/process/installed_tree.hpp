#pragma once

#include <filesystem>

namespace tuner {

// Where this installed tree is. Its parts are at fixed distances from each other, so that it moves as a whole.

/// The folder of the library or program that this code is in, wherever the process has gone since; empty if the system
/// does not say (no /proc).
std::filesystem::path folder_of_this_code();
/// The folder of the program that runs; empty if the system does not say.
std::filesystem::path folder_of_this_program();

}  // namespace tuner
