#include "cache/store/memory_store.hpp"

#include <algorithm>
#include <map>

#include "cache/file/fail.hpp"
#include "cache/store/store_rules.hpp"

namespace tuner::cache {
namespace {

bool passes(const Filter& filter, const DecisionKey& key) {
  const auto admits = [](const std::string& wanted, const std::string& actual) {
    return wanted.empty() || wanted == actual;
  };
  return admits(filter.kernel_name, key.kernel_name) && admits(filter.problem, key.problem) &&
         admits(filter.device, key.device);
}

/// Whether they differ in their problems at most.
bool same_sizes(const DecisionKey& a, const DecisionKey& b) {
  return a.kernel_identity == b.kernel_identity && a.device == b.device && a.mode == b.mode &&
         a.objective == b.objective;
}

}  // namespace

void MemoryStore::know(const DecisionKey& key) {
  if (std::find(keys_.rbegin(), keys_.rend(), key) == keys_.rend()) keys_.push_back(key);
}

void MemoryStore::record_trials(std::span<const Trial> trials) {
  for (const Trial& trial : trials) require_storable(trial);
  for (const Trial& trial : trials) {
    know(trial.key);
    trials_.push_back({trial});
    trials_.back().row.created_unix_ms = stamp(trial.created_unix_ms);
  }
}

std::int64_t MemoryStore::record_decision(const Decision& decision) {
  require_storable(decision);
  know(decision.key);
  decisions_.push_back({decision});
  Decision& kept = decisions_.back().row;
  kept.created_unix_ms = stamp(decision.created_unix_ms);
  kept.row = static_cast<std::int64_t>(decisions_.size());
  return kept.row;
}

void MemoryStore::record_texts(std::int64_t decision, std::span<const DecisionText> texts) {
  if (!find_decision(decision)) {
    fail(Errc::internal, "There is no decision {} for these texts to belong to: please report this as a bug.",
         decision);
  }
  const auto is_sizes = [](const auto& text) { return text.kind == TextKind::sizes; };
  if (std::any_of(texts.begin(), texts.end(), is_sizes)) {
    for (auto& [other, of_other] : texts_) {
      if (!same_sizes(find_decision(other)->key, find_decision(decision)->key)) continue;
      std::erase_if(of_other, [](const auto& text) { return text.first.first == TextKind::sizes; });
    }
  }
  for (const DecisionText& text : texts) {
    texts_[decision][{text.kind, text.name}] = text.text;
  }
}

std::vector<DecisionText> MemoryStore::find_texts(std::int64_t decision) const {
  std::vector<DecisionText> found;
  const auto of_decision = texts_.find(decision);
  if (of_decision == texts_.end()) return found;
  for (const auto& [place, text] : of_decision->second) found.push_back({place.first, place.second, text});
  return found;
}

std::optional<std::string> MemoryStore::find_sizes(const DecisionKey& key, std::string_view name) const {
  for (auto of_decision = texts_.rbegin(); of_decision != texts_.rend(); ++of_decision) {
    const auto& kept = decisions_[static_cast<std::size_t>(of_decision->first) - 1];
    if (!kept.counts || !same_sizes(kept.row.key, key)) continue;
    const auto text = of_decision->second.find({TextKind::sizes, std::string(name)});
    if (text != of_decision->second.end()) return text->second;
  }
  return std::nullopt;
}

std::optional<Decision> MemoryStore::find_decision(const DecisionKey& key) const {
  const auto newest =
      std::find_if(decisions_.rbegin(), decisions_.rend(), [&](const auto& kept) { return kept.row.key == key; });
  if (newest == decisions_.rend() || !newest->counts) return std::nullopt;
  return newest->row;
}

std::optional<Decision> MemoryStore::find_decision(std::int64_t row) const {
  if (row < 1 || row > static_cast<std::int64_t>(decisions_.size())) return std::nullopt;
  return decisions_[static_cast<std::size_t>(row) - 1].row;
}

std::vector<Site> MemoryStore::list_sites(const DecisionKey& key) const {
  std::vector<Site> sites;
  for (const Decision& served : list_decisions({})) {
    const DecisionKey& of = served.key;
    if (of.kernel_identity != key.kernel_identity || of.mode != key.mode || of.objective != key.objective) continue;
    if (served.origin == Origin::replay) continue;
    sites.push_back({of.kernel_name, of.problem, of.device, served.configuration, served.time_ns, served.awkward_sizes,
                     served.created_unix_ms, served.row});
  }
  return sites;
}

std::vector<Decision> MemoryStore::list_decisions(const Filter& filter) const {
  std::vector<Decision> newest;
  for (auto kept = decisions_.rbegin(); kept != decisions_.rend(); ++kept) {
    if (!kept->counts || !passes(filter, kept->row.key)) continue;
    const bool superseded =
        std::any_of(newest.begin(), newest.end(), [&](const Decision& listed) { return listed.key == kept->row.key; });
    if (!superseded) newest.push_back(kept->row);
  }
  return newest;
}

std::vector<Trial> MemoryStore::find_trials(const DecisionKey& key) const {
  std::vector<Trial> found;
  for (const auto& kept : trials_) {
    if (kept.row.key == key) found.push_back(kept.row);
  }
  return found;
}

std::vector<Trial> MemoryStore::find_reusable(const Run& run) const {
  std::map<std::string_view, std::size_t> latest;
  for (std::size_t i = 0; i < trials_.size(); ++i) {
    const Trial& trial = trials_[i].row;
    if (trials_[i].counts && trial.origin == Origin::measured && trial.reuse_hash == run.reuse_hash &&
        trial.conditions == run.conditions && trial.key == run.key) {
      latest[trial.configuration] = i;
    }
  }
  std::vector<std::size_t> in_order;
  for (const auto& [configuration, i] : latest) in_order.push_back(i);
  std::sort(in_order.begin(), in_order.end());
  std::vector<Trial> found;
  for (const std::size_t i : in_order) found.push_back(trials_[i].row);
  return found;
}

void MemoryStore::record_quarantine(const Quarantined& quarantined) {
  know(quarantined.key);
  quarantine_.push_back({quarantined});
  quarantine_.back().row.created_unix_ms = stamp(quarantined.created_unix_ms);
}

std::vector<Quarantined> MemoryStore::find_quarantine(const DecisionKey& key, const std::string& driver) const {
  std::vector<Quarantined> found = list_quarantine({key.kernel_name, key.problem, key.device});
  std::erase_if(found, [&](const Quarantined& quarantined) { return quarantined.driver != driver; });
  return found;
}

std::vector<Quarantined> MemoryStore::list_quarantine(const Filter& filter) const {
  std::vector<Quarantined> found;
  for (const auto& kept : quarantine_) {
    if (kept.counts && passes(filter, kept.row.key)) found.push_back(kept.row);
  }
  return found;
}

std::vector<DecisionKey> MemoryStore::list_keys(const Filter& filter) const {
  std::vector<DecisionKey> found;
  std::copy_if(keys_.begin(), keys_.end(), std::back_inserter(found),
               [&](const DecisionKey& key) { return passes(filter, key); });
  return found;
}

std::vector<Forgotten> MemoryStore::forget_each(const std::vector<Filter>& filters, Forget what) {
  std::vector<Forgotten> forgotten;
  for (const Filter& filter : filters) forgotten.push_back(forget_one(filter, what));
  return forgotten;
}

Forgotten MemoryStore::forget_one(const Filter& filter, Forget what) {
  const auto wanted = [&](Forget kind) { return what == Forget::everything || what == kind; };
  const auto make_history = [&](auto& rows) {
    std::int64_t count = 0;
    for (auto& kept : rows) {
      if (!passes(filter, kept.row.key)) continue;
      count += kept.counts ? 1 : 0;
      kept.counts = false;
    }
    return count;
  };
  Forgotten forgotten;
  if (wanted(Forget::decisions)) {
    forgotten.decisions = static_cast<std::int64_t>(list_decisions(filter).size());
    make_history(decisions_);
  }
  if (wanted(Forget::trials)) forgotten.trials = make_history(trials_);
  if (wanted(Forget::quarantine)) forgotten.quarantined = make_history(quarantine_);
  return forgotten;
}

}  // namespace tuner::cache
