#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime/launch_plan.hpp"
#include "tuner/runtime/signature.hpp"

namespace tuner::detail {

/// What stands behind an Instance: the plans it had and has, and how its arguments are described. Lives as long as the
/// Runtime; all of it may be used from several threads.
class InstanceState {
 public:
  using Report = std::function<void(Notice::Kind, const std::string&)>;

  InstanceState(std::string kernel, std::vector<BoundArgument> arguments, Report report);

  /// That of an instance, for tests.
  static InstanceState& of(const Instance& instance) noexcept { return *instance.state_; }
  const Instance& instance() const noexcept { return instance_; }
  /// From now on launches follow this plan. Those before it stay.
  void publish(LaunchPlan plan);
  /// The same unless there is a plan already: what tuning found meanwhile, after all, is better.
  void publish_first(LaunchPlan plan);
  const LaunchPlan& plan() const noexcept { return *instance_.plan_.load(std::memory_order_acquire); }

  /// Whether anything was published yet.
  bool has_plan() const noexcept { return instance_.plan_.load(std::memory_order_acquire) != nullptr; }

  void set_tuning(bool tuning) noexcept { tuning_.store(tuning, std::memory_order_relaxed); }
  bool tuning() const noexcept { return tuning_.load(std::memory_order_relaxed); }

  // What a launch does that is not usual. They never throw.
  /// Whether the call site fits; otherwise a status that says why not.
  LaunchStatus check(const LaunchPlan& plan, const CallSignature& signature) noexcept;
  LaunchStatus refuse_scalar(const BoundScalar& scalar) noexcept;
  LaunchStatus refused_by_driver(CUresult result) noexcept;
  /// For every plan without `launch`: with constant memory that is filled first, the caller's function, or not at all.
  LaunchStatus launch_another_way(const LaunchPlan& plan, Stream stream, std::span<void* const> arguments) noexcept;
  /// Where a tuner::Buffer or tuner::scratch is passed, by a call site that fits.
  LaunchStatus launch_with_memory(const LaunchPlan& plan, Stream stream, void** arguments,
                                  const CallSignature& signature) noexcept;
  LaunchStatus launch_untyped(const LaunchPlan& plan, Stream stream, std::span<void* const> arguments) noexcept;

  /// Of the buffers, as this plan needs them.
  std::vector<Instance::ArgumentLength> lengths(const LaunchPlan& plan) const;

 private:
  /// When the observer is told.
  enum class Said { now, with_the_request };
  LaunchStatus queue(const LaunchPlan& plan, Stream stream, std::span<void*> arguments);
  LaunchStatus launch_with_constants(const LaunchPlan& plan, Stream stream, std::span<void* const> arguments);
  LaunchStatus launch_with_scratch(const LaunchPlan& plan, Stream stream, std::span<void*> arguments);
  LaunchStatus call_fallback(const LaunchPlan& plan, Stream stream, std::span<void* const> arguments);
  LaunchStatus refuse_count(std::size_t passed);
  LaunchStatus refuse_argument(std::size_t position, std::string_view why);
  LaunchStatus refuse_size(const BufferNeed& need, std::uint64_t given);
  LaunchStatus no_scratch(CUresult result, std::uint64_t bytes);
  LaunchStatus failure(int code, const std::string& sentence, Said said = Said::now) noexcept;

  Instance instance_;
  const std::string kernel_;
  const std::vector<BoundArgument> arguments_;
  const Report report_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<const LaunchPlan>> plans_;  ///< the last is in force
  std::set<std::string> sentences_;                       ///< of failed launches; never removed
  std::atomic<bool> tuning_{false};
};

}  // namespace tuner::detail
