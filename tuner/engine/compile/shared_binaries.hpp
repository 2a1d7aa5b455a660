#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "cache/file/hash.hpp"
#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// A compile lane for several sessions, in turn or at the same time: what one of them had compiled is answered to the
/// next at once, and what is being compiled for one is compiled once for all. Answers that may have been a fluke
/// (time-outs, lost workers) are not shared.
class SharedBinaries final : public CompileLane {
 public:
  /// Keeps binaries up to so many bytes; beyond, the oldest are forgotten. `lane` outlives this.
  explicit SharedBinaries(CompileLane& lane, std::size_t most_bytes = std::size_t{1} << 29)
      : lane_(lane), most_bytes_(most_bytes) {}

  void submit(TicketId ticket, CompileRequest request) override;
  std::vector<Completion> poll() override;
  void cancel(TicketId ticket) override;
  std::size_t room() const override { return lane_.room(); }
  double width() const override { return lane_.width(); }
  std::vector<int> wait_fds() const override { return lane_.wait_fds(); }
  std::chrono::steady_clock::time_point next_deadline() const override;

  std::size_t answered_at_once() const { return answered_at_once_; }

 private:
  struct Waiting {
    TicketId ticket;
    CompileRequest request;
    bool cancelled = false;
  };
  void remember(const cache::Hash& program, const CompileReply& reply);
  void answer_waiting(const cache::Hash& program, const CompileReply& reply);

  CompileLane& lane_;
  const std::size_t most_bytes_;
  std::map<TicketId, cache::Hash> under_way_;
  std::map<cache::Hash, std::vector<Waiting>> waiting_;  ///< for each program under way
  std::map<cache::Hash, CompileReply> known_;
  std::deque<cache::Hash> oldest_first_;
  std::size_t bytes_ = 0;
  std::vector<Completion> ready_;
  std::size_t answered_at_once_ = 0;
};

}  // namespace tuner::engine
