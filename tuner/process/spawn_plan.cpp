#include "tuner/process/spawn_plan.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "tuner/ground/file_variable.hpp"

namespace tuner {

SpawnPlan::SpawnPlan() noexcept {
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
}

SpawnPlan::~SpawnPlan() {
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
}

std::vector<std::string> merged_environment(const std::vector<std::string>& additions) {
  // A child of a set-id program may not know any more that it is one.
  const auto may_pass = [is_strange = has_rights_of_another()](std::string_view name) {
    return !is_strange || name == "CUDA_VISIBLE_DEVICES=" || name == "CUDA_DEVICE_ORDER=";
  };
  std::vector<std::string> result = additions;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::string_view name = text.substr(0, text.find('=') + 1);
    const bool replaced = std::any_of(additions.begin(), additions.end(),
                                      [&](const std::string& added) { return added.starts_with(name); });
    if (!replaced && may_pass(name)) result.emplace_back(text);
  }
  return result;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace tuner
