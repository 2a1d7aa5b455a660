#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "tuner/capture/capture.hpp"
#include "tuner/capture/stored/capture_folder.hpp"

namespace tuner::cli {

struct StoringRequest {
  std::string kernel;                   ///< as the user names it
  std::filesystem::path folder;         ///< that is made
  std::vector<std::uint64_t> ordinals;  ///< of launches; none: those that carry the most time
  std::uint64_t limit = 0;              ///< bytes of memory that one launch may take
};

struct StoringResult {
  std::size_t launches = 0;
  std::string text;
  nlohmann::ordered_json json;
};

/// Where launches of a kernel are stored.
class LaunchStore {
 public:
  /// Makes the folder. Throws Error{bad_usage} if it holds something.
  LaunchStore(const StoringRequest& request, const std::vector<std::string>& command);
  /// Runs the program once more. Warns of launches that could not be stored; the folder is gone if none could. Throws
  /// Error{bad_usage} if the profile has no such kernel, and what FolderWriter does, once the program has ended.
  StoringResult store_from(const capture::Profile& profile, const capture::CaptureOptions& options,
                           const std::atomic<bool>& interrupted);

 private:
  /// False if it was no launch.
  bool add(capture::SentLaunch sent, const capture::Profile& profile, const capture::KernelProfile& kernel);

  const StoringRequest request_;
  const std::uint64_t limit_;  ///< bytes of memory, as this machine has it
  capture::FolderWriter writer_;
  std::uint64_t bytes_ = 0;           ///< of memory
  std::uint64_t longest_ns_ = 0;      ///< for which a launch held up the program
  std::vector<std::string> reasons_;  ///< why launches were not stored
  std::set<std::string> doubts_;      ///< what those that were may lack
};

/// "scale.capture" for `scale<float>`.
std::filesystem::path default_folder(const std::string& kernel);

}  // namespace tuner::cli
