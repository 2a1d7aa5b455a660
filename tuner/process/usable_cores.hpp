#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace tuner {

/// How many cores this process may keep busy: its affinity, cut to its cgroup's quota (v1 and v2, all levels), shared
/// among the ranks of an MPI or Slurm job on this host if they are not bound to cores. At least 1.
int usable_cores();

/// Cores that the cgroup allows, rounded up; nothing if there is no quota. `root` is where cgroups are mounted, `self`
/// the text of /proc/self/cgroup.
std::optional<int> cgroup_cores(const std::filesystem::path& root, std::string_view self);

}  // namespace tuner
