#include "tuner/cli/capture/store_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <optional>
#include <utility>

#include "tuner/capture/kernel_name.hpp"
#include "tuner/capture/stored/received_launch.hpp"
#include "tuner/capture/stored/replayable.hpp"
#include "tuner/capture/stored/unstored.hpp"
#include "tuner/cli/capture/profile_output.hpp"
#include "tuner/cli/terminal/message.hpp"
#include "tuner/core/base/printable.hpp"
#include "tuner/core/base/text.hpp"
#include "tuner/core/base/words.hpp"
#include "tuner/error.hpp"
#include "tuner/process/usable_memory.hpp"

namespace tuner::cli {
namespace {

using capture::KernelProfile;
using capture::Profile;
using capture::ShapeProfile;
using capture::Snapshot;
using capture::WantedLaunch;

constexpr std::size_t kMostShapes = 4;
constexpr double kLongestLaunch = 3.6e12;  // nanoseconds: an hour

std::vector<WantedLaunch> wanted_launches(const KernelProfile& kernel, std::span<const std::uint64_t> ordinals) {
  if (ordinals.empty()) return capture::most_costly_launches(kernel, kMostShapes);
  std::vector<WantedLaunch> launches;
  for (const std::uint64_t ordinal : ordinals) launches.push_back({.ordinal = ordinal});
  return launches;
}

/// What launches like this one were in the profile.
capture::Weight weight_of(const Snapshot& snapshot, const Profile& profile, const KernelProfile& kernel) {
  const auto is_alike = [&](const ShapeProfile& each) {
    return std::ranges::equal(each.shape.grid, snapshot.launch.grid) &&
           std::ranges::equal(each.shape.block, snapshot.launch.block) &&
           each.shape.dynamic_shared == snapshot.launch.dynamic_shared;
  };
  const auto shape = std::ranges::find_if(kernel.shapes, is_alike);
  if (shape == kernel.shapes.end()) return {};
  return {.launches = shape->sums.launches,
          .mean_ns = shape->sums.total / static_cast<double>(shape->sums.launches),
          .share = profile.sums.total > 0 ? shape->sums.total / profile.sums.total : 0};
}

std::uint64_t bytes_of(const Snapshot& snapshot) {
  std::uint64_t bytes = 0;
  for (const capture::Memory& memory : snapshot.allocations) bytes += memory.size;
  for (const capture::Memory& memory : snapshot.variables) bytes += memory.size;
  return bytes;
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

std::filesystem::path default_folder(const std::string& kernel) {
  std::string name;
  for (const char each : kernel.substr(0, kernel.find_first_of("<("))) name += is_word_character(each) ? each : '_';
  return name + ".capture";
}

LaunchStore::LaunchStore(const StoringRequest& request, const std::vector<std::string>& command)
    : request_(request),
      // Both files of memory are there at once, and the pages of what was stored before.
      limit_(std::min(request.limit, usable_memory() / 3)),
      writer_(request.folder, capture::facts_of_program(command)) {}

StoringResult LaunchStore::store_from(const Profile& profile, const capture::CaptureOptions& options,
                                      const std::atomic<bool>& interrupted) {
  const KernelProfile& kernel = capture::find_kernel(profile.kernels, request_.kernel);
  const std::string name = one_line(capture::short_name(kernel.readable));
  const capture::WantedKernel wanted{
      .name = kernel.name,
      .limit = limit_,
      .longest = std::chrono::nanoseconds(static_cast<std::int64_t>(std::min(kernel.sums.longest, kLongestLaunch))),
      .launches = wanted_launches(kernel, request_.ordinals)};
  if (wanted.launches.empty()) {
    warn(fmt::format("No launch of {} was stored, because it is {}.", name, kernel.why_not_captured()));
    return {.text = "", .json = nullptr};
  }
  capture::CaptureOptions again = options;
  if (again.stop_after) again.stop_at_launches = wanted.launches.size();
  if (again.stop_after) *again.stop_after *= 2;  // storing takes time
  std::exception_ptr failed;
  const auto take = [&](capture::SentLaunch sent) {
    // A full disk does not end the program.
    try {
      return failed != nullptr || add(std::move(sent), profile, kernel);
    } catch (...) {
      failed = std::current_exception();
      return true;
    }
  };
  const Profile second = capture::store_launches(again, wanted, take, interrupted);
  if (failed) std::rethrow_exception(failed);

  if (writer_.launches() < wanted.launches.size()) {
    std::ranges::copy(second.troubles, std::back_inserter(reasons_));
    if (second.status.code != profile.status.code || second.status.signal != profile.status.signal)
      reasons_.push_back("The program did not end as it did the first time.");
    if (reasons_.empty()) reasons_.push_back("The program did not launch it so often this time.");
    for (const std::string& reason : reasons_) warn(one_line(reason));
    warn(fmt::format("{} of {} launches of {} stored.", writer_.launches(), wanted.launches.size(), name));
  }
  for (const std::string& doubt : doubts_) warn(one_line(doubt));
  if (writer_.launches() == 0) return {.text = "", .json = nullptr};
  writer_.finish();
  return {.launches = writer_.launches(),
          .text = fmt::format("\nStored {} of {} in {} ({} of memory). `tuner show {}` prints it.\n",
                              launches_text(writer_.launches()), name, one_line(request_.folder.string()),
                              megabytes(bytes_), in_command(request_.folder)),
          .json = {{"folder", request_.folder.string()},
                   {"kernel", capture::short_name(kernel.readable)},
                   {"wanted", wanted.launches.size()},
                   {"launches", writer_.launches()},
                   {"memory_bytes", bytes_},
                   {"held_ms", static_cast<double>(longest_ns_) / 1e6}}};
}

bool LaunchStore::add(capture::SentLaunch sent, const Profile& profile, const KernelProfile& kernel) {
  const capture::ReceivedLaunch received(std::move(sent.records), std::move(sent.before), std::move(sent.after),
                                         limit_);
  const std::optional<Snapshot>& snapshot = received.snapshot();
  if (!snapshot || snapshot->kernel != kernel.name) {
    reasons_.push_back("The program sent something that is no launch of the kernel; it was left out.");
    return false;
  }
  if (const std::string why_not = capture::why_not_replayable(*snapshot); !why_not.empty()) {
    reasons_.push_back(fmt::format("A launch was not stored, because the kernel {}.", why_not));
    return true;
  }
  const capture::StoredLaunch& stored =
      writer_.add(*snapshot, received.before(), received.after(), weight_of(*snapshot, profile, kernel));
  if (const std::string lacks = capture::unstored_text(stored.unstored); !lacks.empty())
    doubts_.insert(fmt::format("A stored launch may lack memory: {}.", lacks));
  bytes_ += bytes_of(*snapshot);
  longest_ns_ = std::max(longest_ns_, snapshot->launch.held_ns);
  return true;
}

}  // namespace tuner::cli
