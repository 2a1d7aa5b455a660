#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "tuner/core/task/argument_binding.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/ready_queue.hpp"
#include "tuner/engine/candidates/trial_journal.hpp"
#include "tuner/engine/measure/contenders.hpp"
#include "tuner/engine/searching/earlier_sessions.hpp"
#include "tuner/engine/searching/incumbents.hpp"
#include "tuner/engine/searching/roofline_rule.hpp"
#include "tuner/engine/searching/shared_parts.hpp"

namespace tuner::engine {

/// The way of each entry until it is finished: it is taken over from an earlier session, or compiled and then screened.
/// The baseline's binary comes first. Everything handed over outlives the pipeline.
class Pipeline {
 public:
  Pipeline(const Task& task, Observer& observer, const SharedParts& parts, const EarlierSessions& earlier,
           const Incumbents& incumbents, const RooflineRule& roofline);

  /// Takes the entry over from an earlier session, or has it compiled.
  void start(EntryId entry);
  /// Compiles the entry, whatever earlier sessions know.
  void compile(EntryId entry) { submit(entry, candidates_.request(entry)); }
  /// The compiler's answer for an entry of which nothing was known.
  void take_binary(EntryId entry, CompileReply reply);

  /// How many more entries may be started: as many as compilers have room for, and few enough that those that are
  /// compiled do not pile up.
  std::size_t room() const;
  /// Takes what has been compiled. False if there was nothing.
  bool poll_compiled();
  /// Gives the device what is ready, as far as it wants candidates.
  void feed_device();
  /// Runs the baseline as the reference, if it is ready.
  void run_baseline();
  /// Whether something waits for the device.
  bool has_ready() const { return !ready_.empty(); }

  /// Drops the binary of a finished entry that will not be a finalist.
  void forget_slow(EntryId finished);
  /// The entry is to be measured again.
  void forget_time(EntryId entry) { contenders_.remove(entry); }
  /// Gives up what is not at the device yet.
  void give_up_compiling();

 private:
  void submit(EntryId entry, CompileRequest request);
  void take_compiled(EntryId entry, CompileReply reply);
  void take_screened(EntryId entry, const DeviceReply& reply);
  void warn_of_arrays(const CompileReply& reply);
  void take_ptx(EntryId entry, CompileReply& reply);

  const Task& task_;
  Observer& observer_;
  Candidates& candidates_;
  CompileSession& compile_;
  DeviceSession& device_;
  TrialJournal& journal_;
  const EarlierSessions& earlier_;
  const Incumbents& incumbents_;
  const RooflineRule& roofline_;
  std::vector<std::pair<EntryId, CompileReply>> early_;  ///< compiled before the baseline was
  ReadyQueue ready_;                                     ///< compiled, waiting for the device
  Contenders contenders_;                                ///< their binaries are kept
  bool warned_of_barrier_ = false;                       ///< over the whole grid
  std::vector<BoundArgument> unwarned_arrays_;  ///< in constant memory: none was found to be longer than described
};

}  // namespace tuner::engine
