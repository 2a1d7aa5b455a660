#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tuner/sources/recorded/compiler_command.hpp"
#include "tuner/sources/recorded/program_start.hpp"

namespace tuner::sources {

/// Whether a file is, by the names of it and of the program in it, a compiler, or a cache that starts compilers. Most
/// that a build starts is neither, and need not be read.
bool may_compile(const StartedFile& file);

/// The start that a shell would make of these words, of which there is one at least, in `folder`, with this PATH.
ProgramStart start_of(std::vector<std::string> words, const std::filesystem::path& folder, const std::string& path);

/// What a start was. Of a compiler, all that it starts itself is its own business.
struct SeenStart {
  bool is_compiler = false;
  std::optional<CompilerCommand> command;  ///< if it has use for a reader: it compiles CUDA sources, or links
};

/// The compiler's words behind those of ccache or sccache are its command. Response files are read, and their words
/// stand in the command; of the environment, what changes a compiler is kept.
SeenStart seen_start(ProgramStart start);

}  // namespace tuner::sources
