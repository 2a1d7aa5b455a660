#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {

/// What SQLite keeps of a database in memory, and the most that is read of one as a whole.
inline constexpr std::int64_t kLargestInMemory = std::int64_t{1} << 30;

/// The journal beside a database of this name; empty if there is none, or if it is a link, no regular file or larger
/// than any that could be put to use.
std::vector<std::byte> read_journal(const OpenFolder& folder, const std::string& database);

/// Whether it belongs to a transaction that was not finished; one whose beginning was overwritten was done with.
bool is_hot(std::span<const std::byte> journal);

/// Whether it holds at least one page as it was before. The database is not written before that is so.
bool holds_pages(std::span<const std::byte> journal);

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
