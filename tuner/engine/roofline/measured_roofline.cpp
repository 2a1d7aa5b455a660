#include "tuner/engine/roofline/measured_roofline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "tuner/core/description/parse_descriptions.hpp"
#include "tuner/engine/session/session.hpp"
#include "tuner/error.hpp"

namespace tuner::engine {

namespace {

constexpr std::uint64_t kMiB = 1 << 20;
/// So much larger than the L2 cache that what a flush leaves to be written back hardly counts; but not so large that
/// the buffers and their copies would crowd a small GPU.
constexpr std::uint64_t kCaches = 32, kLeastBytes = 256 * kMiB, kPartOfMemory = 16;
/// Of multiply-adds: some hundred microseconds in float.
constexpr std::int64_t kSteps = 1024, kWaves = 4;

/// Warnings pass, trials are not the user's.
class Measuring final : public Observer {
 public:
  explicit Measuring(Observer& observer) : observer_(observer) {}
  void progress(const Progress& progress) override {
    Progress shown = progress;
    shown.phase = "measuring what the GPU reaches: " + progress.phase;
    observer_.progress(shown);
  }
  void warning(const std::string& sentence) override { observer_.warning(sentence); }

 private:
  Observer& observer_;
};

class RooflineMeasurement {
 public:
  RooflineMeasurement(const DeviceInfo& device, bool reuse, const SessionParts& parts)
      : device_(device), reuse_(reuse), observer_(parts.observer), parts_{parts.compile,  parts.device, parts.store,
                                                                          parts.binaries, observer_,    parts.stop} {}

  /// Of memory: most of what reading and copying reach.
  std::optional<double> bandwidth() {
    const std::uint64_t bytes =
        std::min(std::max(kCaches * device_.l2_bytes, kLeastBytes), device_.memory_bytes / kPartOfMemory);
    const auto rate = [&](const char* kernel, std::uint64_t packs) {
      return best(kernel, {{"n", search::Value(static_cast<std::int64_t>(packs))}}, &Task::work_bytes);
    };
    return greater(rate("roofline_read", bytes / 16), rate("roofline_copy", bytes / 32));
  }

  /// Of a quarter of the L2 cache, as often as it takes to be timed.
  std::optional<double> cached() {
    constexpr std::int64_t kPasses = 64;
    const auto packs = static_cast<std::int64_t>(device_.l2_bytes / 4 / 16);
    return best("roofline_read_cached", {{"n", search::Value(packs)}, {"passes", search::Value(kPasses)}},
                &Task::work_bytes);
  }

  std::optional<double> arithmetic(ElementType type) {
    const std::int64_t threads = kWaves * device_.sm_count * device_.max_threads_per_sm;
    return best("roofline_multiply_add",
                {{"threads", search::Value(threads)},
                 {"steps", search::Value(kSteps)},
                 {"TYPE", search::Value(type == ElementType::float64 ? "double" : "float")}},
                &Task::work_flops);
  }

 private:
  using Work = std::optional<double> (Task::*)(const search::Configuration&) const;

  static std::optional<double> greater(std::optional<double> a, std::optional<double> b) {
    return a && b ? std::max(a, b) : std::nullopt;
  }

  /// A second of the work of the fastest configuration; nothing if the user stops it.
  std::optional<double> best(const char* kernel, const ProblemValues& problem, Work work) {
    if (parts_.stop) return std::nullopt;
    constexpr const char* kFile = "roofline_kernels.cu";
    const Task task(choose_description(parse_descriptions(roofline_source(), kFile), kFile, kernel), problem, device_);
    cache::Decision decision = measured(task, reuse_);
    const bool was_disturbed = decision.contended || decision.noisy;
    if (was_disturbed && is_stored_ && !parts_.stop) decision = measured(task, false);
    if (parts_.stop) return std::nullopt;
    if (!decision.has_winner()) fail(kernel, "no configuration of it ran.");
    return *(task.*work)(task.space().parse(decision.configuration)) / decision.time_ns * 1e9;
  }

  cache::Decision measured(const Task& task, bool reuse) {
    SessionOptions options;
    options.effort = Effort::quick;  // which tries these spaces completely
    options.takes_stored = reuse;
    options.keeps_source = false;  // it is in the program
    options.reuse = reuse;
    options.warm_start = false;
    try {
      const TuneReport report = run_session(task, options, parts_);
      is_stored_ = report.from_store;
      return report.decision;
    } catch (const Error& error) {
      // The user's kernel has nothing to do with it.
      if (error.code() == Errc::baseline_failed || error.code() == Errc::bad_problem)
        fail(task.description().kernel, error.what());
      throw;
    }
  }

  [[noreturn]] void fail(const std::string& kernel, const std::string& why) const {
    throw NoRoofline(
        fmt::format("What {} reaches could not be measured with the tuner's kernel {}: {}", device_.name, kernel, why));
  }

  const DeviceInfo& device_;
  const bool reuse_;
  bool is_stored_ = false;  ///< what `measured` returned last
  Measuring observer_;
  SessionParts parts_;
};

}  // namespace

std::optional<MemoryRates> measured_memory_rates(const DeviceInfo& device, bool reuse, const SessionParts& parts) {
  RooflineMeasurement measurement(device, reuse, parts);
  const std::optional<double> memory = measurement.bandwidth(), cache = measurement.cached();
  if (!memory || !cache) return std::nullopt;
  return MemoryRates{*memory, *cache};
}

Roofline measured_roofline(const Task& task, bool reuse, const SessionParts& parts) {
  const WorkDescription& work = task.description().work;
  RooflineMeasurement measurement(task.device(), reuse, parts);
  Roofline roofline;
  if (work.bytes) roofline.bytes_per_s = measurement.bandwidth();
  const std::optional<ElementType> type = work.flops ? task.work_type() : std::nullopt;
  if (type) roofline.flops_per_s = measurement.arithmetic(*type);
  return roofline;
}

}  // namespace tuner::engine
