#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cache/records/key.hpp"
#include "cache/sqlite/sqlite.hpp"

namespace tuner::cache {

/// Rows of one table.
struct NumberedRows {
  std::vector<std::int64_t> numbers;
  std::int64_t bytes = 0;
};

/// Those of one task.
struct RowsOfTask {
  NumberedRows decisions, trials, quarantined;
  bool empty() const { return decisions.numbers.empty() && trials.numbers.empty() && quarantined.numbers.empty(); }
};

/// Which rows nothing needs (prune.hpp). Looks at the versions and drivers that there are when it is made, so it lives
/// within the transaction in which that is to hold.
class NeedlessRows {
 public:
  struct Task {
    std::int64_t id = 0;
    DecisionKey key;
    std::int64_t served = 0;   ///< decision; 0: none
    bool is_outdated = false;  ///< a version without a decision, and a later one was tuned
  };

  explicit NeedlessRows(const sqlite::Connection& connection);
  const std::vector<Task>& tasks() const { return tasks_; }
  RowsOfTask of(const Task& task) const;

 private:
  void find_tasks();
  void find_drivers();
  bool is_gone(const std::string& device, const std::string& driver) const;

  const sqlite::Connection& connection_;
  std::vector<Task> tasks_;
  std::map<std::string, std::set<std::string>> drivers_;  ///< by device, those that quarantine is kept for
};

}  // namespace tuner::cache
