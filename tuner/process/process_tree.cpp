#include "tuner/process/process_tree.hpp"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>
#include <string>
#include <thread>

namespace tuner {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostRounds = 100;                   // of stopping what was started while others were stopped
constexpr std::chrono::seconds kKillPatience{10};  // a process that hangs inside the kernel outlives SIGKILL
constexpr std::chrono::milliseconds kGlance{2};    // between two looks at those that are dying

/// Each thread has its own children.
std::vector<pid_t> children(pid_t parent) {
  std::vector<pid_t> result;
  const std::string folder = "/proc/" + std::to_string(parent) + "/task";
  DIR* threads = opendir(folder.c_str());
  if (threads == nullptr) return result;
  while (const dirent* thread = readdir(threads)) {
    if (thread->d_name[0] == '.') continue;
    std::ifstream list(folder + '/' + thread->d_name + "/children");
    for (pid_t pid = 0; list >> pid;) result.push_back(pid);
  }
  closedir(threads);
  return result;
}

}  // namespace

std::vector<Descendant> descendants(pid_t root, std::size_t most) {
  std::vector<Descendant> all;
  for (const pid_t pid : children(root)) all.push_back({pid, pid});
  for (std::size_t i = 0; i < all.size() && all.size() <= most; ++i) {
    const pid_t branch = all[i].branch;
    for (const pid_t pid : children(all[i].pid)) all.push_back({pid, branch});
  }
  return all;
}

std::uint64_t memory_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  std::uint64_t size = 0, resident = 0, shared = 0;
  if (!(file >> size >> resident >> shared) || resident < shared) return 0;
  return (resident - shared) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

void kill_tree(pid_t root) noexcept {
  const pid_t whole = getpgid(root) == root ? -root : root;
  kill(whole, SIGSTOP);
  try {
    // A process that has been told to stop starts no other one: when there are no new ones, there will be none.
    std::set<pid_t> stopped;
    bool all = false;
    for (int round = 0; round < kMostRounds && !all; ++round) {
      all = true;
      for (const Descendant& one : descendants(root)) {
        if (!stopped.insert(one.pid).second) continue;
        kill(one.pid, SIGSTOP);
        all = false;
      }
    }
    for (const pid_t pid : stopped) kill(pid, SIGKILL);
  } catch (...) {  // no memory for the list
  }
  kill(whole, SIGKILL);
}

Adoption::Adoption() noexcept {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

Adoption::~Adoption() try {
  const auto give_up = Clock::now() + kKillPatience;
  for (std::vector<pid_t> left = children(getpid()); !left.empty() && Clock::now() < give_up;
       left = children(getpid())) {
    for (const pid_t pid : left) {
      // Also of an orphan whose group's leader has ended.
      if (const pid_t group = getpgid(pid); group > 0 && group != getpgrp()) kill(-group, SIGKILL);
      kill_tree(pid);
      waitpid(pid, nullptr, WNOHANG);
    }
    std::this_thread::sleep_for(kGlance);
  }
  prctl(PR_SET_CHILD_SUBREAPER, 0);
} catch (...) {  // no memory: they are left to themselves
}

}  // namespace tuner
