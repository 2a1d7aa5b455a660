#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/core/task/unproven.hpp"
#include "tuner/host/finding.hpp"
#include "tuner/host/outcome.hpp"

namespace tuner::host {

/// What the outputs of one problem should be.
struct Expected {
  std::vector<std::vector<std::byte>> outputs;  ///< by output
  /// By output: bit i % 32 of word i / 32 says that element i is left unwritten by the reference, too. Empty: none is.
  std::vector<std::vector<std::uint32_t>> unwritten;
};

/// The bytes of each output, in signature order.
std::vector<std::size_t> output_sizes(const std::vector<BoundArgument>& arguments);

/// Puts elements whose order is free in ascending order, with zeros behind those that count. `outputs`: the bytes of
/// each output.
void put_in_order(const std::vector<std::span<std::byte>>& outputs, const std::vector<BoundArgument>& arguments);
/// The same in all runs of a case.
void put_in_order(CaseOutcome& outcome, const std::vector<BoundArgument>& arguments);

/// What a reference that ran as a case itself computed.
Expected expected_of(const CaseOutcome& reference, const std::vector<BoundArgument>& arguments);

/// What the reference leaves unwritten of each output.
std::vector<NotCompared> not_compared(const Expected& expected, const std::vector<BoundArgument>& arguments);

/// How many elements of each output are compared.
std::vector<std::pair<const BoundArgument*, std::uint64_t>> compared(const Expected& expected,
                                                                     const std::vector<BoundArgument>& arguments);

/// The outputs with which a kernel agrees that computes nothing, but for those declared `trivial`, and those with
/// elements that are not numbers. `contents`: what each argument held before.
std::vector<Unproven> unproven(const Expected& expected, const std::vector<BoundArgument>& arguments,
                               const std::vector<std::vector<std::byte>>& contents);

/// What is wrong with the outputs of a case that ended: unwritten, wrong, or not the same in all runs. Only the most
/// telling is reported for each output. `expected` may be null.
std::vector<Finding> compare_outputs(const CaseOutcome& outcome, const std::vector<BoundArgument>& arguments,
                                     const Expected* expected, bool deterministic);

}  // namespace tuner::host
