#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/workplace/compile_batch.hpp"
#include "tuner/ground/outcome.hpp"

namespace tuner::engine {

/// Runs configurations of a kernel on a GPU: each is to reproduce the reference behind fences, and is timed no longer
/// than it takes to see whether that changes anything. What fails is a finding.
class DeviceCheck {
 public:
  struct Options {
    std::shared_ptr<const KernelDescription> kernel;
    int device = 0;  ///< ordinal
    CompilePoolOptions compile;
    std::optional<RecordedSource> recorded;  ///< how the program's build compiles the kernel
    std::uint64_t seed = 0;
  };
  struct Finding {
    Outcome outcome = Outcome::ok;
    std::string message, configuration, problem;  ///< of the first
    std::size_t configurations = 1;               ///< that failed so on this problem
  };
  /// The configurations to check, as texts; asked once the reference has run.
  using Pick = std::function<std::vector<std::string>()>;
  /// Hears how many of a problem's configurations have run, and of how many.
  using CountRun = std::function<void(std::size_t done, std::size_t all)>;

  /// Starts the workers. `stop` outlives this. Throws Error{no_toolkit, no_worker}.
  DeviceCheck(Options options, const std::atomic<bool>& stop, CountCompiled count_compiled, CountRun count_run);

  /// Waits for the GPU's worker. Throws Error{no_driver}.
  const DeviceInfo& device();
  /// Throws Error if there is nothing to compare with, or the stop flag is set.
  void run(const ProblemValues& problem, const Pick& pick);

  const std::vector<Finding>& findings() const { return findings_; }
  const std::vector<std::string>& problems() const { return problems_; }  ///< that were checked to the end
  const std::vector<std::string>& notes() const { return notes_; }        ///< sentences
  std::size_t checked() const { return checked_; }                        ///< configurations, over all problems

 private:
  [[noreturn]] static void interrupted();
  DeviceReply ask(DeviceRequest request);
  std::vector<CompileReply> compile(std::vector<CompileRequest> requests);
  void choose_compiler(const Task& task, const search::Configuration& baseline);
  void prepare(const Task& task, const search::Configuration& baseline);
  void run_reference(const Task& task, const Candidates& candidates, EntryId baseline,
                     const search::Configuration& configuration, const std::string& problem);
  void note_not_compared(const Task& task, const std::vector<NotCompared>& not_compared,
                         const std::string& configuration, const std::string& problem);
  void note(Outcome outcome, const std::string& message, const std::string& configuration, const std::string& problem);

  const Options options_;
  const std::atomic<bool>& stop_;
  const CountRun count_running_;
  CompileBatch compile_;
  DeviceProcessLane device_;
  bool has_compiler_ = false;  ///< it is chosen
  std::size_t checked_ = 0;
  std::vector<Finding> findings_;
  std::vector<std::string> problems_, notes_;
};

}  // namespace tuner::engine
