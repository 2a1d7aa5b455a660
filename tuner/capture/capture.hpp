#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/capture/profile.hpp"
#include "tuner/capture/wanted.hpp"
#include "tuner/process/fd.hpp"

namespace tuner::capture {

struct CaptureOptions {
  std::vector<std::string> command;                     ///< the program and its arguments
  std::chrono::milliseconds after{0};                   ///< launches before do not count
  std::optional<std::chrono::milliseconds> stop_after;  ///< the program is ended then
  std::optional<std::uint64_t> stop_at_launches;        ///< or when so many were seen
  bool randomise = false;                               ///< addresses, where the system does that
  bool output_to_stderr = false;                        ///< what the program prints goes to standard error
  std::chrono::milliseconds patience{2000};  ///< so long at most the program waits at its end for its last report
  std::chrono::milliseconds grace{5000};     ///< for a program to end after SIGTERM, before SIGKILL
};

/// What the injected library wrote of a launch: snapshot_format.hpp. Files without names, in memory.
struct SentLaunch {
  std::size_t wanted = 0;  ///< index of what was asked for
  UniqueFd records, before, after;
};

/// Runs the program with the injected library and says what it launched. `interrupted` is looked at: the program is
/// then ended, and what was seen is returned. Throws Error if the program cannot be started, or the library is missing;
/// what fails in the program is a trouble of the profile.
Profile profile_program(const CaptureOptions& options, const std::atomic<bool>& interrupted);

/// Runs the program once more, and hands over each launch that was asked for while the program runs, until `take` says
/// that it was one. With `stop_at_launches`, however many, the program is ended once it will store no more. Of the
/// profile, kernels stay empty.
Profile store_launches(const CaptureOptions& options, const WantedKernel& kernel,
                       const std::function<bool(SentLaunch)>& take, const std::atomic<bool>& interrupted);

}  // namespace tuner::capture
