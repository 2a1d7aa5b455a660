#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/host/cases.hpp"
#include "tuner/host/compare.hpp"
#include "tuner/host/finding.hpp"
#include "tuner/host/host_options.hpp"
#include "tuner/host/outcome.hpp"

namespace tuner::host {

/// What is right on a problem: what `options` expects, else what the reference computed and files hold. `by_case`:
/// outcomes in their final order, null where a case did not run. Nothing if the reference has no result.
std::optional<Expected> expected_on(const HostProblem& problem, const std::vector<const CaseOutcome*>& by_case,
                                    const HostOptions& options);

/// What comparing with the reference says nothing of.
struct ReferenceGaps {
  struct Gap {
    Finding finding;
    std::size_t shown_by = 0;  ///< a case
  };
  std::vector<Gap> gaps;
  std::vector<std::string> notes;  ///< gaps that are nobody's mistake
};

/// Elements that the reference leaves unwritten. `expected`: by problem.
ReferenceGaps unwritten_by_reference(const KernelDescription& description, const Cases& cases,
                                     const std::vector<std::optional<Expected>>& expected);
/// Outputs with which a kernel agrees that computes nothing.
ReferenceGaps unproven_by_reference(const Cases& cases, const std::vector<std::optional<Expected>>& expected);

}  // namespace tuner::host
