#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cache/sqlite.hpp"

namespace tuner::cache {

/// The bytes of a database with what its journal says undone, as the file format has it (sqlite.org/fileformat2.html,
/// "the rollback journal"). A journal that is damaged or cut off counts up to there, as it does for SQLite.
void roll_back(std::vector<std::byte>& database, std::span<const std::byte> journal);

/// Whether a journal names a super-journal, which ties the database to other files.
bool names_super_journal(std::span<const std::byte> journal);

/// For readers, who change no file: what a database holds that cannot be read as it lies there without writing, because
/// a process that was killed left it half-written or another program switched it to write-ahead logging; nothing if it
/// can be read as it is. Reads the whole file. Throws Failure where that takes somebody who may write: a log with rows
/// in it, a super-journal.
std::optional<std::vector<std::byte>> settled_image(const sqlite::Connection& connection);

}  // namespace tuner::cache
