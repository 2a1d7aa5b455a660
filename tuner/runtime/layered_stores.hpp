#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cache/file/location.hpp"
#include "cache/records/decision.hpp"
#include "cache/store/binary_store.hpp"
#include "tuner/core/task/served_winner.hpp"

namespace tuner {

struct StoreLayer;
template <class Store>
struct LayerFile;

/// A source that was parsed before, and what that said of it.
struct KnownSource {
  std::string source;                                ///< see cache::Served
  std::shared_ptr<const KernelDescription> outline;  ///< its kernel and problem properties, if nothing else
};

/// How one request looks into the databases. What others have locked for too long is not asked again for it.
struct LookupState {
  std::set<std::size_t> locked_decisions, locked_binaries;  ///< by position
  /// False if something may be stored that was not seen, and another lookup may see it.
  bool complete() const { return locked_decisions.empty() && locked_binaries.empty(); }
};

/// The databases that a Runtime reads, the user's first. Each file is opened when it is first asked; what
/// cannot be used is reported once. Nothing but `remember` throws or writes, and a lookup waits for each
/// file no longer than the patience. Safe to use from several threads.
class LayeredStores {
 public:
  struct Options {
    std::filesystem::path user;                 ///< as chosen; empty: the default place
    std::vector<std::filesystem::path> system;  ///< files or folders, in order
    std::chrono::milliseconds patience{50};
  };
  /// `report` is told, in a sentence, what cannot be used. It must not throw.
  LayeredStores(Options options, std::function<void(const std::string&)> report);
  ~LayeredStores();

  struct Found {
    cache::Decision decision;
    std::filesystem::path database;
  };
  /// The decision for exactly this key, measured or imported, in the first database from the `layer`th on that has one;
  /// `layer` becomes the position behind it.
  std::optional<Found> find(const cache::DecisionKey& key, std::size_t& layer, LookupState& lookup);

  /// The rule of the first database that knows something of the key's kernel over all problems (cache::kRuleOfSizes).
  std::optional<std::string> rule(const cache::DecisionKey& key, LookupState& lookup);

  /// What the first database that knows one of these sources says of it, if that is this kernel; any if it is empty.
  std::optional<KnownSource> known_source(const std::vector<std::string>& sources, const std::string& kernel);
  struct FoundServed {
    ServedWinner winner;
    cache::Cubin cubin;
    std::filesystem::path database;
  };
  /// What `find` would find for this source in this place (cache::Served), as a program launches it. Nothing where a
  /// row is missing, damaged, not trusted, or not what the first database with a decision says.
  std::optional<FoundServed> served(const std::string& source, const std::string& place, LookupState& lookup);
  /// Writes such a row of what was found in this database, if that is the user's. Throws Error{store_*} if it is locked
  /// or cannot be written.
  void remember(const cache::Served& served, const std::filesystem::path& database);

  struct FoundSite {
    cache::Site site;
    std::size_t layer = 0;
  };
  /// What is served for the key's kernel on any problem and device, by database.
  std::vector<FoundSite> sites(const cache::DecisionKey& key, LookupState& lookup);
  /// The whole decision of a site; nothing if it went since.
  std::optional<Found> read(const FoundSite& found, LookupState& lookup);

  /// The binary compiled for this key in the first database that may be trusted with code and has it; one that has the
  /// hash that a decision names, if there is one, before others, which another toolkit compiled.
  std::optional<cache::Cubin> binary(const std::string& compile_key, const cache::Hash& measured_hash,
                                     LookupState& lookup);

 private:
  class Turn;
  template <class Store, class Question>
  void ask(Turn& turn, LayerFile<Store> StoreLayer::*which, std::filesystem::path cache::Location::*name,
           std::size_t index, std::set<std::size_t>& locked, const Question& question);
  template <class Question>
  void ask_decisions(Turn& turn, std::size_t index, LookupState& lookup, const Question& question);
  template <class Question>
  void ask_served(Turn& turn, std::size_t index, const Question& question);

  const std::function<void(const std::string&)> report_;
  std::mutex mutex_;
  std::set<std::string> reported_;
  std::vector<std::unique_ptr<StoreLayer>> stores_;
};

}  // namespace tuner
