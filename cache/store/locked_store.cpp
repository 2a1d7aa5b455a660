#include "cache/store/locked_store.hpp"

namespace tuner::cache {

void LockedStore::record_trials(std::span<const Trial> trials) {
  locked([&] { store_.record_trials(trials); });
}

std::int64_t LockedStore::record_decision(const Decision& decision) {
  return locked([&] { return store_.record_decision(decision); });
}

void LockedStore::record_served(const Served& served) {
  locked([&] { store_.record_served(served); });
}

void LockedStore::record_texts(std::int64_t decision, std::span<const DecisionText> texts) {
  locked([&] { store_.record_texts(decision, texts); });
}

std::optional<Decision> LockedStore::find_decision(const DecisionKey& key) const {
  return locked([&] { return store_.find_decision(key); });
}

std::optional<Decision> LockedStore::find_decision(std::int64_t row) const {
  return locked([&] { return store_.find_decision(row); });
}

std::vector<Site> LockedStore::list_sites(const DecisionKey& key) const {
  return locked([&] { return store_.list_sites(key); });
}

std::vector<Decision> LockedStore::list_decisions(const Filter& filter) const {
  return locked([&] { return store_.list_decisions(filter); });
}

std::vector<Trial> LockedStore::find_trials(const DecisionKey& key) const {
  return locked([&] { return store_.find_trials(key); });
}

std::vector<Trial> LockedStore::find_reusable(const Run& run) const {
  return locked([&] { return store_.find_reusable(run); });
}

void LockedStore::record_quarantine(const Quarantined& quarantined) {
  locked([&] { store_.record_quarantine(quarantined); });
}

std::vector<Quarantined> LockedStore::find_quarantine(const DecisionKey& key, const std::string& driver) const {
  return locked([&] { return store_.find_quarantine(key, driver); });
}

std::vector<DecisionKey> LockedStore::list_keys(const Filter& filter) const {
  return locked([&] { return store_.list_keys(filter); });
}

}  // namespace tuner::cache
