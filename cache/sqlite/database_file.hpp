#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "cache/file/access.hpp"
#include "cache/file/open_folder.hpp"
#include "cache/sqlite/format.hpp"

namespace tuner::cache {

/// How hard a commit presses the disk.
enum class Durability {
  precious,     ///< a committed transaction survives a power failure, as far as the disk tells the truth
  rebuildable,  ///< survives the end of any process; after a power failure the file may be damaged
};

/// The folder that `path` is in. Throws Error{store_unavailable}.
std::shared_ptr<const OpenFolder> open_folder_of(const std::filesystem::path& path);

/// The path that is opened for `path`: absolute, with symbolic links in its folders resolved, so that checks and
/// opening speak of the same file. The folder must exist.
std::filesystem::path resolved(const std::filesystem::path& path);

/// How long an export, an import or a repair waits for what others have locked.
inline constexpr std::chrono::seconds kCommandPatience{5};

/// Opens or creates the file with the settings that every database of this program has, brings its format up to date
/// and, where it may be written, makes indexes and views again that were dropped or changed. Throws Error{store_*} with
/// the file's name and the next step.
std::unique_ptr<sqlite::Connection> open_database(const std::filesystem::path& path, Access access,
                                                  std::chrono::milliseconds busy_timeout, Durability durability,
                                                  const Format& format);

/// Opens a file that is there for writing, as it is: of whatever format, and without bringing that up to date. Throws
/// Error{store_*}.
std::unique_ptr<sqlite::Connection> open_as_it_is(const std::filesystem::path& path,
                                                  std::chrono::milliseconds busy_timeout);

/// Looks for damage in every page, index and constraint of a database, and for tables and columns that its format has
/// and it lacks: nothing, or what was found first.
std::optional<std::string> find_damage(const sqlite::Connection& connection, const Format& format);

}  // namespace tuner::cache
