#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/power/disk.hpp"

namespace tuner::power {

/// The power fails after `events` events, when the program had made `promises`; `folder` is what the disk shows.
/// Returns what is wrong with that; empty if nothing.
struct Failure {
  std::size_t events = 0;
  std::vector<std::string> promises;
  std::filesystem::path folder;
};
using Check = std::function<std::string(const Failure&)>;

/// What a scenario of victim.cpp did to a folder.
class Recorded {
 public:
  /// Runs it, in `folder`.
  Recorded(const std::string& scenario, const std::filesystem::path& folder);

  /// What everybody saw when the program started, and at the moment of each promise.
  void at_promises(const std::function<void(const std::filesystem::path& folder)>& look) const;
  /// After how many events the power fails: before and after every sync and promise, and evenly between, so that there
  /// are `least` of them if there are as many events.
  std::set<std::size_t> cuts(std::size_t least) const;
  /// Lets the power fail at each cut, once for each of several things that a disk may have kept. Returns how often
  /// that was and the first complaints.
  struct Findings {
    std::size_t failures = 0;
    std::size_t complaints = 0;
    std::string first;
  };
  Findings fail_at(const std::set<std::size_t>& cuts, const Check& check) const;

 private:
  std::filesystem::path folder_;
  Disk start_;
  std::vector<Event> events_;
};

/// A folder's files with their contents.
std::map<std::string, std::string> contents_of(const std::filesystem::path& folder);

}  // namespace tuner::power
