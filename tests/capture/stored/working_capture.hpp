#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/capture/stored/snapshot.hpp"

namespace tuner::test {

/// A launch that the fake driver runs, and what its memory held; the launch left it so.
struct WorkingLaunch {
  capture::Snapshot snapshot;
  std::vector<std::byte> memory;
};

/// Of a kernel (int* out, const int* in, int count) that does one of the things of fake_kernels.cpp. Its module has a
/// variable that it does not use.
WorkingLaunch launch_on_numbers(const std::string& does);
/// Of a kernel that walks along a list of three nodes, which lie in two allocations.
WorkingLaunch launch_on_list();

/// A capture of these.
void write_working(const std::filesystem::path& folder, const std::vector<WorkingLaunch>& launches);

}  // namespace tuner::test
