#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cache/records/resource_facts.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/measure/entry_id.hpp"

namespace tuner::engine {

/// What compiling alone says of how fast a candidate may be.
struct Evidence {
  int spill_bytes = 0;  ///< stores and loads of a thread
  std::optional<double> occupancy;
};

/// From the compiler's facts: the occupancy as recorded, or else worked out for the launch; nothing where the launch
/// (`known_launch`) or the registers are not known.
Evidence evidence(const cache::ResourceFacts& facts, const Geometry& launch, bool known_launch,
                  const DeviceInfo& device);

/// Compiled candidates that wait for the device. Those that do not spill go before those that do, higher occupancy
/// before lower, else the order asked. Good ones early make the limits of the screening tight early, and are what a
/// budget of time has measured when it ends. None is left out, and none waits long: when four that were asked for later
/// have gone before it, it is next. Strategies hear of results in the order asked, so one that waits keeps back what
/// came of those.
class ReadyQueue {
 public:
  void push(EntryId entry, const Evidence& evidence);
  /// The next for the device. Must not be empty.
  EntryId pop();
  /// Takes it out of its turn; false if it does not wait.
  bool take(EntryId entry);
  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  void clear() { waiting_.clear(); }

 private:
  struct Waiting {
    EntryId entry;
    Evidence evidence;
    int passed = 0;  ///< by how many that were asked for later
  };
  std::vector<Waiting> waiting_;  ///< in the order asked
};

}  // namespace tuner::engine
