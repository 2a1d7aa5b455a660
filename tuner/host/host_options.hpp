#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/host/finding.hpp"

namespace tuner::host {

/// A configuration and the problems to run it on.
struct Pick {
  std::string configuration;  ///< text, parameters left out are at their defaults
  std::vector<ProblemValues> problems;
};

/// The content of the outputs that a kernel is expected to write, in signature order. `arguments` are those of the
/// task, `contents` what each holds before the launch (empty for scalars).
using Expectation =
    std::function<std::vector<std::vector<std::byte>>(const Task& task, const std::vector<BoundArgument>& arguments,
                                                      const std::vector<std::vector<std::byte>>& contents)>;

struct HostOptions {
  DeviceInfo device;  ///< whose limits count
  std::vector<std::filesystem::path> include_folders;
  Expectation expected;                             ///< none: the kernel's reference, or its baseline
  bool races = true;                                ///< look for races; costs about as much as the rest
  std::size_t most_for_races = 1000;                ///< configurations that are looked at for races, from the first
  int jobs = 1;                                     ///< compilers and programs at the same time
  bool small_problems = false;                      ///< all are so small that what goes on for long does not end
  std::chrono::seconds limit{10};                   ///< of a core, for one configuration on one problem, all runs
  std::optional<std::chrono::milliseconds> budget;  ///< for everything; then the rest is left out, and that is said
  std::uint64_t seed = 0;                           ///< of the inputs
  std::uint64_t memory = 0;  ///< bytes that compilers and programs may hold together; 0: what is free, less a quarter
  const std::atomic<bool>* stop = nullptr;
  /// "compiling", 3, 12
  std::function<void(std::string_view phase, std::size_t done, std::size_t all)> progress;
};

/// What checking a kernel on the CPU showed.
struct HostResult {
  std::size_t configurations = 0;  ///< that ran
  std::size_t problems = 0;        ///< different ones
  std::size_t cases = 0;           ///< configurations times the problems each ran on
  std::size_t raced = 0;           ///< configurations that were looked at for races
  std::vector<Finding> findings;   ///< one for each place and class
  std::vector<Unchecked> unchecked;
  std::vector<std::string> notes;  ///< what was left out that could not have shown a mistake
  std::string compiler;
  double compile_s = 0, run_s = 0;
  bool interrupted = false;
};

}  // namespace tuner::host
