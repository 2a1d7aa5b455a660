#pragma once

#include <filesystem>
#include <optional>

namespace tuner::cache {

/// Renames a damaged database and its journal to `<name>.corrupt-<utc>-<process id>` beside it, so that the next open
/// creates a fresh file and nothing is lost; returns the new path. Returns nothing, and renames nothing, if the file is
/// not there or is in order: another process may have been faster. Throws Error{store_unavailable} if the file belongs
/// to another program or cannot be renamed, Error{store_newer} if a newer version of this program wrote it. No
/// connection of this process may be open on the file. Reads the whole file.
std::optional<std::filesystem::path> set_aside_damaged(const std::filesystem::path& path);

}  // namespace tuner::cache
