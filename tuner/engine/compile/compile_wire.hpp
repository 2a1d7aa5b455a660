#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/engine/compile/compile_fields.hpp"
#include "tuner/process/record.hpp"

// What a compile pool, its helper and its workers say to each other.
//   pool → helper   start · precompile (a CompileRequest) · replace
//   helper → pool   ready · precompiled · worker (with the worker's end of a channel) · error
//   pool → worker   compile (a CompileRequest)      worker → pool   compiled (a CompileReply)

namespace tuner::engine {

inline constexpr const char* kStart = "start";
inline constexpr const char* kReady = "ready";
inline constexpr const char* kPrecompile = "precompile";
inline constexpr const char* kPrecompiled = "precompiled";
inline constexpr const char* kReplace = "replace";
inline constexpr const char* kWorker = "worker";
inline constexpr const char* kCompile = "compile";
inline constexpr const char* kCompiled = "compiled";

struct HelperStart {
  std::string architecture;  ///< for the warm-up; "" for any
  std::vector<std::filesystem::path> include_folders;
  Builtins builtins = Builtins::small_first;
  int niceness = 0;
  bool warm_up = true;
  std::uint64_t memory = 0;              ///< bytes that a worker may hold
  std::filesystem::path confined_to;     ///< as in the pool's options
  std::chrono::milliseconds timeout{0};  ///< likewise
};
void describe(auto& fields, HelperStart& start) {
  auto& [architecture, include_folders, builtins, niceness, warm_up, memory, confined_to, timeout] = start;
  fields("architecture", architecture)("include_folders", include_folders)("builtins", builtins);
  fields("niceness", niceness)("warm_up", warm_up)("memory", memory)("confined_to", confined_to);
  fields("timeout", timeout);
}

struct HelperReady {
  std::string toolkit;
};
void describe(auto& fields, HelperReady& ready) {
  auto& [toolkit] = ready;
  fields("toolkit", toolkit);
}

/// Ends the slot's worker, if it has one, and starts another.
struct ReplaceWorker {
  int slot = 0;
};
void describe(auto& fields, ReplaceWorker& replace) {
  auto& [slot] = replace;
  fields("slot", slot);
}

struct NewWorker {
  int slot = 0;
  pid_t pid = 0;
  std::string previous_end;  ///< how the slot's worker before ended, in words; empty if there was none
};
void describe(auto& fields, NewWorker& worker) {
  auto& [slot, pid, previous_end] = worker;
  fields("slot", slot)("pid", pid)("previous_end", previous_end);
}

}  // namespace tuner::engine
