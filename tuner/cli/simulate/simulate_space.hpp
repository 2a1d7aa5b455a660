#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/simulation/scoring.hpp"
#include "search/simulation/simulation.hpp"
#include "tuner/cli/simulate/simulate_request.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner::cli {

/// A recording, ready for strategies to be run on it.
struct SimulatedSpace {
  std::string file;
  std::string name;  ///< the file's, without folder and ending
  std::string kernel, device;
  std::size_t valid_rows = 0;  ///< of all that are recorded
  double unit_s = 0;           ///< what a row costs in the mean; 0 where evaluations are counted
  /// The same for the same rows in any order under any names, so that a recording's figures do not depend on what else
  /// is simulated, and those of different recordings are drawn independently.
  std::uint64_t fingerprint = 0;
  std::unique_ptr<const Task> task;  // owns the space
  search::RecordedSpace recorded;
  search::Yardstick yardstick;
  std::vector<search::Configuration> promising;
};

/// Reads a recording as the request wants it. Throws Error{file_not_found, bad_recording}: also where every row failed,
/// or times or deviations are wanted and none are recorded.
SimulatedSpace load_space(const std::filesystem::path& file, const SimulateRequest& request);

}  // namespace tuner::cli
