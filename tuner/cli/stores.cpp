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

std::unique_ptr<cache::Store> open_for_reading(const cache::Location& location) {
  if (!std::filesystem::exists(location.decisions)) return nullptr;
  return cache::SqliteStore::open({.path = location.decisions, .access = cache::Access::read_only});
}

}  // namespace tuner::cli
