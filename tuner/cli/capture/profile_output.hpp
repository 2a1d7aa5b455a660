#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/capture/profile.hpp"

namespace tuner::cli {

/// What a program did on the GPU, as docs/json.md says.
nlohmann::ordered_json profile_json(const capture::Profile& profile, const std::vector<std::string>& command);
std::string profile_text(const capture::Profile& profile);
/// "1 launch", "1,234 launches".
std::string launches_text(std::uint64_t count);
void warn_of_troubles(const capture::Profile& profile);

}  // namespace tuner::cli
