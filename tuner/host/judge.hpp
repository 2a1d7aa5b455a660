#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/core/description/description.hpp"
#include "tuner/host/addresses.hpp"
#include "tuner/host/cases.hpp"
#include "tuner/host/compare.hpp"
#include "tuner/host/finding.hpp"
#include "tuner/host/host_options.hpp"
#include "tuner/host/outcome.hpp"
#include "tuner/host/reports.hpp"

namespace tuner::host {

/// Says what the outcomes of cases mean: collects findings, and adds to `unchecked` what could not be checked. Keeps
/// references to everything that it is given but the folder, which is the one where the program ran.
class Judge {
 public:
  Judge(const KernelDescription& description, const Cases& cases, const HostOptions& options, const KnownFiles& files,
        std::filesystem::path folder, std::vector<Unchecked>& unchecked)
      : description_(description),
        cases_(cases),
        options_(options),
        files_(files),
        folder_(std::move(folder)),
        unchecked_(unchecked) {}

  /// Such a case counts as not run: it stands under what is not checked.
  bool could_not_run(const CaseOutcome& outcome) const;
  /// `number`: the case's in the plan. `expected` may be null.
  void judge(const HostCase& one, std::size_t number, const CaseOutcome& outcome, const Expected* expected);
  /// A case that only runs to be compared with. `expected` may be null.
  void judge_reference(const HostCase& one, const CaseOutcome& outcome, const Expected* expected);
  /// After all cases were judged.
  void judge_races(const HostCase& one, const CaseOutcome& outcome, const Addresses& places);
  void add(Finding finding, const HostCase& shown_by);
  /// One finding for each class and place. Nothing can be added afterwards.
  std::vector<Finding> take_findings();

 private:
  void judge_fault(const HostCase& one, const CaseOutcome& outcome);
  void judge_busy(const HostCase& one, std::size_t number);
  /// One entry for each place, however many configurations come to it.
  void add_unchecked(Unchecked unchecked);
  Unchecked misfit(const HostCase& one, const CaseOutcome& outcome) const;
  Finding death(const HostCase& one, std::size_t number, const CaseOutcome& outcome) const;
  std::string report(std::size_t number) const;
  const HostProblem& problem_of(const HostCase& one) const { return cases_.problems[one.problem]; }

  const KernelDescription& description_;
  const Cases& cases_;
  const HostOptions& options_;
  const KnownFiles& files_;
  const std::filesystem::path folder_;
  std::vector<Unchecked>& unchecked_;
  std::vector<Finding> findings_;
  std::set<std::string> uncheckable_;              ///< configurations
  std::map<std::size_t, SourceSpot> busy_places_;  ///< by problem
};

}  // namespace tuner::host
