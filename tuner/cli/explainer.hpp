#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "tuner/cli/explanation.hpp"
#include "tuner/cli/side.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/comparison/path.hpp"
#include "tuner/engine/comparison/side_by_side.hpp"
#include "tuner/engine/session/session_options.hpp"
#include "tuner/engine/session/session_parts.hpp"

namespace tuner::cli {

/// What `tuner explain` was asked for.
struct ExplainRequest {
  Side to, from;
  std::string kernel;
  ProblemValues problem;
  engine::SessionOptions session;
  engine::PathOptions path;
  bool with_counters = false, with_path = true;
  int device = 0;
  std::filesystem::path database;
};

/// Measures one configuration against another and says why their times differ. Everything handed over outlives it.
class Explainer {
 public:
  /// Throws Error{bad_usage} for sides that name no valid configuration of the task.
  Explainer(const ExplainRequest& request, const engine::SessionParts& parts, const Task& task,
            const cache::Store* store);

  /// What the GPU reaches, where the kernel declares its work: measured once and stored. Before `explain`.
  void add_roofline();
  /// Nothing if it was interrupted. Throws Error{baseline_failed} where one of the two does not run.
  std::optional<Explanation> explain();

 private:
  void find_the_path();
  void race(const std::vector<std::size_t>& both);
  void count();
  void find_reasons();
  void add_bound();

  const ExplainRequest& request_;
  const Task& task_;
  const search::Configuration from_, to_;
  const engine::SessionParts parts_;
  engine::SideBySide side_by_side_;
  std::optional<Roofline> rates_;
  Explanation found_;
};

}  // namespace tuner::cli
