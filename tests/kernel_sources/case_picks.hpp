#pragma once

#include <filesystem>
#include <vector>

#include "tests/kernel_sources/case_list.hpp"
#include "tuner/host/check.hpp"

namespace tuner::host {

/// The configurations that a list names, each with its problems: at most 120, so that every pair of parameter values is
/// there, those with most new pairs first; or the whole space. Throws std::runtime_error if the pairs do not fit.
std::vector<Pick> picks_of(const std::shared_ptr<const KernelDescription>& description, const CaseList& list,
                           const DeviceInfo& device, bool whole_space);

/// The configurations that a list has by name ("also"), and those of a study in bench/kernels, on the sizes of the
/// list. Of the constants, those that a study's line gives are as it says, and the others at their defaults.
std::vector<Pick> named_picks(const std::shared_ptr<const KernelDescription>& description, const CaseList& list,
                              const DeviceInfo& device, const std::filesystem::path& study);

}  // namespace tuner::host
