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

#include "cache/binary_store.hpp"
#include "cache/location.hpp"
#include "cache/store.hpp"

namespace tuner {

struct Shelf;

/// The databases that a Runtime reads, the user's first. Each file is opened when it is first asked; what
/// cannot be used is reported once. Nothing here throws, writes or waits longer than the patience a question.
/// Safe to use from several threads.
class Shelves {
 public:
  struct Options {
    std::filesystem::path user;                 ///< as chosen; empty: the default place
    std::vector<std::filesystem::path> system;  ///< files or folders, in order
    std::chrono::milliseconds patience{50};
  };
  /// `report` is told, in a sentence, what cannot be used. It must not throw.
  Shelves(Options options, std::function<void(const std::string&)> report);
  ~Shelves();

  struct Found {
    cache::Decision decision;
    std::filesystem::path database;
  };
  /// The decision for exactly this key in the first database that has one which was measured or imported.
  std::optional<Found> find(const cache::DecisionKey& key);

  struct FoundSite {
    cache::Site site;
    std::size_t shelf = 0;
  };
  /// What is served for the key's kernel on any problem and device, by database.
  std::vector<FoundSite> sites(const cache::DecisionKey& key);
  /// The whole decision of a site; nothing if it went since.
  std::optional<Found> read(const FoundSite& found);

  /// The binary compiled for this key in the first database that may be trusted with code and has it.
  std::optional<cache::Binary> binary(const std::string& compile_key);

 private:
  template <class Question>
  void ask_decisions(Shelf& shelf, const Question& question);
  void report(const std::string& sentence);

  const std::function<void(const std::string&)> report_;
  std::mutex mutex_;
  std::set<std::string> reported_;
  std::vector<std::unique_ptr<Shelf>> shelves_;
};

}  // namespace tuner
