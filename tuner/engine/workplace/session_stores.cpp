#include "tuner/engine/workplace/session_stores.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include "cache/file/location.hpp"
#include "cache/schema/set_aside.hpp"
#include "cache/store/memory_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

constexpr const char* kNoMemory = "Results will be printed but not stored:";
constexpr const char* kNoBinaries = "The winner's binary will be compiled again when it is needed:";

/// Opens a database and reads all of it. A damaged one is set aside: what is found next deserves to be kept, and of the
/// old file nothing is lost by a new name. `open` is called again for the fresh one.
template <class Open, class Damage, class WayOut>
auto open_sound(const std::filesystem::path& path, const Open& open, const Damage& damage_of, const WayOut& way_out,
                std::vector<std::string>& warnings) {
  try {
    auto store = open();
    if (!damage_of(*store)) return store;
  } catch (const Error& error) {
    if (error.code() != Errc::store_damaged) throw;
  }
  if (const auto aside = cache::set_aside_damaged(path)) {
    warnings.push_back(fmt::format("The database {} was damaged. It was renamed to {}, and a fresh one was started: {}",
                                   path.string(), aside->string(), way_out(aside->string())));
  }
  return open();
}

std::unique_ptr<cache::Database> open_decisions(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  return open_sound(
      path, [&] { return cache::SqliteStore::open({.path = path}); },
      [](const cache::SqliteStore& store) { return store.damage().has_value(); },
      [](const std::string& aside) {
        return fmt::format("`tuner recover {}` writes what can still be read to a new database.", shell_word(aside));
      },
      warnings);
}

std::pair<dev_t, ino_t> file_at(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? std::pair(status.st_dev, status.st_ino) : std::pair<dev_t, ino_t>();
}

/// What the database holds of a session, asked as any reader would.
Stored stored_of(const std::string& path, const TuneReport& report) {
  Stored stored = report.stored;
  stored.trials = 0;
  stored.decision = false;
  try {
    const auto store = cache::SqliteStore::open({.path = path, .access = cache::Access::read_only});
    const auto decision = store->find_decision(report.decision.key);
    stored.decision = decision && decision->session == report.session;
    for (const cache::Trial& trial : store->find_trials(report.decision.key)) {
      stored.trials += trial.session == report.session ? 1 : 0;
    }
  } catch (const Error&) {
    // What cannot be read is as good as not stored.
  }
  return stored;
}

bool is_store_trouble(const Error& error) {
  return error.code() == Errc::store_unavailable || error.code() == Errc::store_damaged ||
         error.code() == Errc::store_newer;
}

void open_decisions_in(SessionStores& stores, const std::filesystem::path& path) {
  stores.store = open_decisions(path, stores.warnings);
  stores.path = path.string();
  stores.file = file_at(stores.path);
}

/// What could not be opened is one sentence, and decisions stay in memory: without one its binary is not asked for.
template <class Open>
SessionStores open_or_warn(const Open& open) {
  SessionStores stores;
  try {
    open(stores);
  } catch (const Error& error) {
    if (!is_store_trouble(error)) throw;
    stores.warnings.push_back(fmt::format("{} {}", stores.store ? kNoBinaries : kNoMemory, error.what()));
    if (!stores.store) stores.store = std::make_unique<cache::MemoryStore>();
  }
  return stores;
}

}  // namespace

SessionStores open_for_session(const std::filesystem::path& chosen) {
  return open_or_warn([&](SessionStores& stores) {
    const cache::Location location = cache::locate(chosen);
    open_decisions_in(stores, location.decisions);
    // Not read through: it may be large, and each binary is checked by its hash when it is used.
    stores.binaries = open_sound(
        location.binaries, [&] { return cache::BinaryStore::open({.path = location.binaries}); },
        [](const cache::BinaryStore&) { return false; },
        [](const std::string&) { return "its binaries are compiled again when they are needed."; }, stores.warnings);
    if (stores.binaries->distrust()) stores.warnings.push_back(*stores.binaries->distrust());
  });
}

std::unique_ptr<cache::BinaryStore> open_binaries_again(const std::filesystem::path& chosen) {
  try {
    return cache::BinaryStore::open({.path = cache::locate(chosen).binaries});
  } catch (const Error& error) {
    if (!is_store_trouble(error)) throw;
    return nullptr;  // binaries can be compiled again
  }
}

SessionStores open_for_replay(const std::filesystem::path& chosen) {
  return open_or_warn(
      [&](SessionStores& stores) { open_decisions_in(stores, cache::replay_database(cache::locate(chosen))); });
}

std::optional<std::string> say_what_is_stored(const SessionStores& stores, TuneReport& report) {
  report.stored_in = stores.path;
  if (stores.path.empty()) return std::nullopt;  // of which there is a warning already
  const bool in_place = file_at(stores.path) == stores.file;
  if (in_place && report.stored.everything()) return std::nullopt;
  report.stored = stored_of(stores.path, report);
  if (!in_place) {
    return fmt::format(
        "The database {} was deleted, renamed or replaced while this session was writing it: what was stored before "
        "that is in the old file, and {} of its {} {} in the one that has the name now.",
        stores.path, report.stored.trials, counted(static_cast<std::uint64_t>(report.stored.of_trials), "trial"),
        report.stored.trials == 1 ? "is" : "are");
  }
  return std::nullopt;  // of which the session has warned
}

}  // namespace tuner::engine
