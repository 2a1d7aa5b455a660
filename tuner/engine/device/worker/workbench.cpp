#include "tuner/engine/device/worker/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <type_traits>
#include <utility>

#include "tuner/engine/device/lane/memory_needed.hpp"
#include "tuner/engine/device/memory/still_running.hpp"
#include "tuner/engine/device/replay/launch_replay.hpp"
#include "tuner/engine/device/worker/buffers.hpp"
#include "tuner/engine/device/worker/counting.hpp"
#include "tuner/engine/device/worker/device_support.hpp"
#include "tuner/engine/device/worker/fence_prober.hpp"
#include "tuner/engine/device/worker/kernel.hpp"
#include "tuner/engine/device/worker/made_values.hpp"
#include "tuner/engine/device/worker/other_processes.hpp"
#include "tuner/engine/device/worker/resident_finalist.hpp"
#include "tuner/engine/device/worker/runner.hpp"
#include "tuner/engine/device/worker/sampler.hpp"
#include "tuner/engine/measure/screen.hpp"

namespace tuner::engine {
namespace {

using Clock = std::chrono::steady_clock;

// Adds the time of its life to a field of the reply, also when an exception ends it.
class Stopwatch {
 public:
  explicit Stopwatch(double& milliseconds) : milliseconds_(milliseconds) {}
  ~Stopwatch() { milliseconds_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& milliseconds_;
  Clock::time_point start_ = Clock::now();
};

bool take(DeviceReply& reply, Verdict verdict) {
  reply.outcome = verdict.outcome;
  reply.message = std::move(verdict.message);
  return reply.outcome == Outcome::ok;
}

}  // namespace

struct Workbench::Problem {
  /// Other inputs than those that are screened with, and outputs that a reference computed from them.
  struct Away {
    Candidate reference;
    std::uint64_t seed;  ///< of the inputs that are screened with
  };

  Problem(const PrepareProblem& request, const DeviceInfo& device, WorkStream& stream, const Monitor& monitor)
      : usual_timeout(request.launch_timeout),
        launch_timeout(request.launch_timeout),
        support(request.support_cubins, stream),
        buffers(request.arguments, request.seed, support, stream),
        sampler(buffers, stream, device, request.mode, request.launch_timeout),
        runner(buffers, support, stream, device, request.launch_timeout, request.deterministic,
               request.may_measure_rounding),
        clock(monitor) {}

  std::chrono::milliseconds usual_timeout;
  std::chrono::milliseconds launch_timeout;  ///< of the present request
  DeviceSupport support;
  Buffers buffers;
  Sampler sampler;
  Runner runner;
  ClockWatch clock;
  bool has_reference = false;
  std::optional<Away> away;  ///< left so by ConfirmCandidate
  std::vector<ResidentFinalist> finalists;
  int provided = 1;  ///< launches that a sample of theirs may have

