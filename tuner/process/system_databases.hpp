#pragma once

#include <filesystem>
#include <vector>

namespace tuner {

/// Where a site keeps decisions for all its users without their asking, in the order of looking: decisions.db in
/// /etc/tuner, for one machine, and share/tuner/system.db of the installed tree that this code is in, for all that use
/// the tree. Whether they exist is for the caller to find out.
std::vector<std::filesystem::path> site_databases();

/// The databases that are read after the user's own, as cache::locate takes them, in the order of asking: those that
/// TUNER_SYSTEM_DB names, with colons between, whether they exist or not; then each of `site_databases` that exists.
/// None in programs with the rights of another, which name theirs themselves (tuner/ground/file_variable.hpp). Looks at
/// two names on disk; opens nothing.
std::vector<std::filesystem::path> system_databases();

}  // namespace tuner
