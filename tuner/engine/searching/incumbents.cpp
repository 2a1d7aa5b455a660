#include "tuner/engine/searching/incumbents.hpp"

#include <algorithm>
#include <array>

namespace tuner::engine {

std::optional<EntryId> Incumbents::add_baseline() {
  if (const auto configuration = task_.baseline()) baseline_ = candidates_.add(*configuration);
  return baseline_;
}

std::optional<EntryId> Incumbents::add_previous(const cache::Store& store, const cache::DecisionKey& key) {
  try {
    const auto decision = store.find_decision(key);
    if (!decision || decision->reuse_hash != task_.reuse_hash()) return std::nullopt;
    const search::Configuration previous = task_.space().parse(decision->configuration);
    if (!task_.accepts(previous)) return std::nullopt;
    earlier_decision_ = decision;
    if (previous != candidates_[*baseline_].configuration) previous_ = candidates_.add(previous);
  } catch (const Error&) {
    // An unreadable store is reported when trials are written; values that are gone from the space need no words.
  }
  return previous_;
}

std::optional<EntryId> Incumbents::add_serving(const std::string& configuration) {
  if (configuration.empty()) return std::nullopt;
  try {
    const search::Configuration serving = task_.space().parse(configuration);
    if (!task_.accepts(serving)) return std::nullopt;
    for (const auto& known : {baseline_, previous_}) {
      if (known && candidates_[*known].configuration == serving) serving_ = known;
    }
    if (serving_) return std::nullopt;
    serving_ = candidates_.add(serving);
  } catch (const Error&) {
    // A program that uses what the space no longer has is not compared with anything.
  }
  return serving_;
}

bool Incumbents::is_baseline_compiled() const {
  return !baseline_ || candidates_[*baseline_].own_binary || candidates_[*baseline_].finished;
}

bool Incumbents::others_are_finished() const {
  const auto finished = [&](const auto& one) { return !one || candidates_[*one].finished; };
  return finished(previous_) && finished(serving_);
}

bool Incumbents::need(EntryId entry) const {
  const std::array all{baseline_, previous_, serving_};
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& one) { return one && candidates_.original(*one) == entry; });
}

std::optional<EntryId> Incumbents::raceable(std::optional<EntryId> entry) const {
  if (!entry || !candidates_[*entry].finished || candidates_[*entry].trial.outcome != Outcome::ok) return std::nullopt;
  return candidates_.original(*entry);
}

}  // namespace tuner::engine
