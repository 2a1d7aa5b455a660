#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace tuner::cache {

/// A database that SQLite may be unable to open, as it was after the last transaction that was finished.
struct DamagedFile {
  std::vector<std::byte> bytes;
  std::vector<std::string> warnings;  ///< about what is beside it
};

/// Reads all of it, and undoes what a journal beside it says was begun and not finished; writes nothing. Waits for a
/// process that writes. Throws Error: file_not_found; store_unavailable if it is no regular file, larger than
/// kLargestInMemory, cannot be read, or is written for longer than a commit takes.
DamagedFile read_damaged_file(const std::filesystem::path& file);

}  // namespace tuner::cache
