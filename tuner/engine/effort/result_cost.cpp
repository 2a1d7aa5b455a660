#include "tuner/engine/effort/result_cost.hpp"

#include <algorithm>
#include <cmath>

namespace tuner::engine {
namespace {

constexpr double kWholeSearch = 15;  ///< seconds
constexpr double kLeast = 1e-6;      ///< seconds a result: a recording may know no times

/// Seconds a result.
double rounded_up(double seconds, double space_size) {
  const double whole = std::max(seconds, kLeast) * space_size;
  return kWholeSearch * std::exp2(std::ceil(std::log2(whole / kWholeSearch))) / space_size;
}

}  // namespace

ResultCost::ResultCost(std::uint64_t space_size, double compilers, std::size_t gpus)
    : size_(static_cast<double>(space_size)),
      compilers_(compilers),
      gpus_(static_cast<double>(std::max<std::size_t>(gpus, 1))) {}

bool ResultCost::add(const cache::Trial& trial) {
  if (seconds_) return false;
  compiling_ms_ += trial.compile_ms;
  running_ms_ += trial.verify_ms + trial.timing_ms;
  if (++results_ < kSettling) return false;
  const double ms = std::max(compiling_ms_ / compilers_, running_ms_ / gpus_) / static_cast<double>(results_);
  seconds_ = rounded_up(ms / 1e3, size_);
  return true;
}

}  // namespace tuner::engine
