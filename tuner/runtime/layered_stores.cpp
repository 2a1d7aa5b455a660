#include "tuner/runtime/layered_stores.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <utility>

#include "cache/sqlite/busy.hpp"
#include "cache/store/served_store.hpp"
#include "cache/store/sqlite_store.hpp"
#include "tuner/ground/file_variable.hpp"

namespace tuner {

namespace fs = std::filesystem;

/// Which file stands behind a name.
using FileIdentity = std::pair<dev_t, ino_t>;

/// One file of a database, opened when it is first asked.
template <class Store>
struct LayerFile {
  std::unique_ptr<Store> store;
  std::optional<FileIdentity> bad;  ///< a file that will not become usable
};

/// One database: a file of decisions, one of binaries, and one of what programs start from.
struct StoreLayer {
  fs::path chosen;
  bool is_users = false;
  std::chrono::milliseconds patience{};
  std::optional<cache::Location> location;
  LayerFile<cache::SqliteStore> decisions;
  LayerFile<cache::BinaryStore> binaries;
  std::optional<cache::ServedStore> served;
};

namespace {

void locate(StoreLayer& layer) {
  if (!layer.location) layer.location = cache::locate(layer.chosen);
}

/// What the user's database lacks is a miss; a system database that is named should be there, if perhaps without
/// binaries.
bool is_silently_missing(const StoreLayer& layer, const fs::path& file) {
  return (layer.is_users || file == layer.location->binaries) && cache::is_not_there_yet(file);
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

LayeredStores::LayeredStores(Options options, std::function<void(const std::string&)> report)
    : report_(std::move(report)) {
  const auto add = [&](const fs::path& chosen, bool is_users) {
    stores_.push_back(std::make_unique<StoreLayer>());
    stores_.back()->chosen = chosen;
    stores_.back()->is_users = is_users;
    stores_.back()->patience = options.patience;
  };
  add(options.user, true);
  for (const fs::path& system : options.system) add(system, false);
}

LayeredStores::~LayeredStores() = default;

/// One question at a time. What there is to report is told after it, so that an observer may take locks of its own.
class LayeredStores::Turn {
 public:
  explicit Turn(LayeredStores& stores) : stores_(stores), lock_(stores.mutex_) {}
  ~Turn() {
    lock_.unlock();
    for (const std::string& sentence : sentences_) stores_.report_(sentence);
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  void report(const std::string& sentence) {
    if (stores_.reported_.insert(sentence).second) sentences_.push_back(sentence);
  }

 private:
  LayeredStores& stores_;
  std::unique_lock<std::mutex> lock_;
  std::vector<std::string> sentences_;
};

/// Asks one file of a database, unless there is none or it cannot be used.
template <class Store, class Question>
void LayeredStores::ask(Turn& turn, LayerFile<Store> StoreLayer::*which, fs::path cache::Location::*name,
                        std::size_t index, std::set<std::size_t>& locked, const Question& question) {
  StoreLayer& layer = *stores_[index];
  LayerFile<Store>& file = layer.*which;
  if (locked.contains(index)) return;
  try {
    locate(layer);
    const fs::path& path = *layer.location.*name;
    if (is_bad(file.bad, path) || (!file.store && is_silently_missing(layer, path))) return;
    if (!file.store) {
      file.store = Store::open({.path = path, .access = cache::Access::read_only, .busy_timeout = layer.patience});
    }
    question(*file.store);
  } catch (const Error& error) {
    turn.report(error.what());
    file.store.reset();
    if (is_final(error)) {
      file.bad = identity_of(*layer.location.*name);
    } else if (cache::is_busy(error)) {
      locked.insert(index);
    }
  }
}

template <class Question>
void LayeredStores::ask_decisions(Turn& turn, std::size_t index, LookupState& lookup, const Question& question) {
  ask(turn, &StoreLayer::decisions, &cache::Location::decisions, index, lookup.locked_decisions, question);
}

/// Asks for rows that can be done without: what is wrong with them leaves the decisions in force.
template <class Question>
void LayeredStores::ask_served(Turn& turn, std::size_t index, const Question& question) {
  StoreLayer& layer = *stores_[index];
  try {
    locate(layer);
    if (!layer.served) layer.served.emplace(layer.location->decisions, layer.patience);
    question(*layer.served);
  } catch (const Error& error) {
    // Nothing else but damage is news: the decisions say why they cannot be read. (A text may be another build's.)
    if (error.code() == Errc::store_damaged) turn.report(error.what());
  }
}

std::optional<KnownSource> LayeredStores::known_source(const std::vector<std::string>& sources,
                                                       const std::string& kernel) {
  Turn turn(*this);
  std::optional<KnownSource> known;
  const auto look = [&](cache::ServedStore& store) {
    for (const std::string& source : sources) {
      if (known) return;
      const auto text = store.find_outline(source);
      if (!text) continue;
      auto outline = outline_of(*text);
      if (!kernel.empty() && outline.kernel != kernel) continue;
      KernelDescription description;
      description.kernel = std::move(outline.kernel);
      description.problem = std::move(outline.problem);
      known = {source, std::make_shared<const KernelDescription>(std::move(description))};
    }
  };
  for (std::size_t i = 0; i < stores_.size() && !known; ++i) ask_served(turn, i, look);
  return known;
}

std::optional<LayeredStores::FoundServed> LayeredStores::served(const std::string& source, const std::string& place,
                                                                LookupState& lookup) {
  Turn turn(*this);
  std::optional<FoundServed> found;
  std::size_t layer = 0;
  for (; layer < stores_.size() && !found; ++layer) {
    ask_served(turn, layer, [&](cache::ServedStore& store) {
      auto row = store.find(source, place);
      if (!row) return;
      found = FoundServed{winner_of(*row), std::move(row->cubin), stores_[layer]->location->decisions};
    });
  }
  for (std::size_t before = 0; found && before + 1 < layer; ++before) {
    ask_decisions(turn, before, lookup, [&](const cache::SqliteStore& store) {
      const auto decision = store.find_decision(found->winner.decision.key);
      if (decision && decision->origin != cache::Origin::replay) found.reset();
    });
  }
  return found;
}

void LayeredStores::remember(const cache::Served& served, const fs::path& database) {
  // Who runs with the rights of another user reads what that names, and changes nothing.
  if (has_rights_of_another()) return;
  {
    const std::lock_guard lock(mutex_);
    const auto& users = stores_.front()->location;
    if (!users || users->decisions != database) return;
  }
  cache::record_served(database, served, std::chrono::milliseconds(0));
}

std::optional<LayeredStores::Found> LayeredStores::find(const cache::DecisionKey& key, std::size_t& layer,
                                                        LookupState& lookup) {
  Turn turn(*this);
  std::optional<Found> found;
  while (!found && layer < stores_.size()) {
    const std::size_t index = layer++;
    ask_decisions(turn, index, lookup, [&](const cache::SqliteStore& store) {
      auto decision = store.find_decision(key);
      if (decision && decision->origin != cache::Origin::replay) {
        found = Found{*std::move(decision), stores_[index]->location->decisions};
      }
    });
  }
  return found;
}

std::optional<std::string> LayeredStores::rule(const cache::DecisionKey& key, LookupState& lookup) {
  Turn turn(*this);
  std::optional<std::string> text;
  for (std::size_t i = 0; i < stores_.size() && !text; ++i) {
    ask_decisions(turn, i, lookup,
                  [&](const cache::SqliteStore& store) { text = store.find_sizes(key, cache::kRuleOfSizes); });
  }
  return text;
}

std::vector<LayeredStores::FoundSite> LayeredStores::sites(const cache::DecisionKey& key, LookupState& lookup) {
  Turn turn(*this);
  std::vector<FoundSite> sites;
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    ask_decisions(turn, i, lookup, [&](const cache::SqliteStore& store) {
      for (cache::Site& site : store.list_sites(key)) {
        sites.push_back({std::move(site), i});
      }
    });
  }
  return sites;
}

std::optional<LayeredStores::Found> LayeredStores::read(const FoundSite& site, LookupState& lookup) {
  Turn turn(*this);
  std::optional<Found> found;
  ask_decisions(turn, site.layer, lookup, [&](const cache::SqliteStore& store) {
    if (auto decision = store.find_decision(site.site.row)) {
      found = Found{*std::move(decision), stores_[site.layer]->location->decisions};
    }
  });
  return found;
}

std::optional<cache::Cubin> LayeredStores::binary(const std::string& compile_key, const cache::Hash& measured_hash,
                                                  LookupState& lookup) {
  Turn turn(*this);
  std::optional<cache::Cubin> other;
  for (std::size_t i = 0; i < stores_.size(); ++i) {
    std::optional<cache::Cubin> binary;
    ask(turn, &StoreLayer::binaries, &cache::Location::binaries, i, lookup.locked_binaries,
        [&](cache::BinaryStore& store) {
          if (store.distrust()) turn.report(*store.distrust());
          binary = store.find_compiled(compile_key, measured_hash);
          if (store.trouble()) turn.report(*store.trouble());
        });
    if (!binary) continue;
    if (measured_hash.empty() || binary->hash == measured_hash) return binary;
    if (!other) other = std::move(binary);
  }
  return other;
}

}  // namespace tuner
