#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/attack/chance.hpp"

namespace tuner::attack {

/// A job of somebody who wants to know which files there are on the machine that works it off.
struct HostileJob {
  std::string source;
  std::vector<std::pair<std::string, std::string>> headers, data;  ///< name and content
  std::vector<std::string> options;                                ///< that stand in the source, too
  std::string problem;
};

/// The name of the files that are planted, in more than one folder.
inline constexpr const char* kPlanted = "planted.cuh";

/// The same job for the same choices. It asks for files of `sandbox`, by any way to write their names.
HostileJob hostile_job(Chance& chance, const std::filesystem::path& sandbox);

}  // namespace tuner::attack
