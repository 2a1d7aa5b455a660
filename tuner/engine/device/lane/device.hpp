#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cache/records/binary.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/core/counters/counters.hpp"
#include "tuner/core/device/device.hpp"
#include "tuner/core/task/like_rounding.hpp"
#include "tuner/core/task/not_compared.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/core/task/unproven.hpp"
#include "tuner/engine/device/lane/replay.hpp"
#include "tuner/engine/lanes/lane.hpp"
#include "tuner/engine/measure/screen.hpp"
#include "tuner/ground/outcome.hpp"
#include "tuner/timing.hpp"

namespace tuner::engine {

/// A binary with its launch: what the device worker needs to run one configuration. Knows nothing of expressions.
struct Candidate {
  std::string configuration;  ///< canonical text: for messages and recordings
  cache::Cubin cubin;
  std::vector<KernelParameter> parameters;
  Geometry geometry;
  std::vector<std::uint64_t> scratch_lengths;  ///< elements, in signature order of the scratch arguments
  /// Positions of the arguments that it takes, in its order; absent: all that are parameters.
  std::optional<std::vector<std::size_t>> takes = std::nullopt;
  std::string ptx = {};  ///< of a reference: what shows how exactly it computes. May be absent
};

/// What is known of a kernel that was loaded and timed.
struct TimedRun {
  std::vector<double> samples_ns;   ///< in the order taken
  bool censored = false;            ///< stopped early
  std::optional<double> occupancy;  ///< 0..1, resident warps / maximum for this launch
  std::string occupancy_limiter;    ///< "warps", "registers", "shared" or "blocks"
  int local_bytes = 0;              ///< local memory per thread, from the driver
};

struct PrepareResult {
  std::string unfenced;                      ///< why buffers have no fences, one sentence; empty if they have
  std::vector<std::string> other_processes;  ///< what else computes on the GPU, as "4711 (python3)"
};

struct ReferenceResult {
  TimedRun run;
  std::vector<NotCompared> not_compared;  ///< what of its outputs it leaves unwritten
  std::vector<Unproven> unproven;         ///< what agrees with a kernel that computes nothing
};

struct ScreenResult {
  TimedRun run;
  std::optional<LikeRounding> like_rounding;  ///< why a candidate with a wrong result may be right after all
};

struct LoadResult {
  int launches_per_sample = 1;         ///< as asked for, or fewer where copies of the buffers do not fit
  std::optional<std::size_t> culprit;  ///< which finalist failed, by position
};

struct BlockResult {
  std::vector<double> samples_ns;  ///< in the order of the request
  int launches_per_sample = 1;     ///< as asked for, or as LoadResult says
  bool disturbed = false;          ///< the SM clock moved or the GPU was throttled while it ran
  /// Which finalist failed, by position; absent if the worker died or was stopped from outside, and what it knew with
  /// it.
  std::optional<std::size_t> culprit;
};

struct RecheckResult {};

struct ConfirmResult {
  bool reference_failed = false;   ///< the failure is the reference's, not the candidate's
  std::vector<Unproven> unproven;  ///< outputs that are the same bits as for the inputs that are screened with
};

struct CountResult {
  Counters counters;    ///< of those asked for, what this GPU has
  int passes = 0;       ///< launches that were counted; none counts everything
  std::string refused;  ///< why nothing was counted, one sentence with what an administrator sets; then the reply is ok
};

/// Buffers and scalars of the problem, and how everything is run. Kept by the lane, so that a worker that replaces a
/// dead one can be prepared again. The previous problem's buffers are released.
struct PrepareProblem {
  using Result = PrepareResult;
  std::vector<BoundArgument> arguments;
  std::uint64_t seed = 0;
  bool deterministic = false;  ///< outputs must be the same bits in every run, whatever the tolerances
  Timing mode = Timing::cold;
  /// False once the reference has ended a worker when its operations were rounded at random.
  bool may_measure_rounding = true;
  /// The device code that fills, poisons and compares: support_sources(), compiled.
  std::vector<std::vector<std::byte>> support_cubins;
  /// What makes the arguments that are values (value_source.hpp), compiled; empty where there are none.
  std::vector<std::byte> value_cubin = {};
  std::chrono::milliseconds launch_timeout{2000};  ///< a launch still running after this is stopped
};

/// How a request is run that has already cost a worker: by a worker that has run nothing else, and as any other request
/// if it does nothing wrong there. Set by the lane only.
struct Isolation {
  bool diagnose = false;  ///< take the time to find out what exactly it does wrong
  /// Instead of the problem's. A launch that is known to hang need not be waited for as long again.
  std::optional<std::chrono::milliseconds> launch_timeout;
};

/// Runs the candidate as the reference: its outputs become what all others must reproduce; also timed.
struct RunReference {
  using Result = ReferenceResult;
  Candidate candidate;
  ScreenPolicy policy;
  Isolation isolation = {};
};

/// Verify, then time until the policy says enough.
struct ScreenCandidate {
  using Result = ScreenResult;
  Candidate candidate;
  ScreenPolicy policy;
  std::optional<double> best_ns;  ///< of the session so far: for early kill
  Isolation isolation = {};
};

/// Makes candidates resident for a race; replaces the ones resident before. Samples of later blocks have one launch if
/// something else is screened in between, or run as the reference: copies of the buffers are released then.
struct LoadFinalists {
  using Result = LoadResult;
  std::vector<Candidate> candidates;
  int launches = 1;  ///< a sample, the most that blocks will ask for; more need copies of the buffers
  /// Candidates go on being screened beside them. Otherwise nothing disturbs the race: no worker starts to stand by.
  bool beside_screening = false;
};

/// One sample of each named resident finalist (by position), in this order, back to back.
struct RunBlock {
  using Result = BlockResult;
  std::vector<std::size_t> order;
  int launches = 1;  ///< a sample, back to back between two events; samples are nanoseconds of one launch in any case
};

/// Verifies a resident finalist (by position) again, over fresh poison, in the module and the buffers in which it was
/// timed: what keeps something from one launch to the next is right at first and may be wrong later.
struct RecheckFinalist {
  using Result = RecheckResult;
  std::size_t finalist = 0;
  /// So many its module has had, or is given now, for `kLongUse` at most: a worker that replaces a lost one has loaded
  /// it anew.
  int launches = 0;
  /// It is to win. If its launches change the module's global variables, it is launched `kLongUseLaunches` times more
  /// first, or for `kLongUse` of the device's time, whichever is less.
  bool wins = false;
};
inline constexpr int kLongUseLaunches = 1000;
inline constexpr std::chrono::seconds kLongUse{1};

/// Verifies again on inputs from another seed, reference recomputed by `reference` on the same inputs.
struct ConfirmCandidate {
  using Result = ConfirmResult;
  Candidate reference;
  Candidate candidate;
  std::uint64_t seed = 0;
  Isolation isolation = {};
};

/// Where a buffer has its fence while it is probed.
enum class FenceSide {
  behind,
  before,
  inside,  ///< far away on both sides; but its memory cannot be written to
};

/// One launch with a fence for one buffer alone, so many bytes from its data, which can be read and hold a pattern. All
/// other buffers are as they are timed.
struct FenceProbe {
  std::size_t argument = 0;  ///< its position
  FenceSide side = FenceSide::behind;
  std::uint64_t gap = 0;        ///< bytes; with it the data begins at a multiple of `alignment`
  std::uint64_t alignment = 1;  ///< bytes
};
/// The farthest fence that is asked for, and how far memory reaches on the side without one, at least.
inline constexpr std::uint64_t kProbeReach = 2 * 1024 * 1024;

struct ProbeResult {
  std::size_t passed = 0;   ///< launches that ended normally
  bool misaligned = false;  ///< the one after them needs a larger alignment
};

/// Launches a candidate once for each probe, until a launch meets its fence, which ends the worker. Compares nothing
/// and needs no reference. Made by the lane only, to find out what a fault was.
struct ProbeFences {
  using Result = ProbeResult;
  Candidate candidate;
  std::vector<FenceProbe> probes;
};

/// Counts what the hardware does in one launch on the data and the cache that a sample finds, in as many launches as
/// that takes; before each, in/out buffers get their content back. Compares nothing and needs no reference. For a lane
/// of its own: CUPTI stays in the worker, and what is timed beside it is slower.
struct CountCandidate {
  using Result = CountResult;
  Candidate candidate;
  std::vector<std::string> metrics;  ///< as counter_names() has them
  Isolation isolation = {};
};

using DeviceRequest = std::variant<PrepareProblem, RunReference, ScreenCandidate, LoadFinalists, RunBlock,
                                   RecheckFinalist, ConfirmCandidate, ProbeFences, CountCandidate, ReplayLaunch>;

/// One alternative for each request, in the same order, after one for "nothing is known": the worker was lost.
template <typename Requests>
struct ResultsOf;
template <typename... Requests>
struct ResultsOf<std::variant<Requests...>> {
  using type = std::variant<std::monostate, typename Requests::Result...>;
};
using DeviceResult = ResultsOf<DeviceRequest>::type;

/// Answer to a request: what all answers have, and the result of this kind of request, as far as it got.
struct DeviceReply {
  Outcome outcome = Outcome::ok;
  std::string message = {};  ///< one sentence for failures
  int launches = 0;          ///< kernel launches spent on it
  double load_ms = 0, verify_ms = 0, timing_ms = 0;
  /// A worker was lost over it, and it failed in one that had run nothing else: the failure is its own. Set by the
  /// lane.
  bool confirmed = false;
  /// The driver's error of a launch that met a fence, where a launch without fences ends normally and changes nothing
  /// that it should not. Empty: no such launch.
  std::string fence_fault = {};
  /// Such a launch failed because a buffer has a smaller alignment than the kernel needs.
  bool misaligned = false;
  /// The worker was lost over the reference, while its operations were rounded at random. The request is not to blame.
  bool rounding_failed = false;
  std::string gpu = {};  ///< UUID of the GPU that answered, where a lane has several. Set by the lane.
  DeviceResult result = {};

