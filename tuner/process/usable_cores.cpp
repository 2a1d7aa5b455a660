#include "tuner/process/usable_cores.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "tuner/process/control_groups.hpp"

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
  for (const std::filesystem::path& group : control_groups(root, self, "cpu")) {
    if (const auto found = quota_in(group)) quota = std::min(quota.value_or(*found), *found);
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
