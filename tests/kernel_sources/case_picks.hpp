#pragma once

#include <vector>

#include "tests/kernel_sources/case_list.hpp"
#include "tuner/host/check.hpp"

namespace tuner::host {

inline constexpr std::size_t kMostConfigurations = 120;

/// The configurations that a list names, each with its problems: at most 120, so that every pair of parameter values is
/// there; or the whole space. Throws std::runtime_error if the pairs do not fit.
std::vector<Pick> picks_of(const std::shared_ptr<const KernelDescription>& description, const CaseList& list,
                           const DeviceInfo& device, bool whole_space);

}  // namespace tuner::host
