#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/sources/recorded/compiler_command.hpp"

namespace tuner::sources {

/// Compiler commands that were read from a file.
struct RecordedBuild {
  std::vector<CompilerCommand> commands;
  /// Why nothing of it may be run without asking, as a sentence: others than this user, root and the program's owner
  /// could have written it (cache::reason_to_distrust). Said of the file that was read, whatever becomes of its name.
  std::optional<std::string> distrust;
};

}  // namespace tuner::sources
