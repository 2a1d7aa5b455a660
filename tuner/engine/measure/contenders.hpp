#pragma once

#include <optional>
#include <set>
#include <utility>

#include "tuner/engine/measure/entry_id.hpp"

namespace tuner::engine {

/// The fastest entries so far, by time: as many as may race. Best times only fall, so that what is not among them now
/// will not be a finalist.
class Contenders {
 public:
  /// Returns the entry that is no longer among them, which may be the new one; nothing while there is room.
  std::optional<EntryId> add(double time_ns, EntryId entry);
  void remove(EntryId entry);

  /// The time beyond which slower ones need not be measured completely. It is not the best: a single wrong sample must
  /// not end the screening of all others, and the next best are needed should the best fail in the end. Nothing while
  /// too few are known.
  std::optional<double> time_to_beat() const;

 private:
  std::set<std::pair<double, EntryId>> fastest_;
};

}  // namespace tuner::engine
