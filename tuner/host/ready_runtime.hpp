#pragma once

#include <span>
#include <string_view>

#include "tuner/host/program.hpp"

namespace tuner::host {

/// What a compiler is told that compiles Program::runtime().
std::span<const char* const> runtime_flags();

/// The object file that comes of it, where `version` (Compiler::version()) is that of the compiler which compiled the
/// tuner; empty otherwise. Other compilers may bring another standard library.
std::string_view ready_runtime(Flavour flavour, std::string_view version);

}  // namespace tuner::host
