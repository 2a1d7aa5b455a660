#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::sources {

/// Whether nvcc reads options from the file that this word names, or the next one: `-optf`, `--options-file=FILE`.
bool is_options_file(std::string_view word);

/// The words of a command with those of its response files in their place: nvcc's `--options-file FILE` and `-optf`,
/// `@FILE` of others, files that such files name too. Builds delete them, so this is done while the command starts.
/// Relative names begin at `folder`. A file that cannot be read, or has more than any build writes, stays named.
std::vector<std::string> with_response_files(const std::vector<std::string>& words, CompilerKind kind,
                                             const std::string& folder);

}  // namespace tuner::sources
