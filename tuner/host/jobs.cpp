#include "tuner/host/jobs.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>

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

/// The processes of one job, or of one that its parent left behind.
struct Branch {
  std::uint64_t bytes = 0;
  std::uint64_t of_root = 0;
  std::size_t processes = 0;
};

/// A program that started others outlives them, so that it can tell what became of them; unless they are too many, and
/// of its own group.
void cut(pid_t root, const Branch& branch, bool crowded) {
  std::vector<pid_t> below;
  for (const Descendant& one : descendants(root, branch.processes)) {
    if (one.pid == one.branch) below.push_back(one.pid);
  }
  const bool in_group = std::any_of(below.begin(), below.end(), [&](pid_t pid) { return getpgid(pid) == root; });
  if (below.empty() || branch.of_root > branch.bytes / 2 || (crowded && in_group)) return kill_tree(root);
  for (const pid_t pid : below) kill_tree(pid);
}

/// Stops what takes more than there is. One at a time: the others may then have enough.
void keep_within(const JobLimits& limits, const std::vector<Running>& running) {
  const auto job_of = [&](pid_t pid) {
    const auto found =
        std::find_if(running.begin(), running.end(), [&](const Running& one) { return one.process->pid() == pid; });
    return found == running.end() ? nullptr : found->job;
  };
  std::map<pid_t, Branch> branches;
  std::vector<pid_t> orphans;
  std::uint64_t bytes = 0;
  std::size_t processes = 0;
  for (const Descendant& one : descendants(getpid(), limits.processes)) {
    if (one.pid == one.branch && job_of(one.pid) == nullptr) {
      if (waitpid(one.pid, nullptr, WNOHANG) == one.pid) continue;
      orphans.push_back(one.pid);
    }
    const std::uint64_t held = memory_of(one.pid);
    Branch& branch = branches[one.branch];
    if (one.pid == one.branch) branch.of_root = held;
    branch.bytes += held;
    ++branch.processes;
    bytes += held;
    ++processes;
  }
  const bool starved = bytes > limits.memory;
  if (!starved && processes <= limits.processes) return;
  // Many orphans are what is left of a job that was stopped, or what a job hides behind.
  if (!starved && orphans.size() > processes / 2) {
    for (const pid_t pid : orphans) kill_tree(pid);
    return;
  }
  const auto worst = std::max_element(branches.begin(), branches.end(), [&](const auto& a, const auto& b) {
    return starved ? a.second.bytes < b.second.bytes : a.second.processes < b.second.processes;
  });
  Job* job = job_of(worst->first);
  if (job == nullptr) return kill_orphan(worst->first);
  (starved ? job->starved : job->crowded) = true;
  cut(worst->first, worst->second, !starved);
}

std::optional<std::uint64_t> number_in(const char* file) {
  std::uint64_t number = 0;
  if (std::ifstream stream(file); stream >> number) return number;
  return std::nullopt;
}

}  // namespace

std::uint64_t usable_memory() {
  std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
  std::ifstream lines("/proc/meminfo");
  std::string name, unit;
  for (std::uint64_t number = 0; lines >> name >> number; std::getline(lines, unit)) {
    if (name == "MemAvailable:") bytes = number * 1024;
  }
  // In a container, of both versions of control groups.
  const char* const limits[][2] = {
      {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
      {"/sys/fs/cgroup/memory/memory.limit_in_bytes", "/sys/fs/cgroup/memory/memory.usage_in_bytes"}};
  for (const auto& [most, used] : limits) {
    const auto limit = number_in(most), taken = number_in(used);
    if (limit && taken) bytes = std::min(bytes, *limit - std::min(*limit, *taken));
  }
  return bytes / 4 * 3;
}

void run_jobs(std::vector<Job>& jobs, const JobLimits& limits, const std::function<void(const Job&)>& finished) {
  std::vector<Running> running;
  Clock::time_point next_look = Clock::now() + kGlance;
  for (std::size_t next = 0; next < jobs.size() || !running.empty();) {
    if (limits.stopped()) return;
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
