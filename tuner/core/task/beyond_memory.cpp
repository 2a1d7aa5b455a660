#include "tuner/core/task/beyond_memory.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tuner/core/base/text.hpp"
#include "tuner/core/task/roofline.hpp"

namespace tuner {
namespace {

constexpr const char* kDeclaredRate = "declared_mb_per_s";
constexpr const char* kMemoryRate = "memory_mb_per_s";
constexpr const char* kCacheRate = "l2_cache_mb_per_s";
constexpr double kMega = 1e6;

bool exceeds(double achieved, double measured) {
  return achieved > (1 + kRooflineTolerance) * measured;
}

}  // namespace

bool BeyondMemory::beyond_l2_cache() const {
  return exceeds(bytes_per_s, rates.l2_cache);
}

std::optional<BeyondMemory> beyond_memory(double bytes_per_s, const MemoryRates& rates) {
  if (!exceeds(bytes_per_s, rates.memory)) return std::nullopt;
  return BeyondMemory{bytes_per_s, rates};
}

std::string text_of(const BeyondMemory& beyond) {
  const auto rate = [](double bytes_per_s) { return rate_text(bytes_per_s, "B/s"); };
  if (beyond.beyond_l2_cache())
    return fmt::format(
        "{} is more than the {} that the L2 cache of this GPU was measured to deliver: `work` or the "
        "data is wrong",
        rate(beyond.bytes_per_s), rate(beyond.rates.l2_cache));
  return fmt::format(
      "{} is more than the {} that the memory of this GPU was measured to deliver: the data came from "
      "the L2 cache",
      rate(beyond.bytes_per_s), rate(beyond.rates.memory));
}

void add_to_counters(const BeyondMemory& beyond, std::map<std::string, std::int64_t>& counters) {
  counters[kDeclaredRate] = std::llround(beyond.bytes_per_s / kMega);
  counters[kMemoryRate] = std::llround(beyond.rates.memory / kMega);
  counters[kCacheRate] = std::llround(beyond.rates.l2_cache / kMega);
}

std::optional<BeyondMemory> beyond_memory_in(const std::map<std::string, std::int64_t>& counters) {
  const auto rate = [&](const char* name) {
    const auto found = counters.find(name);
    return found == counters.end() ? 0 : kMega * static_cast<double>(found->second);
  };
  const MemoryRates rates{rate(kMemoryRate), rate(kCacheRate)};
  return rates.memory > 0 ? beyond_memory(rate(kDeclaredRate), rates) : std::nullopt;
}

}  // namespace tuner
