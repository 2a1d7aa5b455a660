#pragma once

#include <atomic>
#include <filesystem>

#include "tuner/host/cases.hpp"

namespace tuner::host {

/// Asks the compiled program what its kernels and arrays in constant memory are, and holds that against the
/// description, for the baseline of each problem: other configurations may give a template other types. Throws
/// Error{bad_description} with the line of what does not agree. `folder` is for a file in between.
void check_signatures(const Cases& cases, const std::filesystem::path& program, const std::filesystem::path& folder,
                      const std::atomic<bool>* stop);

}  // namespace tuner::host
