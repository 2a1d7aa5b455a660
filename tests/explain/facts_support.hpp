#pragma once

#include <string_view>
#include <vector>

#include "tuner/explain/rules.hpp"

namespace tuner::explain::testing {

/// Two configurations alike in everything, on an H200: the slower takes `ratio` times as long because each instruction
/// takes that many times the cycles, all of them for a reason that no rule knows. 256 threads, 32 registers, 100
/// million instructions, 10 million requests for global memory of 4 sectors each.
struct Pair {
  explicit Pair(double ratio = 2);

  ConfigurationFacts slower, faster;
  DeviceInfo device;

  /// Cycles for an instruction; keeps time, latency and what is issued consistent.
  void spend(ConfigurationFacts& facts, std::string_view reason, double cycles);
  /// Times and ratio from instructions and issue rate, as on a GPU that is busy throughout.
  void settle();
  std::vector<Finding> explained();
};

void count(ConfigurationFacts& facts, std::string_view name, double value);
void count_both(Pair& pair, std::string_view name, double slower, double faster);

/// The finding of that cause with that claim; nullptr if there is none.
const Finding* find(const std::vector<Finding>& findings, std::string_view cause);
/// The causes that are claimed, in order.
std::vector<std::string_view> causes(const std::vector<Finding>& findings);

}  // namespace tuner::explain::testing
