#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cache/store/binary_store.hpp"
#include "tuner/engine/compile/pool.hpp"
#include "tuner/engine_protocol/jobs.hpp"

namespace tuner::engine {

/// Compiles single configurations, two at a time, for a program that waits for each: what goes wrong, or takes longer
/// than the job's limit, is an answer. Binaries are put into the database's binaries, pinned, after they were handed
/// out. Used from one thread.
class CompileService {
 public:
  using Ticket = std::uint64_t;
  using Answer = std::pair<Ticket, CompileAnswer>;
  using Clock = std::chrono::steady_clock;

  /// Starts a compiler at once: it loads NVRTC while the first job is read.
  CompileService();

  void add(Ticket ticket, const CompileJob& job);
  /// What has been answered since the last call.
  std::vector<Answer> poll();
  /// Stores what `poll` has handed out; trouble costs a compile some day, and nothing is said of it.
  void keep_binaries();

  std::vector<int> wait_fds() const;
  Clock::time_point next_deadline() const;

 private:
  struct Work {
    std::filesystem::path database;
    std::string architecture;
    std::string key;    ///< binary_key
    std::string title;  ///< for messages
    std::chrono::milliseconds limit{0};
    Clock::time_point deadline{};
    bool cancelled = false;
  };

  void start_compiler();
  void cancel_those_too_late();
  void fail_all(const std::string& sentence);
  void keep(const Work& work, const CompileReply& reply);

  std::optional<CompilePool> pool_;
  std::map<Ticket, Work> compiling_;
  std::vector<Answer> answered_;
  std::vector<std::pair<Work, CompileReply>> compiled_;
  Clock::time_point idle_since_ = Clock::now();
  std::filesystem::path open_path_;
  std::unique_ptr<cache::BinaryStore> open_;
};

}  // namespace tuner::engine
