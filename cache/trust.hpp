#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tuner::cache {

/// Why code must not be loaded from `file`, as a sentence; nothing if it may. It may if nobody can change the file or
/// put another one in its place but the users of `owners`: the file and every folder above it belong to one of them and
/// may not be written by group or others. A folder that others may write but where each user can only remove what is
/// his own (the sticky bit, as on /tmp) is accepted above the file's own folder. `file` itself must not be a symbolic
/// link; links in its folders are followed first.
std::optional<std::string> reason_to_distrust(const std::filesystem::path& file, const std::vector<uid_t>& owners);

/// The users whose files a process runs anyway: its own effective user, root, and the owners of the program file and of
/// the library file that this code is in.
std::vector<uid_t> trusted_owners();

}  // namespace tuner::cache
