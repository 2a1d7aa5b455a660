#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/device/lane/lane.hpp"
#include "tuner/engine/workplace/compile_batch.hpp"

namespace tuner::bench {

/// The engine's compile pool and device worker without its session: for measuring what a session's decisions are
/// compared with.
class Laboratory {
 public:
  Laboratory();

  const DeviceInfo& device() { return device_.info(); }
  /// Sets the problem up and computes the reference with the task's baseline. Throws Error where that fails.
  void prepare(const Task& task, Timing mode);
  /// Compiles these configurations and keeps those that compile, are no twin of an earlier one, and reproduce the
  /// reference. Returns what `candidates()` calls them, which also knows what became of the others.
  std::vector<engine::EntryId> add(const std::vector<search::Configuration>& configurations);
  const engine::Candidates& candidates() const { return *candidates_; }
  /// Makes these resident; a block then runs each of them once, in an order drawn anew. Nanoseconds, in their order.
  void load(const std::vector<engine::EntryId>& entries);
  std::vector<double> run_block();

 private:
  engine::CompileReply compile(engine::CompileRequest request);
  void require(const engine::DeviceReply& reply, const char* what) const;

  const std::atomic<bool> never_ = false;
  engine::CompileBatch compile_;
  engine::DeviceProcessLane device_;
  const Task* task_ = nullptr;
  std::optional<engine::Candidates> candidates_;
  std::size_t loaded_ = 0;
  std::uint64_t blocks_ = 0;
};

/// A kernel file's task on this device.
Task make_task(const std::filesystem::path& file, const std::string& problem, const std::vector<std::string>& where,
               const DeviceInfo& device);

}  // namespace tuner::bench
