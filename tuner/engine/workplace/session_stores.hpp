#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cache/store/binary_store.hpp"
#include "cache/store/database.hpp"
#include "tuner/core/report/report.hpp"

namespace tuner::engine {

/// Where a session keeps what it learns.
struct SessionStores {
  std::unique_ptr<cache::Database> store;        ///< in memory if the database cannot be used
  std::unique_ptr<cache::BinaryStore> binaries;  ///< null: none are kept
  std::string path;                              ///< of the database; empty if it is in memory
  std::pair<dev_t, ino_t> file;                  ///< which file had that path when it was opened
  std::vector<std::string> warnings;             ///< what cannot be used, why, and what to do
};

/// For tuning: a database that cannot be opened, or has no place, is one warning and never the end of the run. One that
/// is damaged is renamed and a fresh one takes its place, with one warning that says so. Nothing is deleted. `chosen`
/// as for cache::locate. Throws Error{bad_usage}.
SessionStores open_for_session(const std::filesystem::path& chosen);
/// The same for replayed rows, which have a database of their own and no binaries.
SessionStores open_for_replay(const std::filesystem::path& chosen);
/// Another connection to the binaries that open_for_session opened for the same choice, for another thread; null where
/// they cannot be opened any more.
std::unique_ptr<cache::BinaryStore> open_binaries_again(const std::filesystem::path& chosen);

/// Says in the report where a session's rows are. If they are not all in the file that bears the database's name now
/// (the disk was full, it was deleted, renamed, replaced or cut off meanwhile), what is there is looked up, and the
/// sentence that is returned says so.
std::optional<std::string> say_what_is_stored(const SessionStores& stores, TuneReport& report);

}  // namespace tuner::engine
