#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "tuner/process/spawn.hpp"

namespace tuner::service {

/// One `tuner-engine`, and what is said of it when it is lost. Used from one thread, which must live as long as the
/// engine: it ends with the thread that started it.
class EngineProcess {
 public:
  /// `role`: "compile" or "tune". Returns within a millisecond or two. Throws Error{no_worker}.
  explicit EngineProcess(const char* role);

  /// The next message; nothing if there is none yet. After that, `lost` says whether there can be another.
  std::optional<Message> receive();
  void send(const Message& message) { process_.channel().send(message); }
  int fd() const { return process_.channel().fd(); }  ///< readable when `receive` has something to say
  bool lost() const { return process_.channel().closed(); }

  /// How it ended, with its last words, to follow "it": "ended by signal 9 (Killed)." Ends it if need be.
  std::string exit_description();

  /// Lets it end by itself; it has until then before it is killed.
  void let_go() { process_.channel().close(); }
  void wait_until(std::chrono::steady_clock::time_point deadline) { process_.wait_until(deadline); }

 private:
  ChildProcess process_;
  std::string complaint_;  ///< about what it sent
};

}  // namespace tuner::service
