#include "tuner/process/usable_memory.hpp"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>

#include "tuner/process/control_groups.hpp"

namespace tuner {
namespace {

std::uint64_t number_in(const std::filesystem::path& file) {
  std::uint64_t number = 0;
  std::ifstream(file) >> number;  // "max" is 0, too
  return number;
}

/// The sum of what lines of the kind "NAME 123" say of these names.
std::uint64_t sum_in(const std::filesystem::path& file, std::initializer_list<std::string_view> names) {
  std::ifstream lines(file);
  std::uint64_t sum = 0, number = 0;
  for (std::string name, unit; lines >> name >> number; std::getline(lines, unit)) {
    if (std::find(names.begin(), names.end(), name) != names.end()) sum += number;
  }
  return sum;
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::uint64_t usable_memory(const std::filesystem::path& root) {
  constexpr std::uint64_t kKilobyte = 1024, kLeast = std::uint64_t{1} << 30;
  constexpr auto kUnknown = std::numeric_limits<std::uint64_t>::max();
  const auto known = [](std::uint64_t bytes) { return bytes == 0 ? kUnknown : bytes; };
  const std::filesystem::path meminfo = root / "proc/meminfo";
  std::uint64_t all = known(sum_in(meminfo, {"MemTotal:"}) * kKilobyte);
  std::uint64_t free = known(sum_in(meminfo, {"MemAvailable:"}) * kKilobyte);
  // In a group of either version. Files that it has read count as used, and give way.
  const auto within = [&](std::uint64_t limit, std::uint64_t used, std::uint64_t of_files) {
    if (limit == 0) return;
    used -= std::min(used, of_files);
    all = std::min(all, limit);
    free = std::min(free, limit - std::min(limit, used));
  };
  for (const auto& group : control_groups(root / "sys/fs/cgroup", text_of(root / "proc/self/cgroup"), "memory")) {
    within(number_in(group / "memory.max"), number_in(group / "memory.current"),
           sum_in(group / "memory.stat", {"inactive_file", "active_file"}));
    within(number_in(group / "memory.limit_in_bytes"), number_in(group / "memory.usage_in_bytes"),
           sum_in(group / "memory.stat", {"total_inactive_file", "total_active_file"}));
  }
  return std::max(free / 4 * 3, std::min(all / 4 * 3, kLeast));
}

}  // namespace tuner
