#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

#include "tuner/fleet/queue/worker.hpp"

namespace tuner::cli {

/// Where a worker tunes.
struct FleetPlace {
  int device = 0;
  std::size_t workers = 0;                                   ///< compile processes; 0: as many as the cores allow
  std::optional<std::chrono::milliseconds> compile_timeout;  ///< empty: that of `tuner tune`
  std::uint64_t compile_memory = 0;                          ///< bytes a compile process; 0: likewise
  std::filesystem::path database;                            ///< as given with --db
};

/// Tunes a job from the queue as `tuner tune` tunes a file, into the local database, and returns its rows: those of the
/// job's key that `tuner export` writes, without what compilers said, which is in the log. What is wrong with the job
/// is an answer. Throws Error for what is wrong here: no GPU, no toolkit, a database that cannot be written.
fleet::Answer tune_job(const fleet::Package& package, const FleetPlace& place, const std::atomic<bool>& stop);

}  // namespace tuner::cli
