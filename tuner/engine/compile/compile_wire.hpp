#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile.hpp"
#include "tuner/error.hpp"
#include "tuner/process/channel.hpp"

// What a compile pool, its helper and its workers say to each other.
//   pool → helper   start · precompile (a request) · replace
//   helper → pool   ready · precompiled · worker (with the worker's end of a channel) · failed
//   pool → worker   compile (a request)      worker → pool   compiled (its reply)

namespace tuner::engine {

inline constexpr const char* kStart = "start";
inline constexpr const char* kReady = "ready";
inline constexpr const char* kPrecompile = "precompile";
inline constexpr const char* kPrecompiled = "precompiled";
inline constexpr const char* kReplace = "replace";
inline constexpr const char* kWorker = "worker";
inline constexpr const char* kFailed = "failed";
inline constexpr const char* kCompile = "compile";
inline constexpr const char* kCompiled = "compiled";

struct HelperStart {
  std::string architecture;  ///< for the warm-up; "" for any
  std::vector<std::filesystem::path> include_folders;
  Builtins builtins = Builtins::small_first;
  int niceness = 0;
  bool warm_up = true;
};

struct HelperReady {
  std::string toolkit;
};

/// Ends the slot's worker, if it has one, and starts another.
struct ReplaceWorker {
  int slot = 0;
};

struct NewWorker {
  int slot = 0;
  pid_t pid = 0;
  std::string previous_end;  ///< how the slot's worker before ended, in words; empty if there was none
};

struct HelperFailure {
  Errc code = Errc::internal;
  std::string sentence;
};

Message to_message(const HelperStart& start);
Message to_message(const HelperReady& ready);
Message to_message(const ReplaceWorker& replace);
Message to_message(const NewWorker& worker, UniqueFd channel);
Message to_message(const HelperFailure& failure);
/// `type` is kCompile or kPrecompile.
Message to_message(const char* type, const CompileRequest& request);
Message to_message(const CompileReply& reply);

// Each throws Error{internal} for a message that is not of its form.
HelperStart start_from(const Message& message);
HelperReady ready_from(const Message& message);
ReplaceWorker replace_from(const Message& message);
NewWorker worker_from(const Message& message);
HelperFailure failure_from(const Message& message);
CompileRequest request_from(const Message& message);
CompileReply reply_from(const Message& message);

}  // namespace tuner::engine
