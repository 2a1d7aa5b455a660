#include "tuner/engine/session_stores.hpp"

#include <fmt/format.h>

#include "cache/location.hpp"
#include "cache/memory_store.hpp"
#include "cache/set_aside.hpp"
#include "cache/sqlite_store.hpp"
#include "tuner/core/text.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

constexpr const char* kNoMemory = "What is found will be printed but not remembered:";
constexpr const char* kNoBinaries = "The winner's binary will be compiled again when it is needed:";

/// Opens a database and reads all of it. A damaged one is set aside: what is found next deserves to be kept, and of the
/// old file nothing is lost by a new name. `open` is called again for the fresh one.
template <class Open, class Damage>
auto open_sound(const std::filesystem::path& path, const Open& open, const Damage& damage_of,
                std::vector<std::string>& warnings) {
  try {
    auto store = open();
    if (!damage_of(*store)) return store;
  } catch (const Error& error) {
    if (error.code() != Errc::store_damaged) throw;
  }
  if (const auto aside = cache::set_aside_damaged(path)) {
    warnings.push_back(fmt::format(
        "The database {} was damaged. It is now called {} and a fresh one was started: `sqlite3 {} .recover` may get "
        "rows back.",
        path.string(), aside->string(), shell_word(aside->string())));
  }
  return open();
}

std::unique_ptr<cache::Store> open_decisions(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  return open_sound(
      path, [&] { return cache::SqliteStore::open({.path = path}); },
      [](const cache::SqliteStore& store) { return store.damage().has_value(); }, warnings);
}

bool is_store_trouble(const Error& error) {
  return error.code() == Errc::store_unavailable || error.code() == Errc::store_damaged ||
         error.code() == Errc::store_newer;
}

}  // namespace

SessionStores open_for_session(const std::filesystem::path& chosen) {
  SessionStores stores;
  try {
    const cache::Location location = cache::locate(chosen);
    stores.store = open_decisions(location.decisions, stores.warnings);
    stores.path = location.decisions.string();
    // Not read through: it may be large, and each binary is checked by its hash when it is used.
    stores.binaries = open_sound(
        location.binaries, [&] { return cache::BinaryStore::open({.path = location.binaries}); },
        [](const cache::BinaryStore&) { return false; }, stores.warnings);
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
    stores.store = open_decisions(path, stores.warnings);
    stores.path = path.string();
  } catch (const Error& error) {
    if (!is_store_trouble(error)) throw;
    stores.warnings.push_back(fmt::format("{} {}", kNoMemory, error.what()));
    stores.store = std::make_unique<cache::MemoryStore>();
  }
  return stores;
}

}  // namespace tuner::engine
