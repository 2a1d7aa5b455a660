#include "tuner/runtime/shelves.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "cache/sqlite/busy.hpp"
#include "cache/store/sqlite_store.hpp"

namespace tuner {

namespace fs = std::filesystem;

/// Which file stands behind a name.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

/// One database: a file of decisions and one of binaries.
struct Shelf {
  fs::path chosen;
  bool is_users = false;
  std::chrono::milliseconds patience{};
  std::optional<cache::Location> location;
  std::unique_ptr<cache::Store> decisions;
  std::unique_ptr<cache::BinaryStore> binaries;
  std::optional<FileIdentity> bad_decisions, bad_binaries;  ///< files that will not become usable
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

FileIdentity identity_of(const fs::path& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

/// What another attempt will not change, as long as it is the same file.
bool is_final(const Error& error) {
  return error.code() == Errc::store_damaged || error.code() == Errc::store_newer;
}

/// Whether the file was found to be of no use; forgets that when another one has taken its place.
bool is_bad(std::optional<FileIdentity>& bad, const fs::path& file) {
  if (bad && *bad != identity_of(file)) bad.reset();
  return bad.has_value();
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

/// One question at a time. What there is to report is told after it, so that an observer may take locks of its own.
class Shelves::Turn {
 public:
  explicit Turn(Shelves& shelves) : shelves_(shelves), lock_(shelves.mutex_) {}
  ~Turn() {
    lock_.unlock();
    for (const std::string& sentence : sentences_) shelves_.report_(sentence);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void report(const std::string& sentence) {
    if (shelves_.reported_.insert(sentence).second) sentences_.push_back(sentence);
  }

 private:
  Shelves& shelves_;
  std::unique_lock<std::mutex> lock_;
  std::vector<std::string> sentences_;
};

/// Asks one database, unless there is none or it cannot be used.
template <class Question>
void Shelves::ask_decisions(Turn& turn, std::size_t index, Look& look, const Question& question) {
  Shelf& shelf = *shelves_[index];
  if (look.locked_decisions.contains(index)) return;
  try {
    locate(shelf);
    if (is_bad(shelf.bad_decisions, shelf.location->decisions)) return;
    if (cache::Store* const store = open_decisions(shelf)) question(*store);
  } catch (const Error& error) {
    turn.report(error.what());
    shelf.decisions.reset();
    if (is_final(error)) {
      shelf.bad_decisions = identity_of(shelf.location->decisions);
    } else if (cache::is_busy(error)) {
      look.locked_decisions.insert(index);
    }
  }
}

std::optional<Shelves::Found> Shelves::find(const cache::DecisionKey& key, std::size_t& shelf, Look& look) {
  Turn turn(*this);
  std::optional<Found> found;
  while (!found && shelf < shelves_.size()) {
    const std::size_t index = shelf++;
    ask_decisions(turn, index, look, [&](cache::Store& store) {
      auto decision = store.find_decision(key);
      if (decision && decision->origin != cache::Origin::replay) {
        found = Found{*std::move(decision), shelves_[index]->location->decisions};
      }
    });
  }
  return found;
}

std::vector<Shelves::FoundSite> Shelves::sites(const cache::DecisionKey& key, Look& look) {
  Turn turn(*this);
  std::vector<FoundSite> sites;
  for (std::size_t i = 0; i < shelves_.size(); ++i) {
    ask_decisions(turn, i, look, [&](cache::Store& store) {
      for (cache::Site& site : store.list_sites(key)) {
        sites.push_back({std::move(site), i});
      }
    });
  }
  return sites;
}

std::optional<Shelves::Found> Shelves::read(const FoundSite& site, Look& look) {
  Turn turn(*this);
  std::optional<Found> found;
  ask_decisions(turn, site.shelf, look, [&](cache::Store& store) {
    if (auto decision = store.find_decision(site.site.row)) {
      found = Found{*std::move(decision), shelves_[site.shelf]->location->decisions};
    }
  });
  return found;
}

std::optional<cache::Binary> Shelves::ask_binaries(Turn& turn, std::size_t index, Look& look,
                                                   const std::string& compile_key, const std::string& measured_hash) {
  Shelf& shelf = *shelves_[index];
  if (look.locked_binaries.contains(index)) return std::nullopt;
  try {
    locate(shelf);
    if (is_bad(shelf.bad_binaries, shelf.location->binaries)) return std::nullopt;
    cache::BinaryStore* const store = open_binaries(shelf);
    if (store == nullptr) return std::nullopt;
    if (store->distrust()) turn.report(*store->distrust());
    auto binary = store->find_compiled(compile_key, measured_hash);
    if (store->trouble()) turn.report(*store->trouble());
    return binary;
  } catch (const Error& error) {
    turn.report(error.what());
    shelf.binaries.reset();
    if (is_final(error)) {
      shelf.bad_binaries = identity_of(shelf.location->binaries);
    } else if (cache::is_busy(error)) {
      look.locked_binaries.insert(index);
    }
    return std::nullopt;
  }
}

std::optional<cache::Binary> Shelves::binary(const std::string& compile_key, const std::string& measured_hash,
                                             Look& look) {
  Turn turn(*this);
  std::optional<cache::Binary> other;
  for (std::size_t i = 0; i < shelves_.size(); ++i) {
    auto binary = ask_binaries(turn, i, look, compile_key, measured_hash);
    if (!binary) continue;
    if (measured_hash.empty() || binary->hash == measured_hash) return binary;
    if (!other) other = std::move(binary);
  }
  return other;
}

}  // namespace tuner