  /// Copies of the buffers are for the race alone.
  void end_race() {
    if (provided > 1) sampler.release_copies();
    provided = 1;
  }
  int launches() const { return sampler.launches() + runner.launches(); }
  ResidentFinalist& finalist(std::size_t position) {
    if (position < finalists.size()) return finalists[position];
    throw Error(Errc::internal, fmt::format("A device worker was asked to race finalist {} of {}; report this.",
                                            position, finalists.size()));
  }
  void set_launch_timeout(const Isolation& isolation) {
    launch_timeout = isolation.launch_timeout.value_or(usual_timeout);
    sampler.set_launch_timeout(launch_timeout);
    runner.set_launch_timeout(launch_timeout);
  }
};

Workbench::Workbench(DeviceInfo device) : device_(std::move(device)), monitor_(device_.uuid) {}
Workbench::~Workbench() = default;

Workbench::Problem& Workbench::problem() {
  if (!problem_)
    throw Error(Errc::internal,
                "A device worker was asked to run a kernel before a problem was prepared; report this.");
  return *problem_;
}

WorkerReply Workbench::handle(const DeviceRequest& request) {
  DeviceReply reply;
  const bool prepares = std::holds_alternative<PrepareProblem>(request);
  const int launches_before = problem_ && !prepares ? problem_->launches() : 0;
  // After a winner was confirmed another problem follows more often than anything that needs this one's reference.
  bool returning = problem_ && problem_->away && !prepares && !std::holds_alternative<ConfirmCandidate>(request);
  bool ends = false;
  try {
    returning = returning && !come_back(reply);
    if (!returning) {
      std::visit(
          [&](const auto& typed) {
            using Result = typename std::decay_t<decltype(typed)>::Result;
            run(typed, reply, reply.result.emplace<Result>());
          },
          request);
    }
    ends = problem_ && problem_->runner.damaged();
  } catch (const StillRunning& hang) {
    const auto limit = problem_ ? problem_->launch_timeout : hang.limit();
    reply.outcome = Outcome::run_timeout;
    reply.message += fmt::format(
        "Its launch was still running after {} ms and was stopped; a longer launch timeout may let it finish.",
        limit.count());
    ends = true;
  } catch (const CallFailed& failure) {
    ends = end_with(failure, reply);
  } catch (const Error& error) {
    // Data that is no longer what it was: what is on the device may be of both kinds.
    if (error.code() != Errc::file_not_found) throw;
    reply.outcome = Outcome::worker_lost;
    reply.message += error.what();
    ends = !prepares;
  }
  reply.rounding_failed = ends && problem_ && problem_->runner.measures_rounding();
  // The reference ran on these inputs before, so it is not this request's doing: another worker is asked.
  if (returning) {
    ends = true;
    if (reply.outcome != Outcome::run_timeout) reply.outcome = Outcome::worker_lost;
  }
  if (problem_) reply.launches = problem_->launches() - launches_before;
  return {std::move(reply), ends};
}

/// Whether the context is dead.
bool Workbench::end_with(const CallFailed& failure, DeviceReply& reply) const {
  if (failure.result() == CUDA_ERROR_OUT_OF_MEMORY) {
    reply.outcome = Outcome::out_of_memory;
    reply.message += fmt::format("The device has no memory left for it: {}", failure.what());
    return false;
  }
  const bool is_kernels = is_a_kernels_doing(failure.result());
  reply.outcome = is_kernels ? Outcome::illegal_access : Outcome::worker_lost;
  if (!problem_) {
    reply.message += failure.what();
  } else if (is_kernels) {
    reply.message += problem_->runner.fault_text(failure.result());
    if (problem_->runner.met_fence(failure.result())) reply.fence_fault = error_text(failure.result());
    reply.misaligned = problem_->runner.met_alignment(failure.result());
  } else {
    reply.message += fmt::format("{} The cause may be the GPU rather than the kernel.", failure.what());
  }
  return true;
}

void Workbench::run(const PrepareProblem& request, DeviceReply& reply, PrepareResult& result) {
  const Stopwatch watch(reply.load_ms);
  problem_.reset();
  replay_.reset();
  try {
    problem_ = std::make_unique<Problem>(request, device_, stream_, monitor_);
    if (!take(reply, problem_->buffers.set_scalars()) ||
        !take(reply, make_values(request.value_cubin, problem_->buffers.arguments(), stream_))) {
      problem_.reset();
      return;
    }
    result.unfenced = problem_->buffers.raise_fences();
    result.other_processes = other_processes(monitor_.processes(), ProcessTable::of_this_machine());
  } catch (const CallFailed& failure) {
    if (failure.result() != CUDA_ERROR_OUT_OF_MEMORY) throw;
    std::size_t free_bytes = 0, all = 0;
    driver().memory_info(&free_bytes, &all);
    constexpr double kGiB = 1024.0 * 1024 * 1024;
    reply.outcome = Outcome::out_of_memory;
    reply.message = fmt::format(
        "The problem's buffers, with the copies that checking needs, take {:.3f} GiB, but the device has {:.3f} GiB "
        "free of {:.3f}; choose a smaller problem.",
        static_cast<double>(bytes_needed(request.arguments)) / kGiB, static_cast<double>(free_bytes) / kGiB,
        static_cast<double>(all) / kGiB);
  }
}

namespace {

bool load(const Candidate& candidate, Buffers& buffers, const DeviceInfo& device, WorkStream& stream,
          LoadedKernel& kernel, DeviceReply& reply) {
  const Stopwatch watch(reply.load_ms);
  const bool loaded = take(reply, load_kernel(candidate, buffers.arguments(), device, kernel));
  if (loaded) fill_constants(kernel, buffers.arguments(), stream);
  return loaded;
}

TimedRun run_of(const LoadedKernel& kernel) {
  return {.occupancy = kernel.occupancy, .occupancy_limiter = kernel.limiter, .local_bytes = kernel.facts.local_bytes};
}

// One launch a sample: a candidate that is far off needs no batch to show it.
void time(LoadedKernel& kernel, Sampler& sampler, ClockWatch& clock, Screen screen, DeviceReply& reply, TimedRun& run) {
  const Stopwatch watch(reply.timing_ms);
  sampler.note_activity();
  Screen::SampleVerdict verdict = Screen::SampleVerdict::more;
  while (verdict == Screen::SampleVerdict::more) {
    double nanoseconds = 0;
    if (!take(reply, sampler.sample(kernel, 1, nanoseconds))) return;
    verdict = screen.add(nanoseconds);
    run.samples_ns = screen.samples_ns();
  }
  run.censored = screen.censored();
  clock.moved();  // a race that follows compares its clock with this one
}

}  // namespace

/// To the inputs that are screened with, and the outputs that belong to them. False, with a message, if the reference
/// fails.
bool Workbench::come_back(DeviceReply& reply) {
  Problem& p = problem();
  const Problem::Away away = *std::exchange(p.away, std::nullopt);
  reply.message = "Again on the original inputs, the reference: ";  // in front of what an exception adds
  p.set_launch_timeout({});
  DeviceReply failed;
  LoadedKernel reference;
  if (load(away.reference, p.buffers, device_, stream_, reference, failed)) {
    const Stopwatch watch(reply.verify_ms);
    p.buffers.fill_inputs(away.seed);
    p.has_reference = take(failed, p.runner.run_reference(away.reference, reference, false));
  }
  reply.message = p.has_reference ? std::string() : reply.message + failed.message;
  return p.has_reference;
}

// Times the kernel and looks at what all of its launches may have done. What that finds comes first, and then there are
// no samples: they are of a kernel that does something else.
void Workbench::time_and_inspect(LoadedKernel& kernel, const ScreenPolicy& policy, std::optional<double> best_ns,
                                 DeviceReply& reply, TimedRun& run) {
  Problem& p = problem();
  if (reply.ok()) time(kernel, p.sampler, p.clock, Screen(policy, best_ns), reply, run);
  const Stopwatch watch(reply.verify_ms);
  Verdict verdict = p.runner.inspect();
  p.sampler.note_activity();  // the device was busy until now
  if (verdict.ok()) return;
  take(reply, std::move(verdict));
  run.samples_ns.clear();
  run.censored = false;
}

void Workbench::run(const RunReference& request, DeviceReply& reply, ReferenceResult& result) {
  Problem& p = problem();
  p.set_launch_timeout(request.isolation);
  p.end_race();
  p.has_reference = false;
  LoadedKernel kernel;
  const bool loaded = load(request.candidate, p.buffers, device_, stream_, kernel, reply);
  result.run = run_of(kernel);
  if (!loaded) return;
  {
    const Stopwatch watch(reply.verify_ms);
    const bool ran = take(reply, p.runner.run_reference(request.candidate, kernel, request.isolation.diagnose));
    result.not_compared = p.runner.not_compared();
    if (!ran || !take(reply, p.runner.something_is_written())) return;
    result.unproven = p.runner.unproven();
    if (!take(reply, p.runner.something_is_proven(result.unproven))) return;
  }
  time_and_inspect(kernel, request.policy, std::nullopt, reply, result.run);
  p.has_reference = reply.ok();
}

void Workbench::run(const ScreenCandidate& request, DeviceReply& reply, ScreenResult& result) {
  Problem& p = problem();
  if (!p.has_reference)
    throw Error(Errc::internal, "A device worker was asked to screen a kernel before it had a reference; report this.");
  p.set_launch_timeout(request.isolation);
  p.end_race();
  LoadedKernel kernel;
  const bool loaded = load(request.candidate, p.buffers, device_, stream_, kernel, reply);
  result.run = run_of(kernel);
  if (!loaded) return;
  std::optional<LikeRounding> like_rounding;
  {
    const Stopwatch watch(reply.verify_ms);
    Verdict verdict = p.runner.verify(kernel, request.isolation.diagnose);
    like_rounding = verdict.like_rounding;
    take(reply, std::move(verdict));
  }
  // How much faster it is says what a wider tolerance is worth.
  if (like_rounding) {
    DeviceReply unused;
    TimedRun rejected;
    time(kernel, p.sampler, p.clock, Screen(request.policy, request.best_ns), unused, rejected);
    if (!rejected.samples_ns.empty()) {
      like_rounding->time_ns = *std::min_element(rejected.samples_ns.begin(), rejected.samples_ns.end());
      result.like_rounding = std::move(like_rounding);
    }
  }
  time_and_inspect(kernel, request.policy, request.best_ns, reply, result.run);
  if (reply.outcome != Outcome::wrong_result) result.like_rounding.reset();
}

void Workbench::run(const LoadFinalists& request, DeviceReply& reply, LoadResult& result) {
  Problem& p = problem();
  p.finalists.clear();
  p.set_launch_timeout({});
  std::vector<ResidentFinalist> finalists;
  for (const Candidate& candidate : request.candidates) {
    // Both stand in front of what an exception adds.
    const std::string prefix = fmt::format("The finalist {}: ", candidate.configuration);
    reply.message = prefix;
    result.culprit = finalists.size();
    LoadedKernel kernel;
    bool loaded = load(candidate, p.buffers, device_, stream_, kernel, reply);
    // All lengths once now, so that no buffer is allocated while the race runs.
    if (loaded) {
      reply.message = prefix;
      loaded = take(reply, p.buffers.resize_scratch(kernel.scratch_lengths));
    }
    if (!loaded) {
      reply.message = prefix + reply.message;
      return;
    }
    ModuleGlobals globals(candidate.cubin.bytes, kernel.module.get(), p.support);
    finalists.push_back({std::move(kernel), std::move(globals)});
  }
  result.culprit.reset();
  result.launches_per_sample = p.provided = p.sampler.provide_for(request.launches);
  p.finalists = std::move(finalists);
}

void Workbench::run(const RunBlock& request, DeviceReply& reply, BlockResult& result) {
  Problem& p = problem();
  const Stopwatch watch(reply.timing_ms);
  result.disturbed = p.clock.moved();
  result.launches_per_sample = std::clamp(request.launches, 1, p.provided);
  for (const std::size_t position : request.order) {
    ResidentFinalist& finalist = p.finalist(position);
    LoadedKernel& kernel = finalist.kernel;
    // Both stand in front of what an exception adds.
    result.culprit = position;
    reply.message = fmt::format("The finalist {}: ", kernel.configuration);
    double nanoseconds = 0;
    const int before = p.launches();
    Verdict verdict = p.sampler.sample(kernel, result.launches_per_sample, nanoseconds);
    finalist.launches += p.launches() - before;
    if (!verdict.ok()) {
      reply.outcome = verdict.outcome;
      reply.message += verdict.message;
      return;
    }
    result.samples_ns.push_back(nanoseconds);
  }
  reply.message.clear();
  result.culprit.reset();
  result.disturbed = p.clock.moved() || result.disturbed;
}

void Workbench::run(const RecheckFinalist& request, DeviceReply& reply, RecheckResult&) {
  Problem& p = problem();
  if (!p.has_reference)
    throw Error(Errc::internal,
                "A device worker was asked to recheck a kernel before it had a reference; report this.");
  p.set_launch_timeout({});
  const Stopwatch watch(reply.verify_ms);
  reply.message = "Launched again in the module in which it was timed: ";  // in front of what an exception adds
  take(reply, recheck(p.finalist(request.finalist), request, {p.buffers, p.support, p.sampler, p.runner}));
}

void Workbench::run(const ConfirmCandidate& request, DeviceReply& reply, ConfirmResult& result) {
  Problem& p = problem();
  p.set_launch_timeout(request.isolation);
  LoadedKernel reference, candidate;
  // True whenever something may fail that is not the candidate's doing, also for what an exception ends.
  result.reference_failed = true;
  if (!load(request.reference, p.buffers, device_, stream_, reference, reply)) return;
  result.reference_failed = false;
  if (!load(request.candidate, p.buffers, device_, stream_, candidate, reply)) return;
  const Stopwatch watch(reply.verify_ms);
  if (!p.away) p.away = {request.reference, p.buffers.seed()};
  p.has_reference = false;

  const std::string prefix =
      p.buffers.depends_on_seed() ? fmt::format("On other inputs (seed {}), ", request.seed) : "On the same inputs, ";
  reply.message = prefix + "the reference: ";
  result.reference_failed = true;
  p.buffers.fill_inputs(request.seed);
  Verdict verdict = p.runner.run_reference(request.reference, reference, request.isolation.diagnose);
  if (verdict.ok()) {
    result.reference_failed = false;
    result.unproven = p.runner.unproven_on_other_inputs();
    reply.message = prefix + "the candidate: ";
    verdict = p.runner.verify(candidate, request.isolation.diagnose);
    if (Verdict found = p.runner.inspect(); !found.ok()) verdict = std::move(found);
  }
  reply.outcome = verdict.outcome;
  reply.message = verdict.ok() ? std::string() : reply.message + verdict.message;
}

void Workbench::run(const ProbeFences& request, DeviceReply& reply, ProbeResult& result) {
  Problem& p = problem();
  p.set_launch_timeout({});
  p.end_race();
  LoadedKernel kernel;
  if (!load(request.candidate, p.buffers, device_, stream_, kernel, reply)) return;
  const Stopwatch watch(reply.verify_ms);
  FenceProber prober(p.buffers, p.support, stream_, device_, p.launch_timeout);
  try {
    take(reply, prober.run(kernel, request.probes, result.passed));
  } catch (const CallFailed& failure) {
    result.misaligned = failure.result() == CUDA_ERROR_MISALIGNED_ADDRESS;
    throw;
  }
}

void Workbench::run(const CountCandidate& request, DeviceReply& reply, CountResult& result) {
  Problem& p = problem();
  p.set_launch_timeout(request.isolation);
  p.end_race();
  LoadedKernel kernel;
  if (!load(request.candidate, p.buffers, device_, stream_, kernel, reply)) return;
  if (!take(reply, p.buffers.resize_scratch(kernel.scratch_lengths))) return;
  const Stopwatch watch(reply.timing_ms);
  take(reply, count_launches(kernel, request.metrics, p.sampler, stream_, result));
}

void Workbench::run(const ReplayLaunch& request, DeviceReply& reply, ReplayResult& result) {
  problem_.reset();
  try {
    if (!replay_ || !replay_->serves(request)) {
      const Stopwatch watch(reply.load_ms);
      replay_.reset();  // before the next one needs its memory
      replay_ = std::make_unique<LaunchReplay>(request, stream_);
    }
    const Stopwatch watch(reply.verify_ms);
    replay_->run(request, result);
    return;
  } catch (const CannotReplay& refusal) {
    take(reply, {Outcome::launch_refused, refusal.reason});
  } catch (const CallFailed&) {
    replay_.reset();  // it may hold patterns, or be read-only
    throw;
  } catch (const Error& error) {  // of what the folder holds
    take(reply, {Outcome::launch_refused, error.what()});
  }
  replay_.reset();
}

}  // namespace tuner::engine
