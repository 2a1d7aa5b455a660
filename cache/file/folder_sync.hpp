#pragma once

#include <filesystem>

#include "cache/file/open_folder.hpp"

namespace tuner::cache {

/// Waits until the disk has the names of what was created, renamed or removed in a folder; syncing a file makes its
/// contents safe from a power failure, not its name. False, with errno, if the disk failed. A folder that may not be
/// read and a file system that cannot do this are no failure: nothing more can be had there.
bool sync_folder(const std::filesystem::path& folder) noexcept;
/// The same for a folder that is held, whatever became of its name.
bool sync_folder(const OpenFolder& folder) noexcept;

}  // namespace tuner::cache
