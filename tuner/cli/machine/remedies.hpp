#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tuner::cli {

// The command that closes a gap which `tuner doctor` finds, on this machine: one line for a shell. Each looks at files
// and variables only.

/// For a missing toolkit, or one without headers.
std::string toolkit_remedy();
/// For a missing CUPTI.
std::string cupti_remedy();
/// For a driver that is missing, does not start or finds no GPU. Where there is no GPU of NVIDIA's, a replay of a
/// recording that comes with the program.
std::string driver_remedy();
/// For tuner-worker or tuner-engine that is missing, cannot be started or is of another build.
std::string program_remedy(std::string_view name);

/// For a database of this user that cannot be used. `chosen`: what --db names, or empty.
std::string database_remedy(const std::filesystem::path& file, const std::filesystem::path& chosen);
std::string recovery_remedy(const std::filesystem::path& damaged);
/// For one whose contents are made again.
std::string deletion_remedy(const std::filesystem::path& damaged);
/// For a database of this user whose place is of no use. `chosen` as above.
std::string another_place(const std::filesystem::path& chosen);
/// For a file or folder that others could have changed, if a change of its permissions helps. `reason`: a text that
/// ends as cache::reason_to_distrust says it.
std::optional<std::string> distrust_remedy(std::string_view reason);
/// For a database of the site that cannot be read.
std::string system_database_remedy(const std::filesystem::path& file);

}  // namespace tuner::cli
