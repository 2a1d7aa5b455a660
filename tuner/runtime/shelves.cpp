#include "tuner/runtime/shelves.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "cache/sqlite_store.hpp"

namespace tuner {

namespace fs = std::filesystem;

/// One database: a file of decisions and one of binaries.
struct Shelf {
  fs::path chosen;
  bool is_users = false;
  std::chrono::milliseconds patience{};
  std::optional<cache::Location> location;
  std::unique_ptr<cache::Store> decisions;
  std::unique_ptr<cache::BinaryStore> binaries;
  bool decisions_unusable = false, binaries_unusable = false;  ///< and will not become usable
};

namespace {

/// No file yet, or one without a byte. What cannot be looked at is left to opening it, which says why.
bool is_not_there_yet(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return errno == ENOENT;
  return S_ISREG(status.st_mode) && status.st_size == 0;
}

/// What the user's database lacks is a miss; a system database that is named should be there.
bool is_silently_missing(const Shelf& shelf, const fs::path& file) {
  return shelf.is_users && is_not_there_yet(file);
}

void locate(Shelf& shelf) {
  if (!shelf.location) shelf.location = cache::locate(shelf.chosen);
}

/// Null where there is none yet.
cache::Store* open_decisions(Shelf& shelf) {
  if (shelf.decisions) return shelf.decisions.get();
  locate(shelf);
  if (is_silently_missing(shelf, shelf.location->decisions)) return nullptr;
  shelf.decisions = cache::SqliteStore::open(
      {.path = shelf.location->decisions, .access = cache::Access::read_only, .busy_timeout = shelf.patience});
  return shelf.decisions.get();
}

cache::BinaryStore* open_binaries(Shelf& shelf) {
  if (shelf.binaries) return shelf.binaries.get();
  locate(shelf);
  // A shipped database may come without binaries.
  if (is_not_there_yet(shelf.location->binaries)) return nullptr;
  shelf.binaries = cache::BinaryStore::open(
      {.path = shelf.location->binaries, .access = cache::Access::read_only, .busy_timeout = shelf.patience});
  return shelf.binaries.get();
}

/// What another attempt will not change.
bool is_final(const Error& error) {
  return error.code() == Errc::store_damaged || error.code() == Errc::store_newer;
}

}  // namespace

Shelves::Shelves(Options options, std::function<void(const std::string&)> report) : report_(std::move(report)) {
  const auto add = [&](const fs::path& chosen, bool is_users) {
    shelves_.push_back(std::make_unique<Shelf>());
    shelves_.back()->chosen = chosen;
    shelves_.back()->is_users = is_users;
    shelves_.back()->patience = options.patience;
  };
  add(options.user, true);
  for (const fs::path& system : options.system) add(system, false);
}

Shelves::~Shelves() = default;

void Shelves::report(const std::string& sentence) {
  if (reported_.insert(sentence).second) report_(sentence);
}

/// Asks one database, unless there is none or it cannot be used.
template <class Question>
void Shelves::ask_decisions(Shelf& shelf, const Question& question) {
  if (shelf.decisions_unusable) return;
  try {
    if (cache::Store* const store = open_decisions(shelf)) question(*store);
  } catch (const Error& error) {
    shelf.decisions_unusable = is_final(error);
    report(error.what());
  }
}

std::optional<Shelves::Found> Shelves::find(const cache::DecisionKey& key) {
  const std::lock_guard lock(mutex_);
  for (const auto& shelf : shelves_) {
    std::optional<Found> found;
    ask_decisions(*shelf, [&](cache::Store& store) {
      auto decision = store.find_decision(key);
      if (decision && decision->origin != cache::Origin::replay) {
        found = Found{*std::move(decision), shelf->location->decisions};
      }
    });
    if (found) return found;
  }
  return std::nullopt;
}

std::vector<Shelves::FoundSite> Shelves::sites(const cache::DecisionKey& key) {
  const std::lock_guard lock(mutex_);
  std::vector<FoundSite> sites;
  for (std::size_t i = 0; i < shelves_.size(); ++i) {
    ask_decisions(*shelves_[i], [&](cache::Store& store) {
      for (cache::Site& site : store.list_sites(key.kernel_identity, key.mode, key.objective)) {
        sites.push_back({std::move(site), i});
      }
    });
  }
  return sites;
}

std::optional<Shelves::Found> Shelves::read(const FoundSite& site) {
  const std::lock_guard lock(mutex_);
  Shelf& shelf = *shelves_[site.shelf];
  std::optional<Found> found;
  ask_decisions(shelf, [&](cache::Store& store) {
    if (auto decision = store.find_decision(site.site.row)) {
      found = Found{*std::move(decision), shelf.location->decisions};
    }
  });
  return found;
}

std::optional<cache::Binary> Shelves::binary(const std::string& compile_key) {
  const std::lock_guard lock(mutex_);
  std::optional<cache::Binary> binary;
  for (const auto& shelf : shelves_) {
    if (shelf->binaries_unusable) continue;
    try {
      cache::BinaryStore* const store = open_binaries(*shelf);
      if (store == nullptr) continue;
      if (store->distrust()) report(*store->distrust());
      binary = store->find_compiled(compile_key);
    } catch (const Error& error) {
      shelf->binaries_unusable = is_final(error);
      report(error.what());
    }
    if (binary) break;
  }
  return binary;
}

}  // namespace tuner
