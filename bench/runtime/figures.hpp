#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace tuner::bench {

/// The value below which this share of the values lies; 0 of none.
double quantile(std::vector<double> values, double share);

struct Asked {
  std::optional<double> at_most = {};
  std::optional<double> at_least = {};
};

/// Prints one row of the table that these programs have in common, "| what | 0.41 ms | at most 1 ms | yes |", and no
/// other line that begins so: bench/gpu_runtime.sh collects them.
void print_figure(std::string_view what, double value, std::string_view unit, Asked asked = {});

}  // namespace tuner::bench
