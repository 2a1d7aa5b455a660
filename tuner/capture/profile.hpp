#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "tuner/capture/incoming.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::capture {

/// Launches of one kernel with equal shapes.
struct ShapeProfile {
  LaunchShape shape;
  LaunchSums sums;
};

/// A kernel of a program.
struct KernelProfile {
  std::string name;      ///< mangled
  std::string readable;  ///< with its parameters
  std::string library;   ///< that it is from; empty for the program's own
  LaunchSums sums;
  std::uint64_t in_graphs = 0;       ///< so many of the launches
  std::vector<ShapeProfile> shapes;  ///< those with most time first
  std::uint64_t other_launches = 0;  ///< of shapes that are not listed: there were too many

  /// "launched by graphs only"; empty if nothing is known that forbids to store launches.
  std::string why_not_captured() const;
};

/// What a program did on the GPU.
struct Profile {
  std::vector<KernelProfile> kernels;  ///< those with most time first
  LaunchSums sums;
  std::chrono::nanoseconds wall_time{};
  std::uint64_t processes = 0;        ///< that used CUDA
  bool complete = true;               ///< whether each of them sent everything before it ended
  std::vector<std::string> troubles;  ///< sentences
  ExitStatus status;                  ///< of the program
  bool ended_by_us = false;           ///< before its own end
};

/// Of the mean; 0 for one launch.
double relative_spread(const LaunchSums& sums);

/// Adds up what the injected libraries send. What they send is bounded here, however much there is.
class ProfileBuilder {
 public:
  /// A packet of the socket.
  void add(std::span<const std::byte> packet);
  std::uint64_t launches() const { return profile_.sums.launches; }
  /// Everything added, in order.
  Profile take();

 private:
  struct Shapes {
    std::map<std::string, ShapeProfile> listed;  ///< by the bytes of the shape
    std::uint64_t others = 0;
    LaunchSums sums;
    std::uint64_t in_graphs = 0;
  };
  void add_launches(const Incoming& message);
  void add_trouble(const std::string& sentence);

  Profile profile_;
  std::map<std::string, Shapes> kernels_;
  std::size_t name_bytes_ = 0, shapes_ = 0;  ///< of all kernels
  std::set<int> unfinished_;                 ///< processes
};

}  // namespace tuner::capture
