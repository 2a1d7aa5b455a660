#pragma once

#include <string>
#include <vector>

#include "cache/file/location.hpp"
#include "cache/store/wanted_store.hpp"
#include "tuner/cli/given/stored_kernel.hpp"
#include "tuner/cli/stored/wanted_value.hpp"

namespace tuner::cli {

/// What the list beside a database holds.
struct WantedEntries {
  std::vector<ValuedWanted> open;    ///< in the order of by_value
  std::vector<cache::Wanted> tuned;  ///< for which there is a decision by now
};

/// Those of this kernel; all if it is empty. Reads the sources of kernels whose work is needed, and compiles nothing.
/// Throws Error{store_*}.
WantedEntries wanted_entries(const cache::Location& location, const cache::WantedStore& list,
                             const std::string& kernel);

/// The kernel of an entry, as the program described it. Data from anyone: see reason_to_distrust.
StoredKernel wanted_kernel(const cache::Wanted& wanted, const cache::WantedStore& list);

}  // namespace tuner::cli
