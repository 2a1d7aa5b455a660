#pragma once

#include <atomic>
#include <optional>

#include "cache/store/database.hpp"
#include "tuner/cli/explain/comparison_report.hpp"
#include "tuner/cli/explain/measuring_request.hpp"
#include "tuner/cli/explain/side.hpp"
#include "tuner/engine/comparison/pair.hpp"

namespace tuner::cli {

/// What `tuner compare` was asked for.
struct CompareRequest : MeasuringRequest {
  Side first, second;
  engine::PairOptions pair;
};

/// Races the two on the GPU; without one, or where a decision's kernel cannot be compiled, what is stored is set side
/// by side. A side that has a number has its decision. `store` is null where there is no database. Nothing if it was
/// interrupted. Throws Error.
std::optional<ComparisonReport> compare(CompareRequest request, const cache::Database* store,
                                        const std::atomic<bool>& stop);

}  // namespace tuner::cli
