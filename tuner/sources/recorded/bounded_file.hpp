#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace tuner::sources {

/// The contents of a file; nothing, and errno, if it is none, cannot be read, or has more than `most` bytes (EFBIG).
/// What waits for a writer is no file. Files in /proc, which say that they are empty, are read too.
std::optional<std::string> read_bounded(const std::filesystem::path& file, std::size_t most);
/// The same of an open file, from where it stands.
std::optional<std::string> read_bounded(int descriptor, std::size_t most);

}  // namespace tuner::sources
