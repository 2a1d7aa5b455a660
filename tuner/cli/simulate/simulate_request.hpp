#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "search/simulation/simulation.hpp"

namespace tuner::cli {

/// Rows of a recording that a strategy hears of before it starts.
struct PromisingRows {
  std::filesystem::path file;
  bool worst = false;  ///< the slowest instead of the fastest
  std::size_t count = 5;
};

/// What a search is charged for.
enum class SimulatedCost { evaluations, seconds };

/// What `tuner simulate` was asked to do.
struct SimulateRequest {
  std::vector<std::filesystem::path> files;
  std::vector<std::string> strategies;
  std::size_t repeats = 20;
  std::size_t budget = 200;
  std::size_t batch = 1;
  std::size_t workers = 1;
  std::uint64_t seed = 0;
  SimulatedCost cost = SimulatedCost::evaluations;
  search::Noise noise = search::Noise::none;
  std::optional<PromisingRows> promising;
  bool permute = false;
};

}  // namespace tuner::cli
