#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/host/cases.hpp"
#include "tuner/host/host_options.hpp"
#include "tuner/host/jobs.hpp"
#include "tuner/host/outcome.hpp"

namespace tuner::host {

/// What became of cases that were to run.
struct Execution {
  std::vector<CaseOutcome> outcomes;  ///< by position in `numbers`
  std::vector<std::string> lost;      ///< sentences on runs that did not take place because a program ended too early
};

/// Of the folder for what is made: what write_inputs writes, and what a run said that did not end well.
inline constexpr const char* kInputsFile = "inputs";
std::filesystem::path report_of(const std::filesystem::path& folder, Flavour flavour, std::size_t position);

/// Runs these cases in the compiled program, in as many processes at once as the limits say. Each configuration is on
/// its own: what ends one costs the others nothing. Throws Error{bad_usage} if the folder cannot be written to.
Execution execute(const Cases& cases, const std::vector<std::size_t>& numbers, Flavour flavour,
                  const std::filesystem::path& program, const std::filesystem::path& folder, const HostOptions& options,
                  const JobLimits& limits);

}  // namespace tuner::host
