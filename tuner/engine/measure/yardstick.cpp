#include "tuner/engine/measure/yardstick.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tuner::engine {

bool Yardstick::add(std::size_t gpu, std::size_t common, double time_ns) {
  constexpr std::size_t kKept = 4;
  std::vector<double>& readings = readings_[gpu];
  if (common >= units_ns_.size()) units_ns_.resize(common + 1);
  if (!knows(common)) units_ns_[common] = time_ns / (readings.empty() ? 1 : readings.back());
  const double reading = time_ns / units_ns_[common];
  const double before = readings.empty() ? reading : readings.back();
  const auto [less, more] = std::minmax({before, reading});
  const bool agrees = more <= less * kAgrees;
  if (!agrees) readings.clear();
  if (readings.size() == kKept) readings.erase(readings.begin());
  readings.push_back(reading);
  return agrees;
}

double Yardstick::slowness(std::size_t gpu) const {
  const std::vector<double>& readings = readings_[gpu];
  if (readings.empty()) return 1;
  // What is compared was measured between the last two.
  return readings.size() == 1 ? readings.back() : (readings.back() + readings[readings.size() - 2]) / 2;
}

double Yardstick::fastest(std::span<const std::size_t> gpus) const {
  double fastest = std::numeric_limits<double>::infinity();
  for (const std::size_t gpu : gpus) {
    if (!readings_[gpu].empty()) fastest = std::min(fastest, slowness(gpu));
  }
  return std::isinf(fastest) ? 1 : fastest;
}

double Yardstick::disagreement(std::span<const std::size_t> gpus) const {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const std::size_t gpu : gpus) {
    for (const double reading : readings_[gpu]) {
      least = std::min(least, reading);
      most = std::max(most, reading);
    }
  }
  return gpus.size() > 1 && most > 0 ? most / least - 1 : 0;
}

}  // namespace tuner::engine