  bool ok() const { return outcome == Outcome::ok; }
  /// What a Request results in. Defaults where the reply has none: the worker was lost, or it answers another request.
  template <typename Request>
  const typename Request::Result& result_of() const {
    static const typename Request::Result kNone{};
    const auto* held = std::get_if<typename Request::Result>(&result);
    return held ? *held : kNone;
  }
  /// Of a RunReference or a ScreenCandidate; defaults for any other.
  const TimedRun& timed_run() const {
    const auto* screened = std::get_if<ScreenResult>(&result);
    return screened ? screened->run : result_of<RunReference>().run;
  }
};

/// The process that holds one GPU, or its stand-in. Requests are answered in the order submitted.
class DeviceLane : public Lane<DeviceRequest, DeviceReply> {
 public:
  /// What the device is. Known as soon as the worker has said hello; may wait for that (tens to hundreds of
  /// milliseconds at the first call). Throws Error{no_driver}, Error{no_worker}.
  virtual const DeviceInfo& info() = 0;
  /// Programs that must be compiled for this device and handed over with PrepareProblem, in this order; none if there
  /// is no need.
  virtual std::vector<std::string> support_sources() const { return {}; }
  /// How many GPUs screen candidates at the same time.
  virtual std::size_t gpus() const { return 1; }
  /// By what part the times of one configuration differ between them.
  virtual double disagreement() const { return 0; }
};

}  // namespace tuner::engine
