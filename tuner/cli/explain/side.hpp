#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "cache/store/database.hpp"
#include "search/space/space.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/timing.hpp"

namespace tuner::cli {

/// One side of a comparison, as it is written: "FILE", "FILE@baseline", "FILE@A=1,B=2", the number of a decision in
/// place of the file, or "@winner" for another configuration of what the first side has there.
struct Side {
  std::string written;
  std::optional<std::size_t> number;        ///< of a decision
  std::optional<cache::Decision> decision;  ///< of that number, once it is looked up
  std::filesystem::path file;               ///< where there is no number
  std::string configuration;                ///< "baseline", "winner", assignments; empty: not said
};

/// Throws Error{bad_usage}. `first` is the side before it.
Side parse_side(const std::string& written, const Side* first = nullptr);

/// What "winner" is for this task; nothing if nothing is stored.
std::optional<cache::Decision> stored_winner(const Task& task, Timing mode, const cache::Database* store);

/// The configuration that `side` names, which the task accepts: "winner" is the decision's, also where that was made on
/// another GPU, else what is stored for the task. Throws Error with a way out: bad_usage, or not_stored for a winner.
search::Configuration configuration_of(const Side& side, const Task& task, Timing mode, const cache::Database* store);

}  // namespace tuner::cli
