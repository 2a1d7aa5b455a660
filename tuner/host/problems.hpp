#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/core/task/task.hpp"

namespace tuner::host {

/// Problems that are quick to run on the CPU and that kernels get wrong: sizes of 0, 1, a prime, a block and one more,
/// and unequal ones, as far as the description accepts them for its baseline. Properties that are no sizes have their
/// defaults, or a fraction of them where nothing else is quick enough; if nothing is, the least of what takes seconds
/// is given. Throws Error{bad_problem} where one has none, or no such problem is accepted, with the constraint that is
/// in the way: then only the user knows one.
std::vector<ProblemValues> small_problems(const std::shared_ptr<const KernelDescription>& description,
                                          const DeviceInfo& device,
                                          const std::vector<std::filesystem::path>& include_folders);

/// The default problem, where files say what is right: they do for no other. Nothing where none does, or it has no
/// defaults.
std::optional<ProblemValues> problem_of_files(const KernelDescription& description);

}  // namespace tuner::host
