#pragma once

#include "cache/store.hpp"

namespace tuner::cache {

/// Keeps everything in memory for the life of the object: what a session uses when there is no database to write to.
/// Rows are found again exactly as in a database.
class MemoryStore final : public Store {
 public:
  void record_trials(std::span<const Trial> trials) override;
  void record_decision(const Decision& decision) override;
  std::optional<Decision> find_decision(const DecisionKey& key) const override;
  std::vector<Decision> list_decisions(const Filter& filter) const override;
  std::vector<Trial> find_trials(const DecisionKey& key) const override;

 private:
  std::vector<Trial> trials_;
  std::vector<Decision> decisions_;  // with the history, oldest first
};

}  // namespace tuner::cache
