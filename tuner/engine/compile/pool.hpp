#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/compile/compile_wire.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::engine {

struct CompilePoolOptions {
  int workers = 0;  ///< processes that compile; 0: the usable cores less one for the GPU's driver, at least 1
  std::chrono::milliseconds timeout{
      30'000};  ///< a compile still running after this is stopped. Higher: slow sources live
  /// Bytes that a worker may hold; a candidate for which it takes more fails with compile_memory. 0: its share. Where
  /// not all workers have room for that, fewer compile at once.
  std::uint64_t memory = 0;
  std::vector<std::filesystem::path> include_folders;
  std::string architecture;              ///< "sm_90" if it is known already: checked at the start. "" for any
  std::filesystem::path worker_program;  ///< empty: found by find_worker_program()
  Builtins builtins = Builtins::small_first;
  /// Of what compiles. 5: measuring comes first. 0: a program waits. 19: takes only idle time of the cores.
  int niceness = 5;
  /// Off: the first compile is not held up by that of an empty kernel, which pages NVRTC in once for all workers and
  /// tells its full version. For a single worker.
  bool warm_up = true;
  /// A folder, for sources of others. Where the kernel can do it (process/confinement.hpp), what compiles opens no file
  /// outside of it, the toolkit's headers and `include_folders`. It works there, and its logs do not say why a file
  /// could not be opened. Empty: it opens what its user may.
  std::filesystem::path confined_to;
};

/// Bytes for each of so many workers: an equal share of the usable memory, between 1 and 8 GB.
std::uint64_t memory_share(std::size_t workers);

struct CompilePoolStatistics {
  std::vector<double> busy_ms;         ///< by worker: time spent compiling
  std::uint64_t compiled = 0;          ///< answers from workers, failures of the source included
  std::uint64_t workers_replaced = 0;  ///< because they hung, died or took too much memory
  std::uint64_t helper_restarts = 0;
  std::string toolkit;  ///< NVRTC version; empty until the first worker is ready
};

/// Compiles in processes of its own: one helper that holds a warm NVRTC, and workers forked from it that live on. A
/// source that hangs the compiler is answered compile_timeout, one that takes too much memory compile_memory, one that
/// crashes it twice worker_lost; the pool goes on.
class CompilePool final : public CompileLane {
 public:
  /// Starts the helper and returns at once, within a few milliseconds. Throws Error{no_worker}.
  explicit CompilePool(CompilePoolOptions options);
  ~CompilePool() override;  ///< kills helper and workers
  CompilePool(const CompilePool&) = delete;
  CompilePool& operator=(const CompilePool&) = delete;

  void submit(TicketId ticket, CompileRequest request) override;
  /// Throws Error{no_toolkit} where there is no NVRTC or it does not know the architecture, Error{no_worker} if the
  /// helper fails three times in a row.
  std::vector<Completion> poll() override;
  /// What is waiting is answered compile_timeout; what is being compiled gets another second.
  void cancel(TicketId ticket) override;
  std::size_t room() const override;
  double width() const override { return static_cast<double>(slots_.size()); }
  std::vector<int> wait_fds() const override;
  std::chrono::steady_clock::time_point next_deadline() const override;

  CompilePoolStatistics statistics() const;
  int workers() const { return static_cast<int>(slots_.size()); }
  /// Processes, 0 for one that is being replaced. For tests that kill them.
  std::vector<pid_t> worker_pids() const;
  pid_t helper_pid() const { return helper_ ? helper_->pid() : 0; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Job {
    TicketId ticket = 0;
    CompileRequest request;
    int attempts = 0;  // workers that died with it
    bool cancelled = false;
  };
  // A worker, or the place where one is being started.
  struct Slot {
    Channel channel;
    pid_t pid = 0;
    std::optional<Job> job;
    Clock::time_point started, deadline;  // of the job
    bool requested = false;               // a new worker has been asked for
    bool stale = false;                   // was forked before the last header was precompiled
    bool timed_out = false;
    bool full = false;  // has held too much memory and ends
    double busy_ms = 0;
  };

  void start_helper();
  void restart_helper(std::string how);
  void read_helper();
  void handle(Message message);
  void precompile_for(const CompileRequest& request);
  bool waits_for_helper() const;

  void ask_for_worker(Slot& slot);
  void welcome(Slot& slot, const NewWorker& worker, UniqueFd channel);
  void read_slot(Slot& slot);
  void dispatch();
  std::int64_t busy() const;
  void give_back(Slot& slot, const std::string& end);
  void answer(const Job& job, CompileReply reply);
  void fail(const Job& job, Outcome outcome, std::string sentence, double milliseconds);

  CompilePoolOptions options_;
  std::int64_t most_at_once_ = 1;  // for whose memory there is room
  std::optional<ChildProcess> helper_;
  bool ready_ = false;  // NVRTC is loaded
  bool precompiling_ = false;
  int failed_starts_ = 0;
  Clock::time_point helper_deadline_ = Clock::time_point::max();
  std::optional<Error> broken_;  // why the pool cannot go on
  std::vector<Slot> slots_;
  std::deque<Job> pending_;
  std::vector<std::string> precompiled_keys_;  // tried, successfully or not
  std::vector<Completion> completions_;
  CompilePoolStatistics statistics_;
};

}  // namespace tuner::engine
