#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/host/finding.hpp"
#include "tuner/host/jobs.hpp"
#include "tuner/host/reports.hpp"

namespace tuner::host {

/// Where the calls to addresses of a program stand in the kernel's files.
class Addresses {
 public:
  /// Asks addr2line, which comes with every compiler, about all of them at once. Without it nothing is known.
  Addresses(const std::filesystem::path& program, const std::set<std::string>& addresses, const KnownFiles& files,
            const JobLimits& limits);

  /// The place of a stack of calls: the first in the kernel's file, else the first in a known one. `within` becomes the
  /// place in a header that was called from there, if it is one.
  SourceSpot place(const std::vector<std::string>& stack, SourceSpot& within) const;

 private:
  std::map<std::string, SourceSpot> spots_;
  std::string kernel_file_;
};

}  // namespace tuner::host
