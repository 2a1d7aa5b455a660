#pragma once

#include <map>
#include <utility>

#include "cache/store/database.hpp"

namespace tuner::cache {

/// Keeps everything in memory for the life of the object: what a session uses when there is no database to write to.
/// Rows are found again exactly as in a database.
class MemoryStore : public Database {
 public:
  void record_trials(std::span<const Trial> trials) override;
  std::int64_t record_decision(const Decision& decision) override;
  void record_texts(std::int64_t decision, std::span<const DecisionText> texts) override;
  std::vector<DecisionText> find_texts(std::int64_t decision) const override;
  std::optional<std::string> find_sizes(const DecisionKey& key, std::string_view name) const override;
  std::optional<Decision> find_decision(const DecisionKey& key) const override;
  std::optional<Decision> find_decision(std::int64_t row) const override;
  std::vector<Site> list_sites(const DecisionKey& key) const override;
  std::vector<Decision> list_decisions(const Filter& filter) const override;
  std::vector<Trial> find_trials(const DecisionKey& key) const override;
  std::vector<Trial> find_reusable(const Run& run) const override;
  void record_quarantine(const Quarantined& quarantined) override;
  std::vector<Quarantined> find_quarantine(const DecisionKey& key, const std::string& driver) const override;
  std::vector<Quarantined> list_quarantine(const Filter& filter) const override;
  std::vector<DecisionKey> list_keys(const Filter& filter) const override;
  std::vector<Forgotten> forget_each(const std::vector<Filter>& filters, Forget what) override;

 private:
  /// A row and whether it still counts.
  template <class Row>
  struct Kept {
    Row row;
    bool counts = true;
  };

  void know(const DecisionKey& key);
  Forgotten forget_one(const Filter& filter, Forget what);

  std::vector<DecisionKey> keys_;  // each once, oldest first
  std::vector<Kept<Trial>> trials_;
  std::vector<Kept<Decision>> decisions_;  // with the history, oldest first
  /// Of each decision, in the order of kind and name.
  std::map<std::int64_t, std::map<std::pair<TextKind, std::string>, std::string>> texts_;
  std::vector<Kept<Quarantined>> quarantine_;
};

}  // namespace tuner::cache
