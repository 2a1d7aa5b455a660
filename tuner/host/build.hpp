#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/host/compiler.hpp"
#include "tuner/host/host_options.hpp"
#include "tuner/host/program.hpp"
#include "tuner/host/reports.hpp"

namespace tuner::host {

/// Compiles variants, several in a file, and links them. What does not compile is left out, with the reason.
class Build {
 public:
  struct Failure {
    std::vector<int> variants;
    Unchecked why;
  };

  Build(const Program& program, const Compiler& compiler, const std::vector<VariantSource>& variants,
        const HostOptions& options, const JobLimits& limits, const KnownFiles& files);

  /// The first `most` variants, as far as they are compiled at `until`; memory before threads. False if nothing can
  /// run, or if it was told to stop. Throws Error{no_toolkit} if the compiler cannot compile what is around every
  /// kernel.
  bool run(Flavour flavour, std::size_t most, std::chrono::steady_clock::time_point until);
  bool compiled(Flavour flavour, int variant) const { return object_of(flavour)[static_cast<std::size_t>(variant)]; }
  std::filesystem::path program(Flavour flavour) const;
  const std::vector<Failure>& failures() const { return failures_; }

 private:
  struct Unit {
    std::vector<VariantSource> variants;
    std::filesystem::path source, object;
  };

  const std::vector<bool>& object_of(Flavour flavour) const { return compiled_[flavour == Flavour::memory ? 0 : 1]; }
  /// What is to be done for the part that is the same for all kernels.
  std::vector<Job> runtime_jobs(Flavour flavour);
  Unit make_unit(Flavour flavour, std::vector<VariantSource> variants);
  /// Compiles the units and whatever `others` are; those that failed, or nothing if one of the others did.
  std::optional<std::vector<Unit>> compile(Flavour flavour, const std::vector<Unit>& units, std::vector<Job> others,
                                           std::vector<std::filesystem::path>& objects,
                                           std::chrono::steady_clock::time_point until);
  void note(const Unit& unit, const Job& job);
  /// False where the jobs before `count`, which everything else needs, did not succeed; says why.
  bool succeeded(Flavour flavour, const std::vector<Job>& jobs, std::size_t count);
  /// Throws Error{no_toolkit} where the compiler has no assembler or linker: nothing can be checked then.
  void require_whole_compiler(const std::vector<Job>& jobs) const;
  std::string compiler_name() const { return "The C++ compiler (" + compiler_.version() + ")"; }

  const Program& program_;
  const Compiler& compiler_;
  const std::vector<VariantSource>& variants_;
  const HostOptions& options_;
  const JobLimits& limits_;
  const KnownFiles& files_;
  std::vector<bool> compiled_[2];
  std::vector<std::filesystem::path> runtime_;  ///< objects; that of the first flavour belongs to both programs
  bool links_ready_ = true;                     ///< until it turns out that what is ready cannot be linked here
  std::vector<Failure> failures_;
  int units_ = 0;
};

}  // namespace tuner::host
