#pragma once

#include <memory>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/host/host_options.hpp"

namespace tuner::host {

/// Compiles the kernel for the CPU in these configurations and runs it, under sanitizers, in several orders of threads
/// and over differently poisoned memory. What is wrong with the kernel is a finding. Throws Error{no_toolkit}: no
/// compiler; bad_problem, bad_usage, bad_description: what was asked makes no sense, there is no folder for what is
/// made, or the kernel takes something else than is described. Ends every process that it started and every child that
/// this process has: for programs that have no others.
HostResult check_on_host(std::shared_ptr<const KernelDescription> description, const std::vector<Pick>& picks,
                         const HostOptions& options);

}  // namespace tuner::host
