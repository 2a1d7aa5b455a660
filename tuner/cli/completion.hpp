#pragma once

#include <string>
#include <vector>

#include "tuner/cli/known_names.hpp"

namespace tuner::cli {

/// What a shell may offer in the place of the word before the cursor.
struct Completions {
  enum class Manner {
    words,    ///< each candidate is a whole word
    open,     ///< what is offered may go on, so no blank follows: `n=`, `n=1000`
    files,    ///< files too, which shells find
    folders,  ///< folders too
  };
  Manner manner = Manner::words;
  std::vector<Completion> candidates;  ///< all of them begin with that word; each once
};

/// `words` stand behind the program's name; the last one, which may be empty, is being typed. Options, commands and
/// fixed values come from the tables that make `--help`; names from the kernel file on the line and from the databases,
/// which are only read. What cannot be read, and what makes no sense, has no completions. Throws nothing but for want
/// of memory. A candidate that one line could not show as it is, is left out.
Completions complete(const std::vector<std::string>& words);

/// For the scripts in tuner/cli/completion: the manner on the first line, then a candidate on each line, with its
/// meaning behind a tab if it has one.
std::string completion_text(const Completions& completions);

}  // namespace tuner::cli
