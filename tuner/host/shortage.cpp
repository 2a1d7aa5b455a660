#include "tuner/host/shortage.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <string_view>

namespace tuner::host {
namespace {

enum class Lack { memory, killed, disk, file_size, files, processes, time };

struct Words {
  std::string_view text;
  Lack lack;
};

/// What compilers, linkers, sanitizers and the system say. Those of a compiler are in English (LC_ALL=C).
constexpr std::array kWords = {
    Words{"No space left on device", Lack::disk},
    Words{"Disk quota exceeded", Lack::disk},
    Words{"File too large", Lack::file_size},
    Words{"File size limit exceeded", Lack::file_size},
    Words{"CPU time limit exceeded", Lack::time},
    Words{"Too many open files", Lack::files},
    Words{"Resource temporarily unavailable", Lack::processes},
    Words{"Killed signal terminated", Lack::killed},
    Words{"unable to execute command: Killed", Lack::killed},
    Words{"terminated with signal 9", Lack::killed},
    Words{"Cannot allocate memory", Lack::memory},
    Words{"out of memory", Lack::memory},
    Words{"memory exhausted", Lack::memory},
    Words{"std::bad_alloc", Lack::memory},
    Words{"ReserveShadowMemoryRange failed", Lack::memory},
    Words{"ERROR: AddressSanitizer failed to", Lack::memory},
};

constexpr const char* kFewer = "free memory, or run fewer programs at once (`--workers 1`)";

std::string sentence(Lack lack, const std::string& who, const JobLimits& limits) {
  switch (lack) {
    case Lack::memory:
      return fmt::format("{} had too little memory: raise its limit (`ulimit -v`, `ulimit -d`), {}", who, kFewer);
    case Lack::killed:
      return fmt::format("{} was killed by another program or by the system, which does so when memory is short: {}",
                         who, kFewer);
    case Lack::disk:
      return fmt::format("{} found no space left in {}: free some, or {}", who,
                         limits.temporary.parent_path().parent_path().string(), other_folder());
    case Lack::file_size:
      return who + " may not write a file as large as it needs: raise the limit (`ulimit -f`)";
    case Lack::time:
      return who + " may not use a core for as long as it needs: raise the limit (`ulimit -t`)";
    case Lack::files:
      return who + " may not open as many files as it needs: raise the limit (`ulimit -n`)";
    case Lack::processes:
      return who +
             " may not start another process: raise the limit (`ulimit -u`), or run fewer programs at once "
             "(`--workers 1`)";
  }
  return {};
}

/// What stands in a line that a program says of itself. A compiler also quotes the source, behind blanks (Clang without
/// them: compiler.cpp tells it not to), and says things about it, behind a place or before a colon. Where it cannot go
/// on, the system's words end the line: "kernel.cu:3:1: fatal error: error writing to x.s: No space left on device".
std::string_view own_words(std::string_view line) {
  if (line.empty() || line.front() == ' ' || line.back() == ':') return {};
  const auto* const place =
      std::adjacent_find(line.begin(), line.end(), [](char a, char b) { return a == ':' && b >= '0' && b <= '9'; });
  if (place == line.end()) return line;
  return line.find(": fatal error: ") == std::string_view::npos ? "" : line.substr(line.rfind(": "));
}

std::string could_not_start(const Job& job, const std::string& who, const JobLimits& limits) {
  switch (job.start_error) {
    case EMFILE:
    case ENFILE:
      return sentence(Lack::files, who, limits);
    case EAGAIN:
      return sentence(Lack::processes, who, limits);
    case ENOMEM:
      return sentence(Lack::memory, who, limits);
    default:
      break;
  }
  // Of what was made here: of a compiler, its own file is to blame.
  const std::filesystem::path folder = limits.temporary.parent_path();
  if (folder.empty() || !job.command.front().starts_with(folder.string() + '/')) return {};
  return fmt::format("{} could not be started from {} ({}): {}", who, folder.parent_path().string(),
                     strerrordesc_np(job.start_error), other_folder());
}

}  // namespace

std::string missing_part(const std::string& messages) {
  // GCC, its linker's driver, Clang.
  constexpr std::array<std::array<std::string_view, 2>, 4> kWords{
      {{"cannot execute '", "': execvp: No such file"},
       {"error trying to exec '", "': execvp: No such file"},
       {"collect2: fatal error: cannot find '", "'"},
       {"unable to execute command: Executable \"", "\""}}};
  for (const auto& [before, behind] : kWords) {
    const std::size_t at = messages.find(before);
    if (at == std::string::npos) continue;
    const std::size_t begin = at + before.size();
    const std::string name = messages.substr(begin, messages.find_first_of("'\"\n", begin) - begin);
    if (messages.substr(begin + name.size()).starts_with(behind)) return name;
  }
  return {};
}

std::string other_folder() {
  return "set TMPDIR to a folder where you can write files and run programs, on a disk with space";
}

std::string shortage(const Job& job, const std::string& who, const JobLimits& limits) {
  if (job.start_error != 0) return could_not_start(job, who, limits);
  if (job.starved) {
    return fmt::format("{} was stopped, because all programs together used more than {} MB of memory: {}", who,
                       limits.memory >> 20, kFewer);
  }
  if (job.crowded)
    return fmt::format("{} was stopped, because there were more than {} processes", who, limits.processes);
  if (job.late) return fmt::format("{} {}", who, job.how);
  if (job.signal == SIGKILL) return sentence(Lack::killed, who, limits);
  if (job.signal == SIGXCPU) return sentence(Lack::time, who, limits);
  if (job.signal == SIGXFSZ) return sentence(Lack::file_size, who, limits);
  if (job.signal == SIGTERM || job.signal == SIGINT || job.signal == SIGHUP)
    return fmt::format("{} was {} by another program", who, job.how);
  return shortage_in(job.messages, who, limits);
}

std::string why_program_failed(const Job& job, const JobLimits& limits) {
  constexpr const char* kWho = "The program that runs the kernel";
  constexpr std::size_t kMostWords = 200;
  if (std::string lack = shortage(job, kWho, limits); !lack.empty()) return lack;
  std::string said = job.messages.substr(0, job.messages.find('\n')).substr(0, kMostWords);
  return fmt::format("{} {}{}{}", kWho, job.how, said.empty() ? "" : ": ", said);
}

std::string shortage_in(const std::string& words, const std::string& who, const JobLimits& limits) {
  std::istringstream lines(words);
  std::string own;
  for (std::string line; std::getline(lines, line);) own.append(own_words(line)) += '\n';
  for (const Words& one : kWords) {
    if (own.find(one.text) != std::string::npos) return sentence(one.lack, who, limits);
  }
  return {};
}

}  // namespace tuner::host
