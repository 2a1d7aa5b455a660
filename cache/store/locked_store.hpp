#pragma once

#include <mutex>

#include "cache/store/store.hpp"

namespace tuner::cache {

/// A store for several threads: one call after the other reaches the store behind it, which nobody else uses meanwhile
/// and which outlives this. Throws what that throws.
class LockedStore final : public Store {
 public:
  explicit LockedStore(Store& store) : store_(store) {}

  void record_trials(std::span<const Trial> trials) override;
  std::int64_t record_decision(const Decision& decision) override;
  void record_served(const Served& served) override;
  void record_texts(std::int64_t decision, std::span<const DecisionText> texts) override;
  std::optional<Decision> find_decision(const DecisionKey& key) const override;
  std::optional<Decision> find_decision(std::int64_t row) const override;
  std::vector<Site> list_sites(const DecisionKey& key) const override;
  std::vector<Decision> list_decisions(const Filter& filter) const override;
  std::vector<Trial> find_trials(const DecisionKey& key) const override;
  std::vector<Trial> find_reusable(const Run& run) const override;
  void record_quarantine(const Quarantined& quarantined) override;
  std::vector<Quarantined> find_quarantine(const DecisionKey& key, const std::string& driver) const override;
  std::vector<DecisionKey> list_keys(const Filter& filter) const override;

 private:
  template <class Call>
  auto locked(const Call& call) const {
    const std::lock_guard lock(mutex_);
    return call();
  }

  Store& store_;
  mutable std::mutex mutex_;
};

}  // namespace tuner::cache
