#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace tuner {

/// The folders of the control groups, of both versions, that limit a process: its own and all above. `root` is where
/// they are mounted, `self` the text of /proc/self/cgroup, `controller` "cpu" or "memory". Not all of them exist: a
/// container sees its own group as the root.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root, std::string_view self,
                                                  std::string_view controller);

}  // namespace tuner
