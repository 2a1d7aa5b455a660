#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tuner/engine/session/pipeline.hpp"

namespace tuner::engine {

/// Has a winner verified at awkward sizes, see core/awkward_problems.hpp: what is right at the size it was tuned for
/// may read beyond its rows at another one. The baseline says what is right there too, and the programs are the same
/// unless the size is a constant in them.
class AwkwardSizes {
 public:
  AwkwardSizes(const Task& task, const SessionOptions& options, const SessionParts& parts, Pipeline& pipeline)
      : task_(task), options_(options), parts_(parts), pipeline_(pipeline) {}

  /// Compiles what is missing, and sets the device up for each size in turn. The answer is ok, or the first failure of
  /// the entry with its size in the message; the device is set up for the task again then, without finalists. Throws
  /// Error{device_lost} if that is not possible. After an ok the device is where it was checked last.
  DeviceReply check(std::size_t winner);

  /// Whether this is who was checked last: what follows is about nobody else.
  bool checked(std::size_t winner) const { return checked_ == winner; }
  /// The problems at which the winner that was checked last reproduced the reference.
  const std::vector<std::string>& verified() const { return verified_; }
  /// Why there are none; empty if there are some or nothing was checked yet.
  const std::string& note() const { return note_; }

 private:
  struct Problem;

  std::vector<Problem> problems(std::size_t winner) const;
  std::string why_none() const;
  void compile(std::vector<Problem>& problems, std::size_t winner);
  DeviceReply run(const Problem& problem);

  const Task& task_;
  const SessionOptions& options_;
  const SessionParts& parts_;
  Pipeline& pipeline_;
  std::optional<std::size_t> checked_;
  std::vector<std::string> verified_;
  std::string note_;
};

}  // namespace tuner::engine
