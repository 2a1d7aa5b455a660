#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <string>

#include "cache/store/store.hpp"
#include "tuner/cli/comparison_report.hpp"
#include "tuner/cli/side.hpp"
#include "tuner/core/task/problem.hpp"
#include "tuner/engine/comparison/pair.hpp"
#include "tuner/engine/session/session_options.hpp"

namespace tuner::cli {

/// What `tuner compare` was asked for.
struct CompareRequest {
  Side first, second;
  std::string kernel;
  ProblemValues problem;
  engine::SessionOptions session;
  engine::PairOptions pair;
  int device = 0;
  std::filesystem::path database;
};

/// Races the two on the GPU; without one, or where a decision's kernel cannot be compiled, what is stored is set side
/// by side. `store` is null where there is no database. Nothing if it was interrupted. Throws Error.
std::optional<ComparisonReport> compare(CompareRequest request, const cache::Store* store,
                                        const std::atomic<bool>& stop);

}  // namespace tuner::cli
