#pragma once

#include <cstdint>
#include <string>

#include "tuner/cli/terminal/arguments.hpp"

namespace tuner::cli {

inline constexpr const char* kCompileMemory = "compile-memory";

/// The option, for a command that compiles. `prefix` begins its help.
Option compile_memory_option(const std::string& prefix = {});

/// Its value in bytes; 0: not given. Throws Error{bad_usage}.
std::uint64_t compile_memory(const Arguments& arguments);

}  // namespace tuner::cli
