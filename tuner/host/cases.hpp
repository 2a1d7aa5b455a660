#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/host/host_options.hpp"
#include "tuner/host/program.hpp"

namespace tuner::host {

/// One problem: its task and what its arguments hold before a launch.
struct HostProblem {
  std::string text;
  std::unique_ptr<Task> task;
  std::vector<BoundArgument> arguments;
  std::vector<std::vector<std::byte>> contents;  ///< by argument: inputs and scalars; empty for what is written first
  /// By argument: what it must hold afterwards; empty where no file says it.
  std::vector<std::vector<std::byte>> expected;
  std::vector<std::uint64_t> offsets;  ///< by argument: where the content stands in the file of inputs
  std::size_t reference = kNone;       ///< the case that computes what is right

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
};

/// One configuration on one problem.
struct HostCase {
  int variant = 0;
  std::size_t problem = 0;
  std::string configuration;
  Geometry geometry;
  std::vector<std::uint64_t> scratch;  ///< lengths
  std::vector<std::size_t> takes;      ///< positions of the arguments, in the order of the function's signature
  bool reference_only = false;         ///< runs only to be compared with
};

/// Everything that is to be run.
struct Cases {
  std::vector<HostProblem> problems;
  std::vector<VariantSource> variants;
  std::vector<HostCase> cases;        ///< those of one variant one after the other
  std::vector<std::string> changing;  ///< names of macros that differ between variants
  std::vector<Unchecked> unchecked;   ///< picks that no problem accepts
  std::vector<std::string> notes;     ///< options that mean nothing here
};

/// Binds the picks to their problems: a pick that is not valid for a problem is not run on it. Where the problem
/// reaches the compiler, each problem is a program of its own; of these at most two are compiled for a pick, others for
/// every pick. Throws as Task does.
Cases make_cases(std::shared_ptr<const KernelDescription> description, const std::vector<Pick>& picks,
                 const HostOptions& options);

/// The file of inputs and the plan that the program reads (shim/plan.hpp).
struct PlanFiles {
  std::filesystem::path inputs, plan, results, reports;
};
void write_inputs(Cases& cases, const std::filesystem::path& file);
/// `compiled` says by variant whether it can run. The plan's cases are numbered as in `numbers`.
void write_plan(const Cases& cases, const std::vector<std::size_t>& numbers, const PlanFiles& files,
                std::chrono::seconds limit);

}  // namespace tuner::host
