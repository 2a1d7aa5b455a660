#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner {

/// Whether the description says which sizes its kernel accepts: every `size` property stands in a problem_constraint.
/// Without that nobody knows whether a failure at another size is a fault.
bool declares_domain(const KernelDescription& description);

/// Whether files alone say what is right, for one problem: outputs are expected as they hold them, and no kernel is
/// named that could compute others.
bool needs_expected_files(const KernelDescription& description);

struct AwkwardOptions {
  std::size_t most = 6;  ///< problems
  /// "Smaller than a block" is one less than this.
  std::uint32_t block = 128;
  std::vector<std::filesystem::path> include_folders;
};

/// The task at sizes that kernels get wrong: all sizes one less, one more; one of them smaller than a block, or a
/// prime; all of them tiny. Where the declared domain excludes such a size, the nearest one that it accepts stands in.
/// Only problems at which all of `configurations` are valid and have a launch, that take no more memory than about the
/// tuned one, and that every data file fits. Empty without a declared domain, and where needs_expected_files(). The
/// tasks' spaces are empty: they are for the configurations at hand.
std::vector<Task> awkward_problems(const Task& task, std::span<const search::Configuration> configurations,
                                   const AwkwardOptions& options);

}  // namespace tuner
