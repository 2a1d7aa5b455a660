#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/sources/device_compile/limited_run.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::sources {

/// A kernel that a program ran.
struct RanKernel {
  std::span<const std::byte> module;  ///< the machine code that it was in
  std::string mangled;
  std::string name;  ///< as a source names it, without namespaces and arguments
};

struct SourceProof {
  std::optional<SourceOfBuild> proved;  ///< it gives the code that ran
  std::string sentence;                 ///< why none does; empty if one does
  /// What tells it from the build's others: the source, or what is made of it where a newer command compiles it, too.
  std::string name = {};
};

/// Compiles the build's sources for the device, one after the other, those that name the kernel first, until one gives
/// the kernel's code; of several commands for a source the last first. `only`: this one, absolute; empty: any. Takes as
/// long as nvcc for each. What cannot be compiled is passed over, and said where nothing else is to be said. Goes no
/// further when it is told to stop. Throws
/// Error{shortage}.
SourceProof prove_source(const std::vector<CompilerCommand>& build, const RanKernel& kernel,
                         const std::filesystem::path& only, const RunLimits& limits);

}  // namespace tuner::sources
