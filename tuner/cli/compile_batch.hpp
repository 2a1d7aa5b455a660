#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tuner/cli/progress_line.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/pool.hpp"

namespace tuner::cli {

/// Programs that a check compiles, on all of its workers.
class CompileBatch {
 public:
  CompileBatch(engine::CompilePoolOptions options, const std::atomic<bool>& stop, ProgressLine& line)
      : pool_(std::move(options)), stop_(stop), line_(line) {}

  /// The answers in order; nothing where it was told to stop before, or `until` came: those are cancelled. Throws as
  /// CompilePool::poll.
  std::vector<std::optional<engine::CompileReply>> compile(
      std::vector<engine::CompileRequest> requests,
      std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());
  /// Asks the compiler what the source leaves open, as far as there is time. Throws Error{bad_description} if the
  /// description says something else.
  void check_signatures(const Task& task, const search::Configuration& configuration,
                        const std::string& architecture = "",
                        std::chrono::steady_clock::time_point until = std::chrono::steady_clock::time_point::max());

  int workers() const { return pool_.workers(); }

 private:
  engine::CompilePool pool_;
  const std::atomic<bool>& stop_;
  ProgressLine& line_;
  engine::TicketId ticket_ = 0;
};

}  // namespace tuner::cli
