#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store/store.hpp"

namespace tuner::cache {

/// What can be forgotten.
enum class Forget { everything, decisions, trials, quarantine };

/// How much was forgotten that counted until then.
struct Forgotten {
  std::int64_t decisions = 0;  ///< served ones: one a key
  std::int64_t trials = 0;
  std::int64_t quarantined = 0;
  bool nothing() const { return decisions == 0 && trials == 0 && quarantined == 0; }
};

/// A store as commands use it, between sessions: they read what belongs to decisions, and forget.
class Database : public Store {
 public:
  /// Those of the decision in this row, in the order of kind and name.
  virtual std::vector<DecisionText> find_texts(std::int64_t decision) const = 0;
  /// The text of kind `sizes` and this name that counts for the kernel, device, mode and objective of this key,
  /// whatever its problem: that of the newest decision that has one and was not forgotten.
  virtual std::optional<std::string> find_sizes(const DecisionKey& key, std::string_view name) const = 0;
  /// Everything that is in force and passes the filter, oldest first.
  virtual std::vector<Quarantined> list_quarantine(const Filter& filter) const = 0;
  /// Makes history of what counts now and passes one of the filters, in one transaction, and says how much for each of
  /// them; what is recorded later counts.
  virtual std::vector<Forgotten> forget_each(const std::vector<Filter>& filters, Forget what) = 0;
  Forgotten forget(const Filter& filter, Forget what) { return forget_each({filter}, what).front(); }
};

}  // namespace tuner::cache
