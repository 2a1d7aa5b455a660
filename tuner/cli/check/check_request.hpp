#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/terminal/exit_code.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/nvcc_lane.hpp"

namespace tuner::cli {

class ProgressLine;

inline constexpr std::uint64_t kMostConfigurations = 100000;

/// What `tuner check` was asked for.
struct CheckRequest {
  std::shared_ptr<const KernelDescription> description;
  std::vector<ProblemValues> problems;      ///< none: derived
  std::vector<std::string> configurations;  ///< none: picked
  std::vector<std::string> where;
  std::vector<std::filesystem::path> include_folders;
  std::size_t most = 120;    ///< with --compile the maximum stands for all
  std::string architecture;  ///< with --compile; empty: that of the GPU
  std::optional<std::chrono::milliseconds> budget;
  std::uint64_t seed = 0;
  int device = 0;
  int workers = 1;
  std::uint64_t compile_memory = 0;                ///< bytes a compile process; 0: the pool's own limit
  std::optional<engine::RecordedSource> recorded;  ///< how the program's build compiles the file
  bool json = false;
};

/// Configurations to check: the baseline, then those in which all pairs of parameter values stand; or the ones that
/// were named. Throws Error{bad_usage, bad_problem, empty_space}.
std::vector<std::string> picked_configurations(const CheckRequest& request, const ProblemValues& problem,
                                               const DeviceInfo& device);
std::vector<search::Configuration> picked_configurations(const CheckRequest& request, const Task& task);

// One file each.
ExitCode check_on_cpu(const CheckRequest& request, const std::atomic<bool>& stop);
ExitCode check_on_gpu(const CheckRequest& request, const std::atomic<bool>& stop);
ExitCode check_by_compiling(const CheckRequest& request, const std::atomic<bool>& stop);

}  // namespace tuner::cli
