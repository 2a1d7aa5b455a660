#include "tuner/host/problems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tuner/error.hpp"

namespace tuner::host {
namespace {

constexpr std::size_t kMostProblems = 7;
constexpr double kMostBytes = 4 << 20;
constexpr double kMostThreads = 1 << 13;  // of the baseline; others have more
/// Of the only problem that there is, which T1 files have: seconds.
constexpr double kMostBytesOfOne = 1 << 28;
constexpr double kMostThreadsOfOne = 1 << 21;

/// Tried in this order; a kernel with more sizes than a row has takes its numbers again from the beginning.
constexpr std::array<std::array<std::int64_t, 3>, 16> kSizes{{{1, 1, 1},
                                                              {37, 41, 43},
                                                              {129, 3, 17},
                                                              {3, 130, 5},
                                                              {64, 64, 64},
                                                              {1000, 31, 2},
                                                              {0, 5, 7},
                                                              {2, 2, 2},
                                                              {8, 8, 8},
                                                              {16, 16, 16},
                                                              {32, 32, 32},
                                                              {128, 128, 128},
                                                              {256, 256, 256},
                                                              {512, 512, 512},
                                                              {1024, 1024, 1024},
                                                              {4096, 4096, 4096}}};

/// Whether it can be run here, quickly.
bool is_usable(const Task& task, bool is_only_one) {
  const std::optional<search::Configuration> baseline = task.baseline();
  if (!baseline) return false;
  const Geometry geometry = task.geometry(*baseline);
  double threads = 1, bytes = 0;
  for (int i = 0; i < 3; ++i) threads *= static_cast<double>(geometry.grid[i]) * geometry.block[i];
  for (const BoundArgument& argument : task.arguments())
    bytes += static_cast<double>(argument.length) * argument.lanes * static_cast<double>(size_of(argument.type));
  return threads <= (is_only_one ? kMostThreadsOfOne : kMostThreads) &&
         bytes <= (is_only_one ? kMostBytesOfOne : kMostBytes);
}

}  // namespace

std::vector<ProblemValues> small_problems(const std::shared_ptr<const KernelDescription>& description,
                                          const DeviceInfo& device,
                                          const std::vector<std::filesystem::path>& include_folders) {
  std::vector<std::string> names;
  for (const ProblemProperty& property : description->problem) {
    if (property.kind == ProblemProperty::Kind::size) names.push_back(property.name);
  }
  std::vector<ProblemValues> problems;
  std::string reason;
  for (const auto& row : kSizes) {
    if (problems.size() == kMostProblems || (names.empty() && !problems.empty())) break;
    ProblemValues values;
    for (std::size_t i = 0; i < names.size(); ++i) values[names[i]] = search::Value(row[i % row.size()]);
    try {
      const Task task(description, values, device, {}, include_folders, search::Listing::when_needed);
      if (!is_usable(task, names.empty())) continue;
    } catch (const Error& error) {
      reason = error.what();
      continue;
    }
    if (std::find(problems.begin(), problems.end(), values) == problems.end()) problems.push_back(std::move(values));
  }
  if (problems.empty() && names.empty() && reason.empty()) {
    throw Error(Errc::bad_problem,
                fmt::format("The problem of the kernel `{}` has no size that could be reduced, and takes long on a "
                            "CPU: describe a smaller one, or give it with --problem.",
                            description->kernel));
  }
  if (problems.empty()) {
    throw Error(Errc::bad_problem,
                fmt::format("No small problem for the kernel `{}` could be derived: give one with --problem.{}{}",
                            description->kernel, reason.empty() ? "" : " The last one that was tried: ", reason));
  }
  return problems;
}

}  // namespace tuner::host
