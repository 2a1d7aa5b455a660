#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tuner::sources {

/// The file that a process was started with, absolute, and the program that is in it: another file behind a link, and
/// the interpreter of a script.
struct StartedFile {
  std::filesystem::path named, program;
};

/// A program that has just been started in a process.
struct ProgramStart {
  std::filesystem::path file, program;  ///< as in StartedFile
  std::string folder;                   ///< in which it runs, absolute
  std::vector<std::string> words;       ///< the first one is what it was called; of a script, its name
  std::vector<std::pair<std::string, std::string>> environment;
};

// Of a process that stands at the beginning of its program, watched by this one. Nothing where /proc does not say:
// the process was killed, or runs with the rights of another user.
std::optional<StartedFile> started_file(pid_t pid);
std::optional<ProgramStart> read_start(pid_t pid, const StartedFile& file);

}  // namespace tuner::sources
