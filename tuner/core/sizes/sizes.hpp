#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/portfolio/portfolio.hpp"
#include "search/rule/learner.hpp"
#include "tuner/core/task/problem.hpp"

namespace tuner {

/// A problem that was tuned, and what serves it.
struct TunedSize {
  ProblemValues problem;
  std::int64_t decision = 0;  ///< its row in the database; 0: none
  double weight = 1;
  /// The member of the portfolio that serves it, of KernelSizes::configurations; nothing if none has a time there.
  std::optional<std::size_t> member;
  double loss = 0;  ///< of that member: 0.02 is two per cent slower than the best
};

/// A few configurations for all problems.
struct SizesPortfolio {
  std::vector<std::size_t> members;  ///< of KernelSizes::configurations, ascending
  double mean_loss = 0, worst_loss = 0;
  bool exact = true;  ///< proven to be best
};

/// What is known of a kernel over its problems on one GPU: few configurations that serve them all, and a rule for other
/// problems. A value.
struct KernelSizes {
  std::string kernel, device, mode;
  std::vector<std::string> configurations;  ///< canonical texts; those that the rest names
  std::vector<TunedSize> problems;
  double within = 0.02;               ///< what the portfolio may lose on a problem
  SizesPortfolio portfolio;           ///< the smallest
  std::vector<SizesPortfolio> curve;  ///< the best with one member, two, ...
  search::Rule rule;                  ///< its leaves name KernelSizes::configurations
  search::RuleValidation validation;
};

/// What sizes are made from: one row of `losses` for each of `problems`, of which members and losses are ignored, and
/// one column for each of `configurations`.
struct SizesInput {
  std::string kernel, device, mode;
  std::span<const std::string> configurations;
  std::vector<TunedSize> problems;
  const search::LossMatrix& losses;
  double within = 0.02;
  search::ProblemDistance distance;
  std::span<const std::string> further;  ///< expressions that a rule may ask about
  /// The columns that a rule may name: what is right at any size. If there are none, there is no rule.
  std::span<const std::size_t> may_serve;
  search::ConfigurationFacts facts;  ///< of the columns
};

/// Computes portfolio, curve and rule: seconds for dozens of problems. Throws as search::learn_rule does.
KernelSizes sizes_of(SizesInput input);

/// As JSON, with "format": 1.
std::string sizes_json(const KernelSizes& sizes);
/// Reads what sizes_json wrote. Throws Error{store_damaged} for anything else, and Error{store_newer} for a later
/// format, each with one sentence; the result can be evaluated and printed without further checks.
KernelSizes sizes_from_json(std::string_view text);

/// Why some sizes have no rule.
inline constexpr std::string_view kNoRule =
    "There is no rule for other sizes, since no winner was verified at any; `tuner tune` says why.";

/// For people: the portfolio as a table, the curve, and the rule as an indented tree.
std::string sizes_text(const KernelSizes& sizes, std::size_t width);

}  // namespace tuner
