#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/comparison/pair.hpp"
#include "tuner/explain/facts.hpp"

namespace tuner::cli {

/// What is shown of one side of a comparison.
struct ComparedSide {
  explain::ConfigurationFacts facts;  ///< its name as it was written, or completed
  std::string failure;                ///< what is wrong with it, a sentence; empty: nothing
  std::vector<std::string> remarks;   ///< what the other side is not, or a time is not
};

/// What `tuner compare` found.
struct ComparisonReport {
  std::string kernel, problem, device, mode;
  double within = 0.01;
  std::optional<engine::PairResult> raced;  ///< nothing: no GPU was used
  std::string not_raced;                    ///< why, a sentence
  ComparedSide first, second;
  std::vector<std::string> warnings;
};

std::string to_text(const ComparisonReport& report, std::size_t width);
/// For the comment of a review: a line and a table.
std::string to_markdown(const ComparisonReport& report);
/// One object; docs/json.md is its manual.
std::string to_json(const ComparisonReport& report);

}  // namespace tuner::cli
