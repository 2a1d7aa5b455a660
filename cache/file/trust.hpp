#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cache/file/open_folder.hpp"

namespace tuner::cache {

/// Why code must not be loaded from the file of this name in `folder`, as a sentence; nothing if it may. It may if
/// nobody can change the file or put another one in its place but the users of `owners`: the file and every folder
/// above it belong to one of them and may not be written by group or others. A folder that others may write but where
/// each user can only remove what is his own (the sticky bit, as on /tmp) is accepted above the file's own folder. The
/// file itself must not be a symbolic link; links in its folders were followed when `folder` was opened, and where they
/// led counts. Said of the folders that were opened, not of their names: what is opened in `folder` afterwards is
/// trusted as this says.
std::optional<std::string> reason_to_distrust(const OpenFolder& folder, const std::string& file,
                                              const std::vector<uid_t>& owners);
/// The same of a path, for messages only: what is opened by that name later may be another file.
std::optional<std::string> reason_to_distrust(const std::filesystem::path& file, const std::vector<uid_t>& owners);

/// The users whose files a process runs anyway: its own effective user, root, and the owners of the program file and of
/// the library file that this code is in.
std::vector<uid_t> trusted_owners();

}  // namespace tuner::cache
