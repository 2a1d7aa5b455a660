#include "tuner/process/usable_cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace tuner {
namespace {

std::optional<std::string> contents(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::optional<double> ratio(const std::string& quota, const std::string& period) {
  char* end = nullptr;
  const double allowed = std::strtod(quota.c_str(), &end);
  if (end == quota.c_str() || allowed <= 0) return std::nullopt;  // "max" in v2, -1 in v1: no limit
  const double span = std::strtod(period.c_str(), &end);
  if (end == period.c_str() || span <= 0) return std::nullopt;
  return allowed / span;
}

std::optional<double> quota_in(const std::filesystem::path& folder) {
  if (const auto text = contents(folder / "cpu.max")) {
    std::istringstream words(*text);
    std::string quota, period;
    words >> quota >> period;
    return ratio(quota, period);
  }
  const auto quota = contents(folder / "cpu.cfs_quota_us");
  const auto period = contents(folder / "cpu.cfs_period_us");
  if (quota && period) return ratio(*quota, *period);
  return std::nullopt;
}

// The tightest quota of the group at `path` below `mount` and of every group above it.
std::optional<double> tightest(const std::filesystem::path& mount, std::filesystem::path path) {
  std::optional<double> result;
  while (true) {
    if (const auto quota = quota_in(mount / path.relative_path())) result = std::min(result.value_or(*quota), *quota);
    if (!path.has_relative_path()) return result;
    path = path.parent_path();
  }
}

int local_ranks() {
  for (const char* name :
       {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "MV2_COMM_WORLD_LOCAL_SIZE", "SLURM_NTASKS_PER_NODE"}) {
    if (const char* text = std::getenv(name)) return std::max(1, std::atoi(text));
  }
  return 1;
}

}  // namespace

std::optional<int> cgroup_cores(const std::filesystem::path& root, std::string_view self) {
  std::optional<double> quota;
  std::istringstream lines{std::string(self)};
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/path" in v1, "0::/path" in v2
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path path = line.substr(second + 1);
    if (path.string().find("..") != std::string::npos) continue;  // outside this cgroup namespace
    for (const char* mount : {"", "cpu", "cpu,cpuacct"}) {
      if ((*mount == '\0') != controllers.empty()) continue;
      if (!controllers.empty() && ("," + controllers + ",").find(",cpu,") == std::string::npos) continue;
      if (const auto found = tightest(root / mount, path)) quota = std::min(quota.value_or(*found), *found);
    }
  }
  if (!quota) return std::nullopt;
  return std::max(1, static_cast<int>(std::ceil(*quota)));
}

int usable_cores() {
  const int online = static_cast<int>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));
  int cores = online;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) cores = std::max(1, CPU_COUNT(&set));
  const bool bound = cores < online;
  if (const auto text = contents("/proc/self/cgroup")) {
    if (const auto allowed = cgroup_cores("/sys/fs/cgroup", *text)) cores = std::min(cores, *allowed);
  }
  return bound ? cores : std::max(1, cores / local_ranks());
}

}  // namespace tuner
