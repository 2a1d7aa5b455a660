#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace tuner {

/// The programs that only the tuner starts.
inline constexpr std::string_view kWorkerProgram = "tuner-worker";
inline constexpr std::string_view kEngineProgram = "tuner-engine";
/// The role in which either of them sends one message, of this type too, and ends.
inline constexpr std::string_view kHello = "hello";

/// Where the program may be, in the order tried: $TUNER_LIBEXEC alone if it is set; else beside this library or
/// program, in ../libexec/tuner from there, at the same distance as in the installed tree (which moves as a whole),
/// where it was to be installed. A build folder is laid out like the installed tree.
std::vector<std::filesystem::path> program_candidates(std::string_view name);

/// The first candidate that can be executed. Throws Error{no_worker} that lists them if there is none.
std::filesystem::path find_program(std::string_view name);
std::filesystem::path find_worker_program();
/// The same, started: so its libraries are there, and it is of this build. Throws Error{no_worker} if not. Takes some
/// milliseconds.
std::filesystem::path find_answering_program(std::string_view name);

}  // namespace tuner
