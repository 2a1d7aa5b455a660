#pragma once

#include <cstddef>
#include <string>

#include "cache/store/decision.hpp"
#include "tuner/core/base/text.hpp"

namespace tuner::cli {

/// What several sessions found, a row each: problem, the winner's time, its speed-up, and how it differs from the
/// baseline.
class OverviewTable {
 public:
  OverviewTable();
  void add(const cache::Decision& decision);
  std::size_t size() const { return rows_; }
  std::string text(std::size_t width) const { return table_.text(width); }

 private:
  Table table_;
  std::size_t rows_ = 0;
};

}  // namespace tuner::cli
