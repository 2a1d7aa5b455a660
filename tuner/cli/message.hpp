#pragma once

#include <string>
#include <string_view>

namespace tuner::cli {

/// Prints "tuner: SENTENCE" on standard error; control characters are shown, not sent to the terminal.
void say(std::string_view sentence);
/// Prints "tuner: warning: SENTENCE" on standard error.
void warn(const std::string& sentence);
/// The same on standard output, for text that may hold what a file or a database says; nothing is added.
void print(std::string_view text);

}  // namespace tuner::cli
