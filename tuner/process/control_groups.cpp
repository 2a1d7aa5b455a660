#include "tuner/process/control_groups.hpp"

#include <fmt/format.h>

#include <sstream>
#include <string>

namespace tuner {

std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root, std::string_view self,
                                                  std::string_view controller) {
  std::vector<std::filesystem::path> groups;
  std::istringstream lines{std::string(self)};
  for (std::string line; std::getline(lines, line);) {  // "4:cpu,cpuacct:/path" in v1, "0::/path" in v2
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::filesystem::path path = line.substr(second + 1);
    if (path.string().find("..") != std::string::npos) continue;  // outside this cgroup namespace
    const auto is_of = [](std::string_view list, std::string_view name) {
      return fmt::format(",{},", list).find(fmt::format(",{},", name)) != std::string::npos;
    };
    if (!controllers.empty() && !is_of(controllers, controller)) continue;
    for (const std::string& mount : {std::string(controller), controllers}) {
      for (std::filesystem::path below = path.relative_path();; below = below.parent_path()) {
        groups.push_back(root / (controllers.empty() ? "" : mount) / below);
        if (below.empty()) break;
      }
    }
  }
  return groups;
}

}  // namespace tuner
