#include "tuner/cli/stores.hpp"

#include <fmt/format.h>

#include "cache/memory_store.hpp"
#include "cache/sqlite_store.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

SessionStores open_decisions(const std::filesystem::path& path) {
  SessionStores stores;
  try {
    stores.store = cache::SqliteStore::open({.path = path});
    stores.path = path.string();
  } catch (const Error& error) {
    stores.store = std::make_unique<cache::MemoryStore>();
    stores.warnings.push_back(fmt::format("What is found will be printed but not remembered: {}", error.what()));
  }
  return stores;
}

}  // namespace

SessionStores open_for_session(const cache::Location& location) {
  SessionStores stores = open_decisions(location.decisions);
  // One sentence is enough: without the decision nobody would ask for its binary.
  if (stores.path.empty()) return stores;
  try {
    stores.binaries = cache::BinaryStore::open({.path = location.binaries});
    if (stores.binaries->distrust()) stores.warnings.push_back(*stores.binaries->distrust());
  } catch (const Error& error) {
    stores.warnings.push_back(
        fmt::format("The winner's binary will be compiled again when it is needed: {}", error.what()));
  }
  return stores;
}

SessionStores open_for_replay(const cache::Location& location) {
  return open_decisions(cache::replay_database(location));
}

std::unique_ptr<cache::Store> open_for_reading(const cache::Location& location) {
  if (!std::filesystem::exists(location.decisions)) return nullptr;
  return cache::SqliteStore::open({.path = location.decisions, .access = cache::Access::read_only});
}

}  // namespace tuner::cli
