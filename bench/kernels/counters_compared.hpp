#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tuner::bench {

/// How often something was counted on one kernel: as text where ncu printed it, with what its rounding may hide.
struct Counted {
  std::vector<double> values;  ///< one of each run
  double precision = 0;        ///< of the least exact
};

enum class Agreement {
  equal,      ///< all of both are the same number
  different,  ///< something that must be equal is not, or one side lacks it
  within,     ///< the median of ours lies among ncu's
  outside,    ///< or not
  missing,    ///< neither has it
};

/// Whether a counter is a number of instructions or requests: the same in every run of the same launch.
bool must_be_equal(const std::string& metric);

/// Equality is asked for only where ncu's own runs are equal.
Agreement compare_counts(const std::string& metric, const Counted& ours, const Counted& ncus);

/// How well ncu agrees with itself: of how many runs the median lies among what its others counted. A run that counted
/// nothing is left out.
struct RunsAmongOthers {
  int among = 0, compared = 0;
};
RunsAmongOthers runs_among_others(const std::vector<Counted>& runs);

struct RunsOfEach {
  int ours = 5;
  int ncus = 5;  ///< each may look at several launches
};

/// Reads OUT/<name>.ours.<run>.json and OUT/<name>.ncu.<run>.csv, and prints a table and a summary. Returns 1 if
/// anything that must be equal is not, or a run has no counters, which is said.
int compare_with_ncu(const std::filesystem::path& out, const std::vector<std::string>& names, RunsOfEach runs);

}  // namespace tuner::bench
