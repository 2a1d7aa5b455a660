#pragma once

#include <filesystem>

namespace tuner::cache {

/// The two database files. Decisions are precious data; binaries can be rebuilt.
struct Location {
  std::filesystem::path decisions;  ///< decisions.db
  std::filesystem::path binaries;   ///< binaries.db
};

/// Where the databases are: `chosen` (a folder, or a path ending in .db for the decisions, with binaries.db beside it)
/// if not empty; else $TUNER_DB read the same way; else $XDG_DATA_HOME/tuner (or ~/.local/share/tuner) and
/// $XDG_CACHE_HOME/tuner (or ~/.cache/tuner). Creates nothing. Throws Error{store_unavailable} if there is neither a
/// choice nor a home folder, or if the choice is there, does not end in .db and is no folder. In set-id programs the
/// environment is not looked at (tuner/ground/file_variable.hpp).
Location locate(const std::filesystem::path& chosen = {});

/// No file yet, or one without a byte, as `sqlite3 FILE` leaves it. What cannot be looked at is left to opening it,
/// which says why; so is what lies below a file or a device.
bool is_not_there_yet(const std::filesystem::path& file);

/// The file of what programs start from (ServedStore): served.db beside decisions.db, NAME-served.db beside NAME.db.
std::filesystem::path served_beside(const std::filesystem::path& decisions);
/// The file of what programs missed (WantedStore), named likewise: wanted.db, NAME-wanted.db.
std::filesystem::path wanted_beside(const std::filesystem::path& decisions);

/// The same folder's database for replayed rows: replay.db beside decisions.db.
std::filesystem::path replay_database(const Location& location);

}  // namespace tuner::cache
