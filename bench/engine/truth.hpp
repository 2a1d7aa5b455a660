#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "bench/engine/laboratory.hpp"

namespace tuner::bench {

/// What many interleaved samples say about some configurations.
struct Truth {
  std::vector<engine::EntryId> entries;   ///< of the laboratory's candidates
  std::vector<std::vector<double>> rows;  ///< [block][entry], ns
  std::vector<double> relative;           ///< time of each over the best's, paired: 1 for the best

  std::size_t best() const;
  double median_ns(std::size_t entry) const;
};

/// Runs every entry once a block, for so many blocks or until the time is up.
Truth find_truth(Laboratory& laboratory, const std::vector<engine::EntryId>& entries, int blocks,
                 std::chrono::seconds limit);

/// Lines "configuration <text> registers <n>", a line "blocks <n>", then n rows of float32 nanoseconds.
void write_truth(const Truth& truth, const Laboratory& laboratory, const std::filesystem::path& file);

}  // namespace tuner::bench
