#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cache/records/decision.hpp"

namespace tuner::cli {

/// What sessions found on several problems, a row each: problem, the winner's time, its speed-up, and how it differs
/// from the baseline.
class OverviewTable {
 public:
  /// In the place of what was added for the kernel and the problem before.
  void add(const cache::Decision& decision);
  std::size_t size() const { return decisions_.size(); }
  /// Those of a kernel in the order of the problems' values.
  std::string text(std::size_t width) const;

 private:
  std::vector<cache::Decision> decisions_;
};

/// Whether one problem comes before another: by the values of their properties, numbers by size. Both as texts.
bool comes_before(const std::string& problem, const std::string& other);

}  // namespace tuner::cli
