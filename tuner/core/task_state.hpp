#pragma once

#include <mutex>

#include "tuner/core/task.hpp"

namespace tuner {

/// What a Task knows; shared by the files that implement it.
struct Task::State {
  std::shared_ptr<const KernelDescription> kept;
  const KernelDescription& description;
  DeviceInfo device;
  ProblemValues problem;
  std::vector<std::string> where;
  std::vector<QuotedHeader> headers;
  std::string kernel_identity;
  search::Space space;
  std::vector<BoundArgument> arguments;
  mutable std::once_flag looked_at_files;
  mutable std::vector<BoundArgument> arguments_with_data;

  State(std::shared_ptr<const KernelDescription> description, const ProblemValues& problem, const DeviceInfo& device,
        const std::vector<std::string>& where, const std::vector<std::filesystem::path>& include_folders,
        search::Listing listing);
};

}  // namespace tuner
