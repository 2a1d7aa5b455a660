#pragma once

#include <spawn.h>

#include <string>
#include <vector>

namespace tuner {

/// What posix_spawn is told, but for the words.
struct SpawnPlan {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  SpawnPlan() noexcept;
  ~SpawnPlan();
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
};

/// The environment of this process with these "NAME=value", which replace the same names. A child of a set-id program
/// gets little more than them.
std::vector<std::string> merged_environment(const std::vector<std::string>& additions);

/// As posix_spawn takes words; valid as long as the texts.
std::vector<char*> pointers(std::vector<std::string>& texts);

}  // namespace tuner
