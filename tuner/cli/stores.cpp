#include "tuner/cli/stores.hpp"

#include <fmt/format.h>

#include "cache/memory_store.hpp"
#include "cache/sqlite_store.hpp"
#include "tuner/cli/exit_code.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

constexpr const char* kNoMemory = "What is found will be printed but not remembered:";
constexpr const char* kNoBinaries = "The winner's binary will be compiled again when it is needed:";

bool is_store_trouble(const Error& error) {
  return exit_code_for(error.code()) == ExitCode::store;
}

}  // namespace

SessionStores open_for_session(const std::filesystem::path& chosen) {
  SessionStores stores;
  try {
    const cache::Location location = cache::locate(chosen);
    stores.store = cache::SqliteStore::open({.path = location.decisions});
    stores.path = location.decisions.string();
    stores.binaries = cache::BinaryStore::open({.path = location.binaries});
    if (stores.binaries->distrust()) stores.warnings.push_back(*stores.binaries->distrust());
  } catch (const Error& error) {
    if (!is_store_trouble(error)) throw;
    // One sentence is enough: without the decision nobody would ask for its binary.
    stores.warnings.push_back(fmt::format("{} {}", stores.store ? kNoBinaries : kNoMemory, error.what()));
    if (!stores.store) stores.store = std::make_unique<cache::MemoryStore>();
  }
  return stores;
}

SessionStores open_for_replay(const std::filesystem::path& chosen) {
  SessionStores stores;
  try {
    const std::filesystem::path path = cache::replay_database(cache::locate(chosen));
    stores.store = cache::SqliteStore::open({.path = path});
    stores.path = path.string();
  } catch (const Error& error) {
    if (!is_store_trouble(error)) throw;
    stores.warnings.push_back(fmt::format("{} {}", kNoMemory, error.what()));
    stores.store = std::make_unique<cache::MemoryStore>();
  }
  return stores;
}

bool is_not_there_yet(const std::filesystem::path& path) {
  // What cannot be looked at is left to opening it, which says why.
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (status.type() == std::filesystem::file_type::not_found) return true;
  return std::filesystem::is_regular_file(status) && std::filesystem::file_size(path, error) == 0 && !error;
}

std::string replays_beside(const cache::Location& location, std::string_view command) {
  const std::filesystem::path replays = cache::replay_database(location);
  if (replays == location.decisions || is_not_there_yet(replays)) return {};
  const std::string path = replays.string();
  return fmt::format(" What replays of recordings found is beside it: `{} --db {}`.", command,
                     path.find(' ') == std::string::npos ? path : "'" + path + "'");
}

std::unique_ptr<cache::Store> open_for_reading(const cache::Location& location) {
  if (is_not_there_yet(location.decisions)) return nullptr;
  return cache::SqliteStore::open({.path = location.decisions, .access = cache::Access::read_only});
}

}  // namespace tuner::cli
