#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/compile/compile.hpp"

namespace tuner::engine {

/// What a session has compiled: every request goes to the lane with what is to be done with its answer. Answers to
/// requests of earlier sessions are ignored.
class CompileSession {
 public:
  using Take = std::function<void(CompileReply)>;

  CompileSession(CompileLane& lane, TrialJournal& journal, const std::atomic<bool>& stop)
      : lane_(lane), journal_(journal), stop_(stop) {}

  void submit(CompileRequest request, Take take);
  /// Hands on what has been answered. False if the lane had nothing to say.
  bool poll();
  /// Cancels everything; the answers are ignored.
  void give_up();
  /// Compiles all and waits; replies in the order of the requests. Incomplete when the stop flag is set.
  std::vector<CompileReply> compile(std::vector<CompileRequest> requests);

  bool idle() const { return waiting_.empty(); }
  std::size_t room() const { return lane_.room(); }
  double width() const { return lane_.width(); }
  const std::string& toolkit() const { return toolkit_; }  ///< version of NVRTC; empty until it has compiled something

 private:
  CompileLane& lane_;
  TrialJournal& journal_;
  const std::atomic<bool>& stop_;
  std::map<TicketId, Take> waiting_;
  std::string toolkit_;
};

}  // namespace tuner::engine
