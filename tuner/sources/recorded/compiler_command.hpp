#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tuner::sources {

/// One start of a CUDA compiler, as a build made it. Its options are the user's own: never take one from a description,
/// a job or a database.
struct CompilerCommand {
  std::string program;                 ///< the file that ran, absolute
  std::string folder;                  ///< in which it ran, absolute
  std::vector<std::string> arguments;  ///< the first one is what the program was called
  /// The variables that change what such a compiler does, or where it finds files, as far as they were set.
  std::vector<std::pair<std::string, std::string>> environment;
  friend bool operator==(const CompilerCommand&, const CompilerCommand&) = default;
};

}  // namespace tuner::sources
