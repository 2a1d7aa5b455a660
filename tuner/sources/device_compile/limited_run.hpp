#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tuner/ground/outcome.hpp"
#include "tuner/sources/recorded/compiler_command.hpp"

namespace tuner::sources {

/// What a compiler may use, with all that it starts.
struct RunLimits {
  std::chrono::milliseconds time{120'000};
  std::uint64_t memory = std::uint64_t{8} << 30;   ///< bytes
  std::uint64_t written = std::uint64_t{1} << 30;  ///< bytes: of each file, and of all in the folder for temporary ones
  const std::atomic<bool>* stop = nullptr;         ///< ends it as if its time were over
};

/// How a run ended.
struct LimitedRun {
  Outcome outcome = Outcome::ok;  ///< ok: with status 0. compile_error, compile_timeout, compile_memory, worker_lost
  std::string how;   ///< "exited with status 1", "had not finished after 120 s", "was stopped, because …"
  std::string said;  ///< what it wrote to standard error, the first MiB; what it says elsewhere is lost
};

/// Runs a compiler in the command's folder, with the command's environment and nothing else but PATH and HOME where it
/// says nothing of them; TMPDIR is `temporary`. It is the head of a process group of its own, reads nothing, and is
/// killed with all that it started when it exceeds a limit, or when it ends and leaves something behind. Waits for its
/// end in the calling thread, and looks at it ten times a second. Throws Error{bad_usage} where its file or its folder
/// is not there, and Error{shortage}.
LimitedRun run_limited(const CompilerCommand& command, const std::filesystem::path& temporary, const RunLimits& limits);

}  // namespace tuner::sources
