#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/capture/profile.hpp"

namespace tuner::capture {

/// One launch of a kernel to be stored.
struct WantedLaunch {
  std::uint64_t ordinal = 1;         ///< from 1; among the launches of its shape, if that is given, else among all
  std::optional<LaunchShape> shape;  ///< of which grid, block and dynamic shared memory count
  bool operator==(const WantedLaunch&) const = default;
};

struct WantedKernel {
  std::string name;                    ///< mangled
  std::uint64_t limit = 0;             ///< bytes of memory that a launch may take
  std::chrono::nanoseconds longest{};  ///< that a launch of it took
  std::vector<WantedLaunch> launches;
};

/// As the injected library reads it (kWantedVariable).
std::string wanted_text(const WantedKernel& kernel);

/// Of each of the shapes that carry the most time, at most so many, the launch in the middle: the first may find a
/// program that has hardly begun. None where graphs alone launch the kernel.
std::vector<WantedLaunch> most_costly_launches(const KernelProfile& kernel, std::size_t most);

/// The kernel that `name` means: its mangled name, its name with template arguments or parameters, or without either if
/// that is clear. Throws Error{bad_usage} with the kernels there are.
const KernelProfile& find_kernel(std::span<const KernelProfile> kernels, const std::string& name);

}  // namespace tuner::capture
