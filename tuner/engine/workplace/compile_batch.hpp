#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/nvcc_lane.hpp"
#include "tuner/engine/compile/pool.hpp"

namespace tuner::engine {

/// Hears how many are compiled, and of how many.
using CountCompiled = std::function<void(std::size_t done, std::size_t all)>;

/// Programs that belong together, compiled on all workers of a pool.
class CompileBatch {
 public:
  CompileBatch(CompilePoolOptions options, const std::atomic<bool>& stop, CountCompiled count)
      : pool_(std::move(options)), compilers_(pool_), stop_(stop), count_(std::move(count)) {}

  /// As NvccLane::choose().
  std::optional<ChosenCompiler> choose_compiler(const CompileRequest& baseline, const RecordedSource& recorded) {
    return compilers_.choose(baseline, recorded, stop_);
  }

  /// The answers in order; nothing where it was told to stop before, or `until` came: those are cancelled. Throws as
  /// CompilePool::poll.
  std::vector<std::optional<CompileReply>> compile(
      std::vector<CompileRequest> requests,
      std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());
  /// Asks the compiler what the source leaves open, as far as there is time. Throws Error{bad_description} if the
  /// description says something else.
  void check_signatures(const Task& task, const search::Configuration& configuration,
                        const std::string& architecture = "",
                        std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

  int workers() const { return pool_.workers(); }

 private:
  CompilePool pool_;
  NvccLane compilers_;
  const std::atomic<bool>& stop_;
  const CountCompiled count_;
  TicketId ticket_ = 0;
};

}  // namespace tuner::engine
