#include "tuner/cli/stores.hpp"

#include <fmt/format.h>

#include "cache/memory_store.hpp"
#include "cache/set_aside.hpp"
#include "cache/sqlite_store.hpp"
#include "tuner/cli/exit_code.hpp"
#include "tuner/core/text.hpp"
#include "tuner/error.hpp"

namespace tuner::cli {

namespace {

constexpr const char* kNoMemory = "What is found will be printed but not remembered:";
constexpr const char* kNoBinaries = "The winner's binary will be compiled again when it is needed:";

/// `path` as one word for a shell.
std::string quoted(const std::filesystem::path& path) {
  std::string word = "'";
  for (const char c : path.string()) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

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
        path.string(), aside->string(), quoted(*aside)));
  }
  return open();
}

std::unique_ptr<cache::Store> open_decisions(const std::filesystem::path& path, std::vector<std::string>& warnings) {
  return open_sound(
      path, [&] { return cache::SqliteStore::open({.path = path}); },
      [](const cache::SqliteStore& store) { return store.damage().has_value(); }, warnings);
}

bool is_store_trouble(const Error& error) {
  return exit_code_for(error.code()) == ExitCode::store;
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
                     path.find_first_of(" '") == std::string::npos ? path : quoted(replays));
}

std::string no_decision(const cache::Store* store, const std::string& kernel, const std::string& path) {
  const std::string of_kernel = kernel.empty() ? "" : fmt::format(" for a kernel `{}`", kernel);
  const std::vector<cache::DecisionKey> keys =
      store == nullptr ? std::vector<cache::DecisionKey>() : store->list_keys({.kernel_name = kernel});
  if (keys.empty()) {
    return fmt::format("Nothing is stored{} in {} yet. `tuner tune FILE --problem ...` puts something there.",
                       of_kernel, path);
  }
  std::size_t trials = 0;
  for (const cache::DecisionKey& key : keys) trials += store->find_trials(key).size();
  if (trials == 0) {
    return fmt::format("No decision is stored{} in {} now. What was forgotten is kept there as history.", of_kernel,
                       path);
  }
  return fmt::format(
      "No decision is stored{} in {} yet; it holds {}. Those of interrupted sessions are taken over by "
      "the next `tuner tune` of the same; forgotten ones are history.",
      of_kernel, path, counted(trials, "trial"));
}

std::unique_ptr<cache::Store> open_for_reading(const cache::Location& location) {
  if (is_not_there_yet(location.decisions)) return nullptr;
  return cache::SqliteStore::open({.path = location.decisions, .access = cache::Access::read_only});
}

}  // namespace tuner::cli
