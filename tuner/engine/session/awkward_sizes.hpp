#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "tuner/core/task/task.hpp"
#include "tuner/engine/candidates/candidate_failure.hpp"
#include "tuner/engine/candidates/candidates.hpp"
#include "tuner/engine/candidates/compile_session.hpp"
#include "tuner/engine/candidates/device_session.hpp"
#include "tuner/engine/candidates/session_options.hpp"
#include "tuner/engine/candidates/session_parts.hpp"

namespace tuner::engine {

/// Has a winner verified at awkward sizes, see core/awkward_problems.hpp: what is right at the size it was tuned for
/// may read beyond its rows at another one. The baseline says what is right there too, and the programs are the same
/// unless the size is a constant in them.
class AwkwardSizes {
 public:
  AwkwardSizes(const Task& task, const SessionOptions& options, const SessionParts& parts, const Candidates& candidates,
               CompileSession& compile, DeviceSession& device)
      : task_(task), options_(options), parts_(parts), candidates_(candidates), compile_(compile), device_(device) {}

  /// Begins to compile what a check of this entry would need, as far as the compile workers have room, so that they are
  /// at work while the device has the race. Returns at once.
  void compile_ahead(EntryId likely);

  /// Compiles what is missing, and sets the device up for each size in turn. Returns the first failure of the entry,
  /// with its size in the message; the device is set up for the task again then. Throws Error{device_lost} if that is
  /// not possible. Without a failure the device stays where the entry was checked last.
  std::optional<CandidateFailure> check(EntryId winner);

  /// Whether this entry was checked last: what follows is about it alone.
  bool checked(EntryId winner) const { return checked_ == winner; }
  /// The problems at which the winner that was checked last reproduced the reference.
  const std::vector<std::string>& verified() const { return verified_; }
  /// Why there are none; empty if there are some or nothing was checked yet.
  const std::string& note() const { return note_; }

 private:
  struct Problem;
  struct Programs;
  struct Compiled {
    CompileRequest program;
    std::optional<CompileReply> reply = {};
  };

  std::vector<Problem> problems(EntryId winner) const;
  std::string why_none() const;
  Programs programs(std::vector<Problem>& problems, EntryId winner) const;
  std::list<Compiled>::iterator find(const CompileRequest& program);
  void compile(std::vector<Problem>& problems, EntryId winner);
  std::optional<CandidateFailure> run(const Problem& problem);
  void warn_of_reference(const Problem& problem, const std::string& message) const;

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  const Candidates& candidates_;
  CompileSession& compile_;
  DeviceSession& device_;
  std::list<Compiled> compiled_;  ///< or being compiled, ahead of a check
  std::optional<EntryId> checked_;
  std::vector<std::string> verified_;
  std::string note_;
};

}  // namespace tuner::engine
