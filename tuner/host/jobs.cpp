#include "tuner/host/jobs.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "tuner/process/process_tree.hpp"
#include "tuner/process/spawn.hpp"

namespace tuner::host {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kMostMessages = std::size_t{1} << 20;
constexpr std::chrono::milliseconds kGlance{100};

struct Running {
  Job* job;
  std::unique_ptr<ChildProcess> process;
  Clock::time_point deadline;
};

/// Whether it may be started once others have ended.
bool is_crowd(int error) {
  return error == EAGAIN || error == EMFILE || error == ENFILE || error == ENOMEM;
}

/// Nothing if it cannot be started: it is done then.
std::optional<Running> start(Job& job, const JobLimits& limits) {
  SpawnOptions options;
  options.program = job.command.front();
  options.arguments.assign(job.command.begin() + 1, job.command.end());
  options.environment = {"LC_ALL=C", "GCC_COLORS="};  // messages are read by this program
  if (!limits.temporary.empty()) options.environment.push_back("TMPDIR=" + limits.temporary.string());
  options.most_said = kMostMessages;
  job.start_error = 0;
  try {
    return Running{&job, std::make_unique<ChildProcess>(options), Clock::now() + job.limit};
  } catch (const StartError& error) {
    job.done = true;
    job.start_error = error.reason;
    job.how = std::string("could not be started: ") + strerrordesc_np(error.reason);
    return std::nullopt;
  }
}

/// Whether it is over.
bool look_at(Running& running) {
  Job& job = *running.job;
  const std::optional<ExitStatus> status = running.process->try_wait();
  if (!status && Clock::now() < running.deadline) return false;
  job.done = true;
  job.late = !status;
  job.how = status ? status->text() : "had not finished after " + std::to_string(job.limit.count()) + " s";
  if (status) job.signal = status->signal;
  job.messages = running.process->stderr_tail(kMostMessages);
  job.ok = status && status->code == 0;
  if (std::error_code error; job.ok && !job.output.empty() && !std::filesystem::exists(job.output, error)) {
    job.ok = false;
    job.how = "wrote no file " + job.output.filename().string();
  }
  if (!status) running.process->kill();
  return true;
}

/// A process that a job started, by itself or through others.
struct Started {
  pid_t pid = -1;
  pid_t group = -1;
  Job* job = nullptr;  ///< whose it is; none: that has ended, or it left the job's group and lost its parent
  std::uint64_t bytes = 0;
};

/// All that run, and hardly more than `most`.
std::vector<Started> started_by(const std::vector<Running>& running, std::size_t most) {
  std::map<pid_t, Job*> jobs;
  for (const Running& one : running) jobs[one.process->pid()] = one.job;
  const auto job_of = [&](pid_t pid) {
    const auto found = jobs.find(pid);
    return found == jobs.end() ? nullptr : found->second;
  };
  std::vector<Started> all;
  for (const Descendant& one : descendants(getpid(), most)) {
    Job* const from = job_of(one.branch);
    const bool is_orphan = one.pid == one.branch && from == nullptr;
    if (is_orphan && waitpid(one.pid, nullptr, WNOHANG) == one.pid) continue;
    const pid_t group = getpgid(one.pid);
    Job* const job = job_of(group);  // that of an orphan is the job's until it leaves it
    all.push_back({one.pid, group, job != nullptr ? job : from, memory_of(one.pid)});
  }
  return all;
}

/// A program that started it outlives it, so that it can tell what became of it.
void end_largest(const std::vector<Started>& all) {
  const auto largest =
      std::max_element(all.begin(), all.end(), [](const Started& a, const Started& b) { return a.bytes < b.bytes; });
  if (largest->job != nullptr) largest->job->starved = true;
  kill_tree(largest->pid);
}

/// Likewise where it began a group for them. All that belong to no job count as one: a job may hide behind them.
void end_largest_group(const std::vector<Started>& all) {
  std::map<std::pair<Job*, pid_t>, std::vector<pid_t>> groups;
  for (const Started& one : all) groups[{one.job, one.job == nullptr ? 0 : one.group}].push_back(one.pid);
  const auto& [whose, pids] = *std::max_element(
      groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  if (whose.first != nullptr) whose.first->crowded = true;
  for (const pid_t pid : pids) kill(pid, SIGSTOP);
  for (const pid_t pid : pids) kill_tree(pid);
}

/// Stops what takes more than there is. One at a time: the others may then have enough.
void keep_within(const JobLimits& limits, const std::vector<Running>& running) {
  const std::vector<Started> all = started_by(running, limits.processes);
  std::uint64_t bytes = 0;
  for (const Started& one : all) bytes += one.bytes;
  if (bytes > limits.memory) return end_largest(all);
  if (all.size() > limits.processes) end_largest_group(all);
}

}  // namespace

void run_jobs(std::vector<Job>& jobs, const JobLimits& limits, const std::function<void(const Job&)>& finished) {
  std::vector<Running> running;
  Clock::time_point next_look = Clock::now() + kGlance;
  for (std::size_t next = 0; next < jobs.size() || !running.empty();) {
    if (limits.stopped() || Clock::now() >= limits.until) return;
    while (next < jobs.size() && running.size() < static_cast<std::size_t>(limits.at_once)) {
      Job& job = jobs[next];
      std::optional<Running> started = start(job, limits);
      if (!started && is_crowd(job.start_error) && !running.empty()) break;
      ++next;
      if (started)
        running.push_back(std::move(*started));
      else if (finished)
        finished(job);
    }
    std::vector<pollfd> ends;
    for (const Running& one : running) ends.push_back({one.process->exit_fd(), POLLIN, 0});
    if (!ends.empty()) poll(ends.data(), ends.size(), static_cast<int>(kGlance.count()));
    std::erase_if(running, [&](Running& one) {
      if (!look_at(one)) return false;
      if (finished) finished(*one.job);
      return true;
    });
    if (Clock::now() < next_look) continue;
    keep_within(limits, running);
    next_look = Clock::now() + kGlance;
  }
}

}  // namespace tuner::host
