#pragma once

#include <map>
#include <string>
#include <vector>

#include "tuner/cli/terminal/command.hpp"

namespace tuner::cli {

/// A command line that is being typed, up to the cursor. It may be wrong in any way: what makes no sense is left out.
struct UnfinishedLine {
  const Command* command = nullptr;  ///< null: none is named yet, or none that there is
  bool is_lost = false;              ///< what was named is no command
  std::map<std::string, std::vector<std::string>, std::less<>> given;  ///< options before the cursor and their values
  std::vector<std::string> operands;                                   ///< before the cursor
  bool only_operands = false;                                          ///< `--` stands before the cursor

  const Option* option = nullptr;  ///< whose value is being typed
  std::string before;              ///< what of the word stands before that value: `--mode=`
  std::string word;                ///< what is being typed, without `before`
};

/// `words` stand behind the program's name; the last one, which may be empty, is being typed.
UnfinishedLine read_unfinished(const std::vector<std::string>& words);

}  // namespace tuner::cli
