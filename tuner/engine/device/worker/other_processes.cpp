#include "tuner/engine/device/worker/other_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace tuner::engine {
namespace {

namespace fs = std::filesystem;

// "pid (name, which may hold anything) state parent …"
std::optional<ProcessTable::Process> read_process(unsigned pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::string text;
  if (!std::getline(file, text, '\0')) return std::nullopt;
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string::npos || close == std::string::npos || close + 4 >= text.size()) return std::nullopt;
  return ProcessTable::Process{std::atoi(text.c_str() + close + 4), text.substr(open + 1, close - open - 1)};
}

bool has_gpu_open(unsigned pid) {
  std::error_code error;
  for (fs::directory_iterator entry(fmt::format("/proc/{}/fd", pid), error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code unreadable;
    if (fs::read_symlink(entry->path(), unreadable).native().starts_with("/dev/nvidia")) return true;
  }
  return false;
}

int count_siblings(int self, int parent) {
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().native();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const auto pid = static_cast<unsigned>(std::strtoul(name.c_str(), nullptr, 10));
    if (pid == static_cast<unsigned>(self)) continue;
    const auto process = read_process(pid);
    if (process && process->parent == parent && has_gpu_open(pid)) ++count;
  }
  return count;
}

}  // namespace

ProcessTable ProcessTable::of_this_machine() {
  return {.self = getpid(), .parent = getppid(), .siblings = count_siblings(getpid(), getppid()), .find = read_process};
}

std::vector<std::string> other_processes(std::span<const unsigned> on_gpu, const ProcessTable& table) {
  std::vector<std::string> result;
  const auto self = static_cast<unsigned>(table.self);
  if (std::find(on_gpu.begin(), on_gpu.end(), self) == on_gpu.end()) {
    const int others = static_cast<int>(on_gpu.size()) - 1 - table.siblings;
    if (others > 0) result.push_back(fmt::format("{} in another container or of another user", others));
    return result;
  }
  for (const unsigned pid : on_gpu) {
    if (pid == self || pid == static_cast<unsigned>(table.parent)) continue;
    const auto process = table.find(pid);
    if (process && process->parent == table.parent) continue;
    result.push_back(process ? fmt::format("{} ({})", pid, process->name) : fmt::format("{}", pid));
  }
  return result;
}

}  // namespace tuner::engine
