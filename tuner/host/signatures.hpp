#pragma once

#include <filesystem>
#include <string>

#include "tuner/host/cases.hpp"
#include "tuner/host/jobs.hpp"

namespace tuner::host {

/// Asks the compiled program what its kernels and arrays in constant memory are, and holds that against the
/// description, for the baseline of each problem: other configurations may give a template other types. Throws
/// Error{bad_description} with the line of what does not agree. `folder` is for a file in between. Returns why the
/// program could not be asked: nothing can be run then; empty if it could.
std::string check_signatures(const Cases& cases, const std::filesystem::path& program,
                             const std::filesystem::path& folder, const JobLimits& limits);

}  // namespace tuner::host
