#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cache/binary_store.hpp"
#include "cache/location.hpp"
#include "cache/store.hpp"

namespace tuner::cli {

/// Where a session keeps what it learns.
struct SessionStores {
  std::unique_ptr<cache::Store> store;           ///< in memory if the database cannot be used
  std::unique_ptr<cache::BinaryStore> binaries;  ///< null: none are kept
  std::string path;                              ///< of the database; empty if it is in memory
  std::vector<std::string> warnings;             ///< what cannot be used, why, and what to do
};

/// For tuning: a database that cannot be opened, or has no place, is one warning and never the end of the run. One that
/// is damaged is renamed and a fresh one takes its place, with one warning that says so. Nothing is deleted. `chosen`
/// as for cache::locate. Throws Error{bad_usage}.
SessionStores open_for_session(const std::filesystem::path& chosen);
/// The same for replayed rows, which have a database of their own and no binaries.
SessionStores open_for_replay(const std::filesystem::path& chosen);

/// Whether there is no database at `path` yet: no file, or one without a byte, as `sqlite3 FILE` leaves it.
bool is_not_there_yet(const std::filesystem::path& path);
/// The database of decisions to read from; null if there is none yet. Throws Error{store_*}.
std::unique_ptr<cache::Store> open_for_reading(const cache::Location& location);
/// Where there is no decision, of any kernel or of this one: what the database holds all the same, in a sentence or
/// two. `store` is null where there is no database yet.
std::string no_decision(const cache::Store* store, const std::string& kernel, const std::string& path);
/// Where to look besides, if replays have left a database beside this one: a sentence with the command, after a space.
std::string replays_beside(const cache::Location& location, std::string_view command);

}  // namespace tuner::cli
