#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cache/store/resource_facts.hpp"
#include "tuner/core/binary/code_facts.hpp"
#include "tuner/engine/comparison/pair.hpp"

namespace tuner::cli {

/// What is shown of one side of a comparison.
struct ComparedSide {
  std::string name;           ///< as it was written
  std::string configuration;  ///< canonical text
  std::optional<double> time_ns;
  std::string launch;
  cache::ResourceFacts facts;
  CodeFacts code;
  std::string failure;  ///< what is wrong with it, a sentence; empty: nothing
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
