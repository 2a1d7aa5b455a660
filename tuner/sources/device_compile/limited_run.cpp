#include "tuner/sources/device_compile/limited_run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

#include "tuner/core/base/printable.hpp"
#include "tuner/error.hpp"
#include "tuner/process/process_tree.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::sources {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostSaid = std::size_t{1} << 20;
constexpr std::size_t kMostProcesses = 256;
constexpr std::chrono::milliseconds kGlance{100};

std::vector<std::string> environment_of(const CompilerCommand& command, const fs::path& temporary) {
  std::vector<std::string> environment{"TMPDIR=" + temporary.string(), "LC_ALL=C", "GCC_COLORS="};
  const auto is_said = [&](const std::string& name) {
    return std::ranges::any_of(command.environment, [&](const auto& variable) { return variable.first == name; });
  };
  for (const char* name : {"PATH", "HOME"}) {
    if (const char* const value = std::getenv(name); value != nullptr && !is_said(name))
      environment.push_back(std::string(name) + '=' + value);
  }
  for (const auto& [name, value] : command.environment) {
    if (name != "TMPDIR" && name != "LC_ALL" && name != "GCC_COLORS") environment.push_back(name + '=' + value);
  }
  return environment;
}

ChildProcess start(const CompilerCommand& command, const fs::path& temporary) {
  std::error_code error;
  if (!fs::is_directory(command.folder, error)) {
    throw Error(Errc::bad_usage,
                fmt::format("The folder {}, in which the build ran the compiler, is not there any more: "
                            "build again.",
                            one_line(command.folder)));
  }
  SpawnOptions options{.program = command.program,
                       .environment = environment_of(command, temporary),
                       .most_said = kMostSaid,
                       .folder = command.folder,
                       .only_this_environment = true};
  if (!command.arguments.empty()) options.arguments.assign(command.arguments.begin() + 1, command.arguments.end());
  try {
    return ChildProcess(options);
  } catch (const StartError& refusal) {
    if (refusal.code() == Errc::shortage) throw;
    throw Error(Errc::bad_usage,
                fmt::format("The compiler {}, which the build ran, could not be started: {}; install it "
                            "again, or build with another one.",
                            one_line(command.program), std::strerror(refusal.reason)));
  }
}

void limit(pid_t pid, __rlimit_resource resource, std::uint64_t most) {
  rlimit current{};
  if (prlimit(pid, resource, nullptr, &current) != 0) return;
  current.rlim_cur = std::min<rlim_t>(most, current.rlim_max);
  current.rlim_max = current.rlim_cur;
  prlimit(pid, resource, &current, nullptr);
}

std::uint64_t bytes_in(const fs::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    if (const std::uintmax_t size = at->is_regular_file(gone) ? at->file_size(gone) : 0; !gone) bytes += size;
  }
  return bytes;
}

struct Excess {
  Outcome outcome;
  std::string how;
};

/// Of what it takes more than it may.
std::optional<Excess> excess(pid_t pid, const fs::path& temporary, const RunLimits& limits) {
  const std::vector<Descendant> below = descendants(pid, kMostProcesses);
  if (below.size() > kMostProcesses)
    return Excess{Outcome::compile_error,
                  fmt::format("was stopped, because it had started {} processes", below.size())};
  std::uint64_t memory = memory_of(pid);
  for (const Descendant& one : below) memory += memory_of(one.pid);
  if (memory > limits.memory) {
    return Excess{Outcome::compile_memory,
                  fmt::format("was stopped, because it held more than {} MB of memory", limits.memory >> 20)};
  }
  if (bytes_in(temporary) > limits.written) {
    return Excess{Outcome::compile_error,
                  fmt::format("was stopped, because it had written more than {} MB", limits.written >> 20)};
  }
  return std::nullopt;
}

Outcome outcome_of(const ExitStatus& status) {
  if (status.code == 0) return Outcome::ok;
  return status.code || status.signal == SIGXFSZ ? Outcome::compile_error : Outcome::worker_lost;
}

}  // namespace

LimitedRun run_limited(const CompilerCommand& command, const fs::path& temporary, const RunLimits& limits) {
  ChildProcess process = start(command, temporary);
  // What it starts inherits these. What it has started already is looked at below.
  limit(process.pid(), RLIMIT_FSIZE, limits.written);
  limit(process.pid(), RLIMIT_CORE, 0);
  const Clock::time_point deadline = Clock::now() + limits.time;
  LimitedRun run;
  const auto stop = [&](Outcome outcome, std::string how) {
    process.kill();
    run.outcome = outcome;
    run.how = std::move(how);
  };
  while (run.how.empty()) {
    pollfd end{process.exit_fd(), POLLIN, 0};
    const bool has_ended = poll(&end, 1, static_cast<int>(kGlance.count())) > 0;
    if (has_ended) process.kill();  // what it leaves behind: its number is its own until it is collected
    if (const std::optional<ExitStatus> status = process.try_wait()) {
      run.outcome = outcome_of(*status);
      run.how = status->text();
    } else if (limits.stop != nullptr && *limits.stop) {
      stop(Outcome::compile_timeout, "was stopped");
    } else if (Clock::now() >= deadline) {
      stop(Outcome::compile_timeout,
           fmt::format("had not finished after {} s", std::chrono::duration<double>(limits.time).count()));
    } else if (std::optional<Excess> found = excess(process.pid(), temporary, limits)) {
      stop(found->outcome, std::move(found->how));
    }
  }
  run.said = process.stderr_tail(kMostSaid);
  return run;
}

}  // namespace tuner::sources
