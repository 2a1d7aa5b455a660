#include "tuner/engine/device/lane/lane_requests.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace tuner::engine {
namespace {

using std::chrono::milliseconds;

// Which of two failures tells more. What a check found says more than what ended the process before a check.
int exactness(Outcome outcome) {
  switch (outcome) {
    case Outcome::worker_lost:
      return 0;
    case Outcome::run_timeout:
      return 1;
    case Outcome::illegal_access:
      return 2;
    default:
      return 3;
  }
}

}  // namespace

milliseconds limit_of(const DeviceRequest& request, const RequestLimits& limits) {
  // Both runs that verify, fenced and not, and as many of the reference.
  constexpr int kVerifying = 4;
  // A sample may have one before it that is thrown away. With a warm cache each is led in by a launch; before anything
  // is known of a kernel by a few, and those of a short one are no longer together than one that is not.
  constexpr int kFirstLeadIn = 4;
  const bool warm = limits.mode == Timing::warm;
  const auto samples = [&](int count, int kernels) {
    return (1 + count) * (warm ? 2 : 1) + (warm ? kFirstLeadIn * kernels : 0);
  };
  return std::visit(
      [&](const auto& typed) -> milliseconds {
        using Request = std::decay_t<decltype(typed)>;
        milliseconds launch = limits.launch_timeout;
        if constexpr (requires { typed.isolation; }) launch = typed.isolation.launch_timeout.value_or(launch);
        if constexpr (std::is_same_v<Request, PrepareProblem>) return limits.prepare;
        if constexpr (std::is_same_v<Request, RunReference> || std::is_same_v<Request, ScreenCandidate>)
          return launch * (kVerifying + samples(typed.policy.samples, 1)) + limits.slack;
        if constexpr (std::is_same_v<Request, LoadFinalists>) return limits.slack;
        if constexpr (std::is_same_v<Request, RunBlock>) {
          const int size = static_cast<int>(typed.order.size());
          // Further launches of a sample take little time, but the reference may be slow and among the finalists.
          const double reference_ms =
              std::min(limits.reference_ns.value_or(0) * 1e-6, static_cast<double>(launch.count()));
          const milliseconds further(static_cast<std::int64_t>(size * std::max(typed.launches - 1, 0) * reference_ms));
          return launch * samples(size, size) + further + limits.slack;
        }
        if constexpr (std::is_same_v<Request, RecheckFinalist>) {
          // What was missing and long use, each with a last launch that may take its time; one launch between them.
          constexpr int kFurther = 3;
          return launch * (kFurther + kVerifying) + 2 * kLongUse + limits.slack;
        }
        if constexpr (std::is_same_v<Request, ConfirmCandidate>) return launch * (3 * kVerifying) + limits.slack;
        if constexpr (std::is_same_v<Request, ProbeFences>)
          return launch * static_cast<int>(typed.probes.size()) + limits.slack;
        if constexpr (std::is_same_v<Request, CountCandidate>) {
          // A pass is a launch led in like a sample's. Few counters take more than one each, and most share theirs.
          constexpr int kFurtherPasses = 16;
          constexpr milliseconds kOpening{30000};  // CUPTI, which reads its tables and takes over the driver
          return launch * samples(static_cast<int>(typed.metrics.size()) + kFurtherPasses, 1) +
                 std::max(limits.slack, kOpening);
        }
        if constexpr (std::is_same_v<Request, ReplayLaunch>)
          return typed.launch_timeout * (typed.patterned ? kPatternCount : typed.times) +
                 std::max(limits.slack, limits.prepare);
      },
      request);
}

bool runs_a_candidate(const DeviceRequest& request) {
  return !std::holds_alternative<PrepareProblem>(request) && !std::holds_alternative<LoadFinalists>(request);
}

bool needs_finalists(const DeviceRequest& request) {
  return std::holds_alternative<RunBlock>(request) || std::holds_alternative<RecheckFinalist>(request);
}

void ask_for_diagnosis(DeviceRequest& request) {
  std::visit(
      [](auto& typed) {
        if constexpr (requires { typed.isolation; }) typed.isolation.diagnose = true;
      },
      request);
}

void isolate(DeviceRequest& request, const DeviceReply& first, const RequestLimits& limits) {
  std::visit(
      [&](auto& typed) {
        using Request = std::decay_t<decltype(typed)>;
        if constexpr (requires { typed.isolation; }) {
          typed.isolation.diagnose = true;
          if (first.outcome != Outcome::run_timeout) return;
          std::optional<double> comparable;
          if constexpr (std::is_same_v<Request, ScreenCandidate>) comparable = typed.best_ns;
          // The reference is run again as well.
          if constexpr (std::is_same_v<Request, ConfirmCandidate>) comparable = limits.reference_ns;
          if (!comparable) return;
          constexpr milliseconds kLeast{50};
          const double twenty_ms = std::clamp(20 * *comparable * 1e-6, 0.0, 1e9);
          typed.isolation.launch_timeout = std::clamp(milliseconds(static_cast<std::int64_t>(twenty_ms)),
                                                      std::min(kLeast, limits.launch_timeout), limits.launch_timeout);
        }
      },
      request);
}

DeviceReply more_exact(DeviceReply first, DeviceReply second) {
  // A hang is confirmed in a shorter time than the user granted, which is not what its message should name.
  const bool both_hang = first.outcome == Outcome::run_timeout && second.outcome == Outcome::run_timeout;
  return both_hang || exactness(first.outcome) > exactness(second.outcome) ? std::move(first) : std::move(second);
}

}  // namespace tuner::engine
