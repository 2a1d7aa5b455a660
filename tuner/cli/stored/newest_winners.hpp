#pragma once

#include <vector>

#include "cache/file/location.hpp"
#include "cache/store/database.hpp"
#include "tuner/cli/given/selection.hpp"

namespace tuner::cli {

/// Of those that `selection` includes the newest of each device and problem; of a kernel whose source has changed,
/// those of the newest source, and of two timing modes those of the cold one. Warns of what an earlier source leaves
/// out.
/// If there are none, says so. `store` is null where `from` has no database yet.
std::vector<cache::Decision> winners_to_export(const cache::Database* store, const cache::Location& from,
                                               const Selection& selection);

}  // namespace tuner::cli
