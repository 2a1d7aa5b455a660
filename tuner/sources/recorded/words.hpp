#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tuner::sources {

/// How a text with several words says which blanks are part of one.
enum class Quoting {
  shell,  ///< as a shell reads a command: what compile_commands.json has
  gnu,    ///< response files of clang and GCC: a backslash counts between quotes of either kind
  nvcc,   ///< response files of nvcc: the same, and a single quote is a letter
};

/// The words of a text, in order. Nothing is expanded. Nothing at all if a quote stands open.
std::optional<std::vector<std::string>> split_words(std::string_view text, Quoting quoting);

}  // namespace tuner::sources
