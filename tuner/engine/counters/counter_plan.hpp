#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace tuner::engine {

/// Thrown where nothing can be counted: one sentence that names what forbids it and what would allow it.
class CountingRefused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How counters are collected on one kind of GPU. What the hardware cannot count at once is in different passes, each a
/// launch of its own; CUPTI decides which, best where it is asked for all of them together.
struct CounterPlan {
  std::vector<std::string> counted;  ///< of what was asked for, in its order
  std::vector<std::string> unknown;  ///< the rest: this GPU does not have it, or nothing is called so
  int passes = 0;
  std::vector<std::uint8_t> image;  ///< the passes, as CUPTI wants them
};

/// The kinds of GPU that can be planned for without one: "GH100", "AD102".
std::vector<std::string> known_chips();

/// Needs neither GPU nor driver; CUPTI is opened at the first call. Throws CountingRefused without CUPTI, and for a
/// chip that it does not know.
CounterPlan plan_counters(const std::string& chip, std::span<const std::string> names);

}  // namespace tuner::engine
